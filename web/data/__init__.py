"""The JSON data of the arena's pages: positions, turns, replays, standings, mine probabilities and options."""
