"""The look of an agent: a colour, a marker and a dash, the same in plots, on pages and in the arena."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#3A3A3A")
"""The colours of Okabe and Ito, distinguishable with any colour vision, without yellow, which is too pale for lines."""
DARK_COLOURS = ("#4AA8E0", "#F2854A", "#2BC79B", "#E3A3C4", "#F2B93B", "#9AD4F7", "#C9C9C9")
"""The same colours for a dark background, in the same order."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p", "d", "8")
"""In matplotlib's letters."""
DASHES = 4
"""The number of line styles."""
FIXED = (
    ("champion", "exact", "improved-probabilistic", "probabilistic", "chain", "basic", "random")
    + ("learned", "triples", "triples-global", "ibm", "local-probability", "knowledge-base")
)  # fmt: skip
"""The built-in agents that look the same in every tournament, by their places in the list of looks."""


class Look(NamedTuple):
    """The look of an agent: indices in the lists of colours and dashes, and a marker."""

    colour: int
    marker: str
    dash: int


def agent_looks(agents: Sequence[str]) -> dict[str, Look]:
    """Return a look for each agent of a tournament, by label.

    Agents in `FIXED` have a fixed look. The others get the free looks in the order of the tournament. After seven
    agents the colours repeat with a different dash.
    """
    places = {agent: FIXED.index(agent) for agent in agents if agent in FIXED}
    free = (place for place in range(len(FIXED) + len(agents)) if place not in set(places.values()))
    places |= {agent: next(free) for agent in agents if agent not in FIXED}
    colours, markers = len(COLOURS), len(MARKERS)
    return {
        agent: Look(place % colours, MARKERS[place % markers], place // colours % DASHES)
        for agent, place in places.items()
    }
