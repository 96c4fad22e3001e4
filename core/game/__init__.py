"""The game: board, view, turn, rules, and the referee who plays it."""
