"""What a cell can show, as the int8 codes of `View.shown`. Open cells are exactly those with a code >= 0."""

COVERED = -1
FLAG = -2
DETONATED = -3
WITHHELD = 9
"""The cell is open, but its clue is withheld. The codes 0 to 8 are the clues themselves."""

CODES = {".": COVERED, "F": FLAG, "*": DETONATED, "?": WITHHELD} | {str(clue): clue for clue in range(9)}
"""The code of each mark in the text of a position."""
_MARKS = bytearray(b"!" * 256)
"""The mark of each code, indexed by the code as an unsigned byte. `!` stands for codes that do not exist."""
for _mark, _code in CODES.items():
    _MARKS[_code & 0xFF] = ord(_mark)


def marks_of(data: bytes) -> str:
    """Return the mark of each of the codes."""
    return data.translate(_MARKS).decode("ascii")


# The rule about the first click, as numbers: the choices of `rules.FirstClick` in their order.
ANY_CLICK, SAFE_CLICK, OPENING_CLICK = range(3)
