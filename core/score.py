"""The interface of scores, which rate finished games."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import inf, nan
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import PluginError, brief
from sweepstakes.game.result import GameResult
from sweepstakes.game.size import Size
from sweepstakes.untrusted.exceptions import describe_error

if TYPE_CHECKING:
    from sweepstakes.game.game import Game
    from sweepstakes.game.result_columns import ResultColumns
    from sweepstakes.game.turn import Turn


Bounds = tuple[float, float]
"""The lowest and the highest value of a score."""
SHARE = "share"
"""The unit of scores that are shares. For these, a lead of 0.02 is worth looking for."""
MAX_SCORE = 1e100
"""The largest allowed score. Squares of scores up to this can be summed without overflow."""


class Score(ABC):
    """Rates a finished game by a number. The first paragraph of its docstring says what the number means."""

    title: ClassVar[str] = ""
    """The name for people, as in "Mines identified". If empty, the score's own name is used."""
    unit: ClassVar[str] = ""
    """What the number counts, as in "turns", or `SHARE` for a share, or empty."""
    more_is_better: ClassVar[bool] = True
    """Whether a higher number is a better game."""
    proportion: ClassVar[bool] = False
    """Whether the number is always 0 or 1, so that its mean is a rate."""
    count: ClassVar[bool] = False
    """Whether the number counts something. Unless it decides the rank, its mean is taken over games without a fault,
    since the `worst` of a count does not describe how the agent plays."""
    place: ClassVar[int] = 9
    """The order of its column in a table, lowest first. A negative place puts it before the rating."""
    adjusts: ClassVar[str] = ""
    """The name of the score with the same mean and a wider interval, if any. If set, tables also show the interval."""
    columns: ClassVar[tuple[str, ...]] = ()
    """The counts of the result that the score needs but that old games lack. In such games the score is NaN."""
    stands_for: ClassVar[tuple[str, ...]] = ()
    """The scores for which this name is an abbreviation in tournament files."""

    def lacks(self, result: GameResult) -> bool:
        """Return whether the score has no value because one of its `columns` is unknown."""
        return any(getattr(result, name) is None for name in self.columns)

    @abstractmethod
    def of(self, result: GameResult) -> float:
        """Return the score of a game that ended without a fault."""

    @abstractmethod
    def worst(self, result: GameResult) -> float:
        """Return the score of a game that ended by a fault of the agent.

        A fault must not pay. The result should be the worse of two scores: the score so far, and the score of a game
        in which nothing was achieved. If the second is 0, the result is the lower of 0 and the score so far.
        """

    def bounds(self, size: Size) -> Bounds:
        """Return the lowest and the highest value that a game on a board of this size can have, faults included.

        By default 0 and 1 for a `proportion`, else -inf and inf. A match names a winner only by a score with bounds:
        without them, a rare extreme value could undo any lead. Intervals in tables end at the bounds.
        """
        return (0.0, 1.0) if self.proportion else (-inf, inf)

    def mean_bounds(self, size: Size) -> Bounds:
        """Return the lowest and the highest possible mean of many games, which lie within `bounds`."""
        return self.bounds(size)

    def __call__(self, result: GameResult) -> float:
        """Return the score of any finished game."""
        return self.worst(result) if result.ending.is_fault else self.of(result)

    def column(self, results: ResultColumns) -> npt.NDArray[np.float64]:
        """Return the scores of many games. Override it only to make it faster."""
        return np.array([self(result) for result in results], np.float64)


def rate(
    score: Score, label: str, results: ResultColumns, game: Callable[[int], str], *, ranks: bool = True
) -> npt.NDArray[np.float64]:
    """Return the scores of games. Raise `PluginError` with the score and the first game for which it returns no number.

    `label` is the name of the score, `game(i)` the name of game i of `results`. NaN means that a measured score is
    missing, that the game lacks one of the score's `columns`, or that a count that does not rank (`ranks` is False)
    belongs to a game that ended by a fault.
    """
    values = _rate(score, label, results, game)
    return np.where(results.is_fault, np.nan, values) if score.count and not ranks else values


def _rate(score: Score, label: str, results: ResultColumns, game: Callable[[int], str]) -> npt.NDArray[np.float64]:
    may_miss = isinstance(score, MeasuredScore) or bool(score.columns)
    with suppress(Exception, SystemExit):  # third-party code may raise anything; the code below finds the game
        values = np.asarray(score.column(results), np.float64)
        valid = (np.abs(values) <= MAX_SCORE) | (np.isnan(values) if may_miss else False)
        if values.shape == (len(results),) and np.all(valid):
            return values
    values = np.empty(len(results))
    for place, result in enumerate(results):
        try:
            value = score(result)
        except (Exception, SystemExit) as error:  # noqa: BLE001
            raise PluginError(f"score '{label}' raised {describe_error(error)} for game {game(place)}") from None
        if not isinstance(value, int | float | np.number) or not (
            abs(value) <= MAX_SCORE or (may_miss and value != value)
        ):
            expected = f"expected a number from {-MAX_SCORE:g} to {MAX_SCORE:g}"
            raise PluginError(f"score '{label}' gave {brief(value)} for game {game(place)}: {expected}")
        values[place] = value
    if type(score).column is not Score.column:  # its own `column` failed, but single games have scores
        return values
    raise PluginError(f"score '{label}' gave different answers for the same games: expected a function of the result")


def bounds_of(score: Score, label: str, size: Size, *, mean: bool = False) -> Bounds:
    """Return the bounds of a score, or of its mean. Raise `PluginError` if they are not a lower and an upper number."""
    try:
        low, high = map(float, score.mean_bounds(size) if mean else score.bounds(size))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - third-party code may raise anything
        raise PluginError(f"score '{label}' raised {describe_error(error)} for its bounds on {size}") from None
    if not low <= high:
        raise PluginError(f"score '{label}' has the bounds {low} and {high}: expected a number and a larger one")
    return low, high


class MeasuredScore(Score):
    """A score of the turns of a game, not of its result alone; the number is stored with the result.

    If the score needs evidence, the agent plays each game a second time immediately, with `explain` set. Then the turns
    with their evidence are measured. If the second playing fails (see `sweepstakes.inference.explaining`), the measure
    of that game is missing. A game that ended by a fault is measured only by scores that need no evidence.
    """

    name: ClassVar[str]
    """The name under which the score is offered, and its key in the mapping that `measure` returns."""
    needs_evidence: ClassVar[bool] = True
    """Whether `measure` needs the clues that prove each cell."""
    needs_prior: ClassVar[bool] = False
    """Whether `measure` needs to know how probable each layout is. This is known only for boards of `uniform`."""

    @staticmethod
    @abstractmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Return numbers by name. `game` is the game before its first turn, `turns` are the turns of the agent.

        Called once for all scores that share this function.
        """

    def __call__(self, result: GameResult) -> float:
        """Return the score of any finished game; NaN if it was never measured, unless a fault ended the game."""
        return nan if self.name not in result.measures and not result.ending.is_fault else super().__call__(result)

    def of(self, result: GameResult) -> float:
        """Return the measured number; NaN if it is missing."""
        measured = result.measures[self.name]
        return nan if measured is None else measured

    def missing(self, result: GameResult) -> bool:
        """Return whether the measure of the game is missing because its second playing failed."""
        return result.measures.get(self.name, 0.0) is None
