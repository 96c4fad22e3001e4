"""Replays: stored games, turn by turn."""
