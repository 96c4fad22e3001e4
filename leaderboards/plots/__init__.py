"""The plots of published leaderboards."""
