"""Statistics of a board, as players define them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepstakes.game.board import Board


class BoardStatistics(NamedTuple):
    """3BV, openings, islands and clues of a board.

    *Openings* are groups of blanks that touch, also at corners. One click opens such a group with the clues around it.
    A clue that is not next to a blank needs a click for itself. *Islands* are groups of such clues that touch, also at
    corners. *3BV*, the fewest left clicks that open all safe cells without chords, is the number of openings plus the
    number of such clues.
    """

    three_bv: int
    openings: int
    islands: int
    clues: tuple[int, ...]
    """Number of cells with the clue 0, 1, ... 8."""


def board_statistics(board: Board) -> BoardStatistics:
    """Compute the 3BV, openings, islands and clues of a board."""
    from scipy import ndimage

    touching = np.ones((3, 3), np.bool_)
    clues = board.clues
    blank = clues == 0
    alone = (clues > 0) & ~ndimage.binary_dilation(blank, touching)
    openings = int(ndimage.label(blank, touching)[1])
    islands = int(ndimage.label(alone, touching)[1])
    counts = np.bincount(clues[clues >= 0], minlength=9).tolist()
    return BoardStatistics(openings + int(alone.sum()), openings, islands, tuple(counts))
