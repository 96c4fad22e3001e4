"""`optimistic`: the clue is smaller than the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sweepstakes import ClueNoise, hookimpl
from sweepstakes.noise import ShownClue
from sweepstakes.plugins.noise._rated import RatedNoise


class Optimistic(RatedNoise):
    """With probability rate a clue is smaller than the truth."""

    version = 1

    def replacements(self, count: int, least: int, neighbours: int) -> Sequence[ShownClue]:
        """Return every smaller clue."""
        return range(least, count)


@hookimpl
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:
    """Offer `optimistic`."""
    return {"optimistic": Optimistic}
