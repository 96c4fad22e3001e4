"""What a finished game is worth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from sweepstakes.result import GameResult


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
