"""The standard scores.

`right` and `wrong` are the numbers of flags on mines and on safe cells at the end of the game:

    identified    (right - w x wrong) / mines with w = max(1, mines / safe cells), not clipped: flagging every cell
                  scores at most 0, unless there are only mines. Without mines, 1 if there are no wrong flags, else
                  -wrong. Without safe cells, right / mines.
    win           1 if every safe cell is open and no mine was detonated, else 0; 1 on a board of mines only.
    safe-opened   safe cells opened / safe cells; 1 without safe cells.
    detonated     mines detonated.
    turns         turns taken.
    guesses       turns that opened a cell and that the agent did not call proven.
    efficiency    3BV / clicks of a won game; other games have no efficiency.

A game that the agent gave up is scored by its last position. A game that ended by a fault of the agent scores 0 for
`win` and `safe-opened`, all mines for `detonated`, the maximum number of turns (4 x cells + 16) for `turns`, one per
cell for `guesses`, and for `identified` the score so far or 0, whichever is lower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from sweepstakes import GameResult, Score, Size, hookimpl
from sweepstakes.game.result import max_turns
from sweepstakes.game.result_columns import ResultColumns
from sweepstakes.score import SHARE

Array = npt.NDArray[np.float64]


class _Arithmetic(Score):
    """A score whose `of` and `worst` are arithmetic on counts, so they take one result or the columns of many."""

    def column(self, results: ResultColumns) -> Array:
        """Return the scores of many games."""
        scores: Array = np.where(results.is_fault, self.worst(results), self.of(results))  # type: ignore[arg-type]
        return scores


class _Count(_Arithmetic):
    """A count of which less is better. Its `worst` depends on the size of the board alone, so it takes a size too."""

    more_is_better = False
    count = True

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return 0 and the worst value."""
        return 0.0, float(self.worst(size))  # type: ignore[arg-type]


class Identified(_Arithmetic):
    """Mines flagged without setting them off, minus wrong flags, as a share of all mines."""

    title = "Mines identified"
    unit = SHARE

    def of(self, result: Any) -> Any:
        """Return the score of the flags at the end of the game."""
        right, wrong, mines, safe = result.right_flags, result.wrong_flags, result.mines, result.safe
        weight = np.where(safe > 0, np.maximum(1.0, mines / np.maximum(safe, 1)), 0.0)
        score = (right - weight * wrong) / np.maximum(mines, 1)
        return np.where(mines > 0, score, np.where(wrong == 0, 1.0, -1.0 * wrong))[()]

    def worst(self, result: Any) -> Any:
        """Return the score so far, or 0 if that is lower."""
        return np.minimum(0.0, self.of(result))

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return the score for wrong flags on every safe cell, and 1."""
        safe = size.cells - size.mines
        if size.mines == 0:
            return -float(safe), 1.0
        return -max(safe / size.mines, 1.0) if safe else 0.0, 1.0


class Win(_Arithmetic):
    """Games in which every safe cell was opened and no mine was set off."""

    title = "Games won"
    unit = SHARE
    proportion = True
    place = -3

    def of(self, result: Any) -> Any:
        """Return 1 for a win, else 0."""
        return 1.0 * result.won

    def worst(self, result: Any) -> float:
        """Return 0."""
        return 0.0


class SafeOpened(_Arithmetic):
    """Safe cells that were opened, as a share of all safe cells."""

    title = "Safe cells opened"
    unit = SHARE
    place = 3

    def of(self, result: Any) -> Any:
        """Return safe cells opened / safe cells."""
        return np.where(result.safe > 0, result.opened / np.maximum(result.safe, 1), 1.0)[()]

    def worst(self, result: Any) -> float:
        """Return 0."""
        return 0.0

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return 0 and 1."""
        return 0.0, 1.0


class Detonated(_Count):
    """Mines that the agent set off."""

    title = "Mines detonated"
    unit = "mines"
    place = 2

    def of(self, result: Any) -> Any:
        """Return mines set off."""
        return 1.0 * result.detonated

    def worst(self, result: Any) -> Any:
        """Return all mines."""
        return 1.0 * result.mines


class Turns(_Count):
    """Turns that the agent took."""

    title = "Turns"
    unit = "turns"
    place = 4

    def of(self, result: Any) -> Any:
        """Return turns taken."""
        return 1.0 * result.turns

    def worst(self, result: Any) -> Any:
        """Return the maximum number of turns of a game."""
        return 1.0 * max_turns(result.cells)


class Guesses(_Count):
    """Turns that opened a cell without a proof that it is safe."""

    title = "Guesses"
    unit = "guesses"
    place = 1

    def of(self, result: Any) -> Any:
        """Return the turns with the reason `guess` or `random` that named a cell to open."""
        return 1.0 * result.guesses

    def worst(self, result: Any) -> Any:
        """Return one for each cell."""
        return 1.0 * result.cells


class Efficiency(Score):
    """3BV of the board divided by the clicks, in won games."""

    title = "Efficiency"
    unit = "3BV per click"
    columns = ("clicks", "three_bv")

    def lacks(self, result: GameResult) -> bool:
        """Return whether the game was won but its clicks are not known."""
        return result.won and super().lacks(result)

    def of(self, result: GameResult) -> float:
        """Return 3BV / clicks; NaN if the game was not won, took no click, or its clicks are not known."""
        return float(self.column(ResultColumns.of([result]))[0])

    def worst(self, result: GameResult) -> float:
        """Return NaN: the game was not won."""
        return nan

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return 0 and the highest possible 3BV, divided by one click."""
        return 0.0, float(size.cells - size.mines)

    def column(self, results: ResultColumns) -> Array:
        """Return the scores of many games."""
        known = results.won & (results.clicks > 0) & (results.three_bv > 0)
        return np.where(known, results.three_bv / np.where(known, results.clicks, 1), nan)


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer the standard scores."""
    return {
        "identified": Identified,
        "win": Win,
        "safe-opened": SafeOpened,
        "detonated": Detonated,
        "turns": Turns,
        "guesses": Guesses,
        "efficiency": Efficiency,
    }
