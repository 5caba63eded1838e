"""What a source tree says of its own structure, and how far its files keep to it."""
