"""`liar`: the clue is one off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sweepstakes import ClueNoise, hookimpl
from sweepstakes.noise import ShownClue
from sweepstakes.plugins.noise._rated import RatedNoise


class Liar(RatedNoise):
    """With probability rate a clue is one too small or one too large."""

    version = 1

    def replacements(self, count: int, least: int, neighbours: int) -> Sequence[ShownClue]:
        """Return the clues one below and one above `count`, if they are possible."""
        return [clue for clue in (count - 1, count + 1) if least <= clue <= neighbours]


@hookimpl
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:
    """Offer `liar`."""
    return {"liar": Liar}
