"""What an agent answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.game.cell import Cell

Cells = Sequence[tuple[int, int]] | npt.NDArray[np.integer]
"""Cells as (row, col), or as an integer array of flat indices (row x columns + column) for fast code."""

Why = Literal["proof", "guess", "random"]


class Turn(NamedTuple):
    """Cells to unflag, to flag and to open, taken in that order, and why. An empty turn gives the game up."""

    open: Cells = ()
    flag: Cells = ()
    unflag: Cells = ()
    why: Why = "random"
    """`proof`: certain; `guess`: the least bad by some measure; `random`: any."""
    probability: float | None = None
    """How likely a mine the agent thinks the guessed cell is."""
    evidence: Mapping[Cell, Sequence[Cell]] | None = None
    """For each proven cell the clues that prove it; given only when the agent is asked to `explain`."""
    fallback: bool = False
    """Whether the agent's own reasoning was too hard here, and a weaker one decided."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Turn):
            return NotImplemented
        cells = zip(self[:3], other[:3], strict=True)
        return all(np.array_equal(mine, theirs) for mine, theirs in cells) and self[3:] == other[3:]

    def __ne__(self, other: object) -> bool:  # a tuple has its own, which would compare arrays
        return not self == other

    def __hash__(self) -> int:
        raise TypeError("a turn cannot be hashed: it may hold arrays")
