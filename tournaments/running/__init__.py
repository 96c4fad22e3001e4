"""Playing a tournament: which games are missing, who plays them, and whether they were played truly."""
