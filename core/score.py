"""What a finished game is worth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, ClassVar

from sweepstakes.game.result import GameResult

if TYPE_CHECKING:
    from sweepstakes.game.game import Game
    from sweepstakes.game.turn import Turn


class Score(ABC):
    """A number for every finished game, with a direction."""

    more_is_better: ClassVar[bool] = True
    proportion: ClassVar[bool] = False
    """Whether it is 0 or 1, so that its mean is a rate."""

    @abstractmethod
    def of(self, result: GameResult) -> float:
        """The score of a game that ended without a fault."""

    @abstractmethod
    def worst(self, result: GameResult) -> float:
        """The score of a game that the agent broke off by a fault: the worst of what stands and nothing."""

    def __call__(self, result: GameResult) -> float:
        """The score of any finished game."""
        return self.worst(result) if result.ending.is_fault else self.of(result)


class MeasuredScore(Score):
    """A score that looks at the turns of a game, and the evidence in them.

    It is measured right after the game, which is played a second time for the evidence, and kept with the result. If
    the second playing comes to nothing (see `sweepstakes.inference.explaining`), the measure of that game is missing.
    """

    name: ClassVar[str]
    """Under which name it stands in what `measure` returns; the name it is offered under."""

    @staticmethod
    @abstractmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Numbers by name, from the game set up anew and the turns that were taken in it, with their evidence.

        Scores that share this function are measured together, once.
        """

    def of(self, result: GameResult) -> float:
        """What was measured; NaN if that is missing."""
        measured = result.measures[self.name]
        return nan if measured is None else measured

    def missing(self, result: GameResult) -> bool:
        """Whether the game was to be measured, and could not be."""
        return result.measures.get(self.name, 0.0) is None
