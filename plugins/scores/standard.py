"""The standard scores.

`right` and `wrong` are the numbers of flags on mines and on safe cells at the end of the game:

    identified    (right - w x wrong) / mines with w = max(1, mines / safe cells), not clipped: flagging every cell
                  scores at most 0, unless there are only mines. No mines: 1 without wrong flags, else -wrong. No safe
                  cells: right / mines.
    win           1 if every safe cell is open and no mine was detonated, else 0; 1 on a board of mines only.
    safe-opened   safe cells opened / safe cells; 1 if there are none.
    detonated     mines detonated.
    turns         turns taken.
    guesses       turns that opened a cell and that the agent did not call proven.
    efficiency    3BV / clicks of a won game; other games have none.

A game given up is scored by its position at the end. A game that ended by a fault of the agent gets `identified` the
lower of 0 and the score so far, `win` and `safe-opened` 0, `detonated` all mines, `turns` the most that a game may take
(4 x cells + 16), `guesses` one for each cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import nan

import numpy as np
import numpy.typing as npt

from sweepstakes import GameResult, Score, Size, hookimpl
from sweepstakes.game.result import most_turns
from sweepstakes.game.result_columns import ResultColumns

Array = npt.NDArray[np.float64]


class Identified(Score):
    """Mines flagged and never set off, less wrong flags, as a share of all mines."""

    def of(self, result: GameResult) -> float:
        """The score of the flags at the end of the game."""
        if result.mines == 0:
            return 1.0 if result.wrong_flags == 0 else -float(result.wrong_flags)
        weight = max(1.0, result.mines / result.safe) if result.safe else 0.0
        return (result.right_flags - weight * result.wrong_flags) / result.mines

    def worst(self, result: GameResult) -> float:
        """The lower of 0 and the score so far."""
        return min(0.0, self.of(result))

    def bounds(self, size: Size) -> tuple[float, float]:
        """1, and every safe cell flagged wrongly."""
        safe = size.cells - size.mines
        if size.mines == 0:
            return -float(safe), 1.0
        return -max(safe / size.mines, 1.0) if safe else 0.0, 1.0

    def column(self, results: ResultColumns) -> Array:
        """The scores of many games."""
        right, wrong, mines = results.right_flags, results.wrong_flags, results.mines
        some, safe = np.maximum(mines, 1), np.maximum(results.safe, 1)
        weight = np.where(results.safe > 0, np.maximum(1.0, mines / safe), 0.0)
        score = np.where(mines > 0, (right - weight * wrong) / some, np.where(wrong == 0, 1.0, -wrong))
        return np.where(results.is_fault, np.minimum(0.0, score), score)


class Win(Score):
    """Every safe cell is open and no mine was detonated."""

    proportion = True

    def of(self, result: GameResult) -> float:
        """1 for a win."""
        return float(result.won)

    def worst(self, result: GameResult) -> float:
        """0."""
        return 0.0

    def column(self, results: ResultColumns) -> Array:
        """The scores of many games."""
        return results.won.astype(np.float64)


class SafeOpened(Score):
    """Share of the safe cells that are open."""

    def of(self, result: GameResult) -> float:
        """Safe cells opened / safe cells."""
        return result.opened / result.safe if result.safe else 1.0

    def worst(self, result: GameResult) -> float:
        """0."""
        return 0.0

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and 1."""
        return 0.0, 1.0

    def column(self, results: ResultColumns) -> Array:
        """The scores of many games."""
        share = np.where(results.safe > 0, results.opened / np.maximum(results.safe, 1), 1.0)
        return np.where(results.is_fault, 0.0, share)


class Detonated(Score):
    """Mines set off."""

    more_is_better = False
    count = True

    def of(self, result: GameResult) -> float:
        """Mines set off."""
        return float(result.detonated)

    def worst(self, result: GameResult) -> float:
        """All mines."""
        return float(result.mines)

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and all mines."""
        return 0.0, float(size.mines)

    def column(self, results: ResultColumns) -> Array:
        """The scores of many games."""
        return np.where(results.is_fault, results.mines, results.detonated).astype(np.float64)


class Turns(Score):
    """Turns taken."""

    more_is_better = False
    count = True

    def of(self, result: GameResult) -> float:
        """Turns taken."""
        return float(result.turns)

    def worst(self, result: GameResult) -> float:
        """As many as a game may take."""
        return float(4 * result.cells + 16)

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and as many as a game may take."""
        return 0.0, float(most_turns(size.cells))

    def column(self, results: ResultColumns) -> Array:
        """The scores of many games."""
        return np.where(results.is_fault, 4 * results.cells + 16, results.turns).astype(np.float64)


class Guesses(Score):
    """Turns that opened a cell without a proof."""

    more_is_better = False
    count = True

    def of(self, result: GameResult) -> float:
        """Turns with the reason `guess` or `random` that opened a cell by name."""
        return float(result.guesses)

    def worst(self, result: GameResult) -> float:
        """One for each cell."""
        return float(result.cells)

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and one for each cell."""
        return 0.0, float(size.cells)

    def column(self, results: ResultColumns) -> Array:
        """The scores of many games."""
        return np.where(results.is_fault, results.cells, results.guesses).astype(np.float64)


class Efficiency(Score):
    """3BV of the board per click, in won games."""

    columns = ("clicks", "three_bv")

    def lacks(self, result: GameResult) -> bool:
        """Whether the game was won and does not know its clicks."""
        return result.won and super().lacks(result)

    def of(self, result: GameResult) -> float:
        """3BV / clicks; NaN if the game was not won, took no click or does not know its clicks."""
        return result.three_bv / result.clicks if result.won and result.clicks and result.three_bv else nan

    def worst(self, result: GameResult) -> float:
        """NaN: the game was not won."""
        return nan

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and the highest 3BV, by one click."""
        return 0.0, float(size.cells - size.mines)

    def column(self, results: ResultColumns) -> Array:
        """The scores of many games."""
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
