"""Leaderboards: their pages and plots, and the published data in `published/`."""
