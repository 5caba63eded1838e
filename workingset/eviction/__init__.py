"""Which entries does pressure reach first? One policy a file, one registry."""
