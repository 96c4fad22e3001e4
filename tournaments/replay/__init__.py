"""A stored game, seen again turn by turn."""
