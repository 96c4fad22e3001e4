"""The commands that print and publish leaderboards."""
