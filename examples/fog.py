"""A clue noise, `fog`, that withholds large clues more often than small ones. Hook: `sweepstakes_clue_noise`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import ClueNoise, hookimpl
from sweepstakes.noise import ShownClue


class Fog(ClueNoise):
    """A clue of k is withheld with probability 1 - (1 - density)^k."""

    def __init__(self, density: float = 0.1) -> None:
        self.density = density

    def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
        """Return the probability of the true clue and of "withheld"."""
        clear = (1 - self.density) ** count
        return {count: clear, "withheld": 1 - clear}


@hookimpl
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:
    """Register `fog`."""
    return {"fog": Fog}
