"""The commands that play tournaments and show their games."""
