"""Playing a tournament: the runner, the player of single games, and the verification of stored games."""
