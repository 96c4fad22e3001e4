"""Tables of coloured cells with a number in each, in colours for light and for dark pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sweepstakes.drawing.theme import mixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = 10
"""Steps of a scale from its middle to an end."""
ON_PALE, ON_DARK = "#212121", "#fefefe"
"""Numbers on pale and on dark cells of a light page. On a dark page all cells are dark."""


def _scale(middle: str, end: str) -> list[str]:
    return [mixed(middle, end, step / STEPS) for step in range(STEPS + 1)]


WORSE, BETTER = _scale("#f6f6f6", "#542788"), _scale("#f6f6f6", "#a04a04")
DARK_WORSE, DARK_BETTER = _scale("#222a35", "#6f4bb0"), _scale("#222a35", "#b55b0b")
AMOUNT, DARK_AMOUNT = _scale("#eef6f4", "#075e54"), _scale("#1c2530", "#0d8173")
"""The scales from their middles to their ends: two for shares on both sides of a half, one for amounts."""
DARK = dict(zip([*WORSE, *BETTER, *AMOUNT, ON_PALE], [*DARK_WORSE, *DARK_BETTER, *DARK_AMOUNT, ON_DARK], strict=True))
"""The colour that replaces each colour on a dark page."""


def share_colour(percent: float) -> str:
    """Return the colour of a share in percent: orange above a half, purple below."""
    return (BETTER if percent >= 50 else WORSE)[round(STEPS * abs(percent - 50) / 50)]


def draw_cells(
    axes: Axes, values: npt.NDArray[np.float64], colour: Callable[[float], str], text: Callable[[int, int], str]
) -> None:
    """Draw a cell for each value that is not NaN. `text` returns what is written in a cell."""
    from matplotlib.patches import Rectangle

    rows, cols = values.shape
    for i, j in np.argwhere(~np.isnan(values)).tolist():
        filled = colour(float(values[i, j]))
        axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=filled, linewidth=0, clip_on=False))
        light = sum(bytes.fromhex(filled[1:])) > 3 * 140
        axes.text(j, i, text(i, j), ha="center", va="center", fontsize=9, color=ON_PALE if light else ON_DARK)
    axes.set(xlim=(-0.5, cols - 0.5), ylim=(rows - 0.5, -0.5))
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
