"""The command that opens the arena."""
