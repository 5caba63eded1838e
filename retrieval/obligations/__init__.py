"""What a projection owes its query beyond ranking, and what became of it."""
