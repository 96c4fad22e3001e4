"""The pages of published leaderboards."""
