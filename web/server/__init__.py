"""The server of the arena: pages, games and the run."""
