"""Functions that lower layers need from higher layers, as variables. So no lower layer imports a higher one.

The package `sweepstakes` sets these variables. With them, setups and positions find the plugins that they name, a
registry asks hosts what plugins offer, and standings and runs draw plots.
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
        """Return the board source of a spec."""

    def noise(self, spec: Spec | str) -> Noise:
        """Return the clue noise of a spec, as an agent sees it."""


installed: Callable[[], Offers]
"""Returns what the installed plugins offer."""
describer: Callable[[], Describer]
"""Returns the default object that asks third-party plugins what they offer."""
figure: Callable[[Any, str], Figure]
"""Draws a plot, by name, of standings or of a run."""
