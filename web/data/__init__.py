"""What the pages of the arena are told: positions, turns, standings, probabilities and choices."""
