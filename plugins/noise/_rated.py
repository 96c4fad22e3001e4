"""The base class of noises that replace a clue with probability `rate`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from sweepstakes import ClueNoise, ParameterError
from sweepstakes.noise import ShownClue


class RatedNoise(ClueNoise):
    """With probability `rate` a clue is replaced by one of its replacements, each equally likely.

    By default only blanks show 0. If `blanks` is set, 0 is a clue like any other, and there is no flooding.
    """

    def __init__(self, rate: float, blanks: bool = False) -> None:
        if not 0 <= rate <= 1:
            raise ParameterError(f"rate {rate}: expected 0 to 1")
        self.rate = rate
        self.blanks = blanks

    @abstractmethod
    def replacements(self, count: int, least: int, neighbours: int) -> Sequence[ShownClue]:
        """Return the clues that may be shown instead of `count`; possible clues are `least` to `neighbours`."""

    def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
        """Give the true clue a probability of 1 - rate, or 1 if it cannot be replaced; replacements share the rest."""
        if count == 0 and not self.blanks:
            return {0: 1.0}
        others = self.replacements(count, 0 if self.blanks else 1, neighbours)
        if not others:
            return {count: 1.0}
        return {count: 1 - self.rate} | {other: self.rate / len(others) for other in others}
