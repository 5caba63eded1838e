"""What does a repository's past say of its files? Values, kept with a namespace as one mark."""
