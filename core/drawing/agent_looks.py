"""How an agent is drawn: one colour, marker and dash, the same in plots, in pages and in the arena."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#3A3A3A")
"""Okabe and Ito's colours, told apart in every kind of colour vision; without yellow, which is too pale for lines."""
DARK_COLOURS = ("#4AA8E0", "#F2854A", "#2BC79B", "#E3A3C4", "#F2B93B", "#9AD4F7", "#C9C9C9")
"""The same colours for a dark background, in the same order."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p", "d", "8")
"""In matplotlib's letters."""
DASHES = 4
"""How many kinds of lines there are."""
FIXED = (
    ("champion", "exact", "improved-probabilistic", "probabilistic", "chain", "basic", "random")
    + ("learned", "triples", "triples-global", "ibm", "local-probability", "knowledge-base")
)  # fmt: skip
"""The built-in agents that look the same in every tournament, by their places in the list of looks."""


class Look(NamedTuple):
    """How an agent is drawn, as places in the lists of colours and of dashes, and a marker."""

    colour: int
    marker: str
    dash: int


def agent_looks(agents: Sequence[str]) -> dict[str, Look]:
    """A look for each agent of a tournament, by label.

    The agents of `FIXED` have theirs; the others, in the order of the tournament, get those that are free, the first
    ones first. Colours repeat after seven, with another dash.
    """
    places = {agent: FIXED.index(agent) for agent in agents if agent in FIXED}
    free = (place for place in range(len(FIXED) + len(agents)) if place not in set(places.values()))
    places |= {agent: next(free) for agent in agents if agent not in FIXED}
    colours, markers = len(COLOURS), len(MARKERS)
    return {
        agent: Look(place % colours, MARKERS[place % markers], place // colours % DASHES)
        for agent, place in places.items()
    }
