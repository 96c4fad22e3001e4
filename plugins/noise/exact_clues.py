"""`exact-clues`: no noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import ClueNoise, hookimpl
from sweepstakes.noise import ExactClues


@hookimpl
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:
    """Offer `exact-clues`."""
    return {"exact-clues": ExactClues}
