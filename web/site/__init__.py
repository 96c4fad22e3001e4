"""The Leaderboard and Watch pages as a site without a server."""
