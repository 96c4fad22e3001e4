"""`my-thing`: withholds some large clues."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import ClueNoise, ParameterError, hookimpl
from sweepstakes.noise import ShownClue


class MyThing(ClueNoise):
    """Withholds a clue of `minimum` or more with probability `rate`."""

    def __init__(self, rate: float = 0.5, minimum: int = 3) -> None:
        if not 0 <= rate <= 1:
            raise ParameterError(f"rate {rate}: expected 0 to 1")
        self.rate = rate
        self.minimum = minimum

    def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
        """Return the probability of each shown clue, given `count` mines among `neighbours` cells. They sum to 1."""
        if count < max(self.minimum, 1):
            return {count: 1.0}
        return {count: 1 - self.rate, "withheld": self.rate}


@hookimpl
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:
    """Register `my-thing`."""
    return {"my-thing": MyThing}
