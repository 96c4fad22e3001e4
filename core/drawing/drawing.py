"""The description of a picture of a position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import PositionError, brief

CellLike = tuple[int, int]
"""Row and column, counted from 0."""
Proof = Mapping[Any, Iterable[CellLike]] | Iterable[CellLike]
"""The clues that prove each of some cells, or clues alone."""


class Drawing(NamedTuple):
    """A position and the marks on it. `Board`, `View`, `Game` and others return theirs from `drawing()`."""

    rows: int
    cols: int
    shown: str
    """A character for each cell, row by row, as `View.parse` reads them; `.` is covered."""
    mines: bytes | None = None
    """A byte for each cell, 1 for a mine; None to hide the mines."""
    heat: npt.NDArray[np.float64] | None = None
    """The mine probability of each cell; nan for a cell without one."""
    proof: Mapping[Any, Sequence[CellLike]] = {}
    """For each proven cell, the clues that prove it."""
    clues: Sequence[CellLike] = ()
    """Clues of proofs, without the cells that they prove."""
    marks: Mapping[Any, str] = {}
    """`safe`, `mine`, `guess`, `random`, `false` (a proof that does not hold), or any short label."""
    recent: Sequence[CellLike] = ()
    """Cells that changed last."""
    path: Sequence[CellLike] = ()
    """Cells that a line joins, from a square at the first to a diamond at the last."""
    caption: str | None = None
    """A text below the board; None for no text except the one that the heat map needs."""


class Drawable(Protocol):
    """An object with a drawing."""

    def drawing(self) -> Drawing:
        """Return the drawing."""
        ...


def described(
    position: Drawable,
    *,
    board: Drawable | None = None,
    heat: npt.ArrayLike | None = None,
    proof: Proof | None = None,
    marks: Mapping[Any, str] | None = None,
    path: Sequence[CellLike] | None = None,
    caption: str | None = None,
) -> Drawing:
    """Return the drawing of a position with the marks in the arguments. Raise `PositionError` if they do not fit."""
    drawing = _drawing_of(position)
    if board is not None:
        mines = _drawing_of(board)
        if (mines.rows, mines.cols) != (drawing.rows, drawing.cols) or mines.mines is None:
            raise PositionError(f"the board is not {drawing.rows} x {drawing.cols}")
        drawing = drawing._replace(mines=mines.mines)
    if heat is not None:
        drawing = drawing._replace(heat=_probabilities(heat, drawing))
    if isinstance(proof, Mapping):
        cells = {
            _cell(cell, drawing, "a proven cell"): [_cell(c, drawing, "a clue") for c in clues]
            for cell, clues in proof.items()
        }
        drawing = drawing._replace(proof=cells)
    elif isinstance(proof, Iterable):
        drawing = drawing._replace(clues=[_cell(cell, drawing, "a clue") for cell in proof])
    elif proof is not None:
        raise PositionError(f"proof {brief(proof)}: expected the clues of each proven cell, or a list of clues")
    if marks is not None:
        if not isinstance(marks, Mapping):
            raise PositionError(f"marks {brief(marks)}: expected a mapping from cells to labels")
        drawing = drawing._replace(marks={_cell(cell, drawing, "a mark"): str(label) for cell, label in marks.items()})
    if path is not None:
        drawing = drawing._replace(path=[_cell(cell, drawing, "the path") for cell in path])
    if caption is not None:
        drawing = drawing._replace(caption=caption)
    return drawing


def _drawing_of(position: Any) -> Drawing:
    drawing = getattr(position, "drawing", None)
    found = drawing() if callable(drawing) and not isinstance(position, type) else position
    if not isinstance(found, Drawing):
        raise PositionError(f"cannot draw {brief(position)}: expected a Board, View, Game, Replay or posterior")
    return found


def _cell(cell: Any, drawing: Drawing, what: str) -> CellLike:
    try:
        row, col = (int(number) for number in cell)
    except (TypeError, ValueError):
        raise PositionError(f"{what} at {brief(cell)}: expected (row, column)") from None
    if not (0 <= row < drawing.rows and 0 <= col < drawing.cols):
        raise PositionError(f"{what} at ({row}, {col}) is not on a board of {drawing.rows} x {drawing.cols}")
    return row, col


def _probabilities(heat: npt.ArrayLike, drawing: Drawing) -> npt.NDArray[np.float64]:
    try:
        array = np.asarray(heat, np.float64)
    except (TypeError, ValueError):
        raise PositionError(f"the heat map is {brief(heat)}: expected a mine probability for each cell") from None
    if array.shape != (drawing.rows, drawing.cols):
        shape = " x ".join(map(str, array.shape)) or "one number"
        raise PositionError(f"the heat map has the shape {shape}: expected {drawing.rows} x {drawing.cols}")
    if bool(((array < 0) | (array > 1)).any()):
        raise PositionError("the heat map has a number below 0 or above 1: expected mine probabilities")
    return array
