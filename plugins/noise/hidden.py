"""`hidden`: the clue is withheld."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sweepstakes import ClueNoise, hookimpl
from sweepstakes.noise import ShownClue
from sweepstakes.plugins.noise._rated import RatedNoise


class Hidden(RatedNoise):
    """With probability rate a clue is withheld."""

    version = 1

    def replacements(self, count: int, least: int, neighbours: int) -> Sequence[ShownClue]:
        """Return only "withheld"."""
        return ["withheld"]


@hookimpl
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:
    """Offer `hidden`."""
    return {"hidden": Hidden}
