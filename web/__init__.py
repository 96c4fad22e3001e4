"""The arena in the browser: play with hints, watch stored games, read the leaderboard; or a site of it."""
