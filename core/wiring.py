"""What values of lower layers ask of higher ones, so that no lower layer imports a higher one.

The package `sweepstakes` connects the two: a setup and a position find the plugins that they name, a registry has hosts
say what plugins offer, and standings and runs can be drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sweepstakes.boards import BoardSource
    from sweepstakes.noise import Noise
    from sweepstakes.registry.describer import Describer
    from sweepstakes.spec import Spec


class Offers(Protocol):
    """The board sources and clue noises that can be named: a `Registry`."""

    def source(self, spec: Spec | str) -> BoardSource:
        """The board source of a spec."""

    def noise(self, spec: Spec | str) -> Noise:
        """The clue noise of a spec, as an agent sees it."""


installed: Callable[[], Offers]
"""What the installed plugins offer."""
describer: Callable[[], Describer]
"""What asks third-party plugins about themselves, unless a registry is given another."""
figure: Callable[[Any, str], Figure]
"""Draws a plot, by name, of standings or of a run."""
