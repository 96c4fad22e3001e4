"""The commands that play tournaments and matches, and that show and verify their games."""
