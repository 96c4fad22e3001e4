"""What a cell can show, as the int8 codes of `View.shown`. Open cells are exactly those with a code >= 0."""

COVERED = -1
FLAG = -2
DETONATED = -3
WITHHELD = 9
"""Open, but its clue is withheld; the clues themselves are the codes 0 to 8."""
