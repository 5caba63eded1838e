"""One module for each kind of obligation: what became of it in one projection."""
