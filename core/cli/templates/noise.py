"""`my-thing`: some large clues are withheld."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import ClueNoise, ParameterError, hookimpl
from sweepstakes.noise import ShownClue


class MyThing(ClueNoise):
    """With probability rate a clue of `least` or more is withheld."""

    def __init__(self, rate: float = 0.5, least: int = 3) -> None:
        if not 0 <= rate <= 1:
            raise ParameterError(f"rate {rate}: expected 0 to 1")
        self.rate = rate
        self.least = least

    def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
        """The probability of each shown clue for a cell with `count` mines among its `neighbours`; they sum to 1."""
        if count < max(self.least, 1):
            return {count: 1.0}
        return {count: 1 - self.rate, "withheld": self.rate}


@hookimpl
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:
    """Offer `my-thing`."""
    return {"my-thing": MyThing}
