"""A turn: what an agent does with a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.game.cell import Cell

Cells = Sequence[tuple[int, int]] | npt.NDArray[np.integer]
"""Cells as (row, col), or as an integer array of flat indices (row x columns + column) for fast code."""

Why = Literal["proof", "guess", "random"]
REASONS: tuple[Why, ...] = ("proof", "guess", "random")

Named = npt.NDArray[np.int64] | tuple[Cell, ...]
"""The cells that a turn names, read and checked."""


class Turn(NamedTuple):
    """Cells to unflag, to flag and to open, carried out in that order, and the reason. An empty turn gives up."""

    open: Cells = ()
    flag: Cells = ()
    unflag: Cells = ()
    why: Why = "random"
    """`proof`: the cells are certain; `guess`: chosen by an estimate; `random`: chosen at random."""
    probability: float | None = None
    """The agent's estimate of the mine probability of the guessed cell."""
    evidence: Mapping[Cell, Sequence[Cell]] | None = None
    """The clues that prove each proven cell. Only needed if the agent's `explain` is set."""
    fallback: bool = False
    """Whether a weaker method decided because the agent's own would have taken too long."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Turn):
            return NotImplemented
        cells = zip(self[:3], other[:3], strict=True)
        return all(np.array_equal(mine, theirs) for mine, theirs in cells) and self[3:] == other[3:]

    def __ne__(self, other: object) -> bool:  # the method of tuple would compare arrays
        return not self == other

    def __hash__(self) -> int:
        raise TypeError("a turn cannot be hashed: it may hold arrays")


def as_cells(cells: Cells, cols: int) -> list[Cell]:
    """Return the cells of a turn, whether it names them as (row, col) or as flat indices."""
    if isinstance(cells, np.ndarray):
        return [Cell(*divmod(int(cell), cols)) for cell in cells]
    return [Cell(int(row), int(col)) for row, col in cells]


def flat_cells(cells: Cells, cols: int) -> list[int]:
    """Return the cells of a turn as flat indices."""
    if isinstance(cells, np.ndarray):
        indices: list[int] = cells.tolist()
        return indices
    return [int(row) * cols + int(col) for row, col in cells]
