"""`cautious`: the clue is larger than the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sweepstakes import ClueNoise, hookimpl
from sweepstakes.noise import ShownClue
from sweepstakes.plugins.noise._rated import RatedNoise


class Cautious(RatedNoise):
    """With probability rate a clue is larger than the truth."""

    version = 1

    def replacements(self, count: int, least: int, neighbours: int) -> Sequence[ShownClue]:
        """Return every larger clue."""
        return range(count + 1, neighbours + 1)


@hookimpl
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:
    """Offer `cautious`."""
    return {"cautious": Cautious}
