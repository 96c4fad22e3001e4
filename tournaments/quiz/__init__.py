"""The quiz: a fixed set of positions, one decision each, for any agent."""
