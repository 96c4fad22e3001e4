"""The game: board, view, turn, rules, and the referee that carries out turns."""
