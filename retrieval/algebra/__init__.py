"""How answers are combined: typed operations with preconditions that are checked before anything runs."""
