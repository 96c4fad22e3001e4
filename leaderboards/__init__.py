"""Leaderboards: their pages, plots and claims, and the published data beside them."""
