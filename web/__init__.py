"""The arena in the browser: play with hints, watch stored games, read the leaderboard; and the same as a static site."""
