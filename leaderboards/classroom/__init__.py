"""A class of agents: submissions checked and played, with a page for each, a leaderboard and a table of grades."""
