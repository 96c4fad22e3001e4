"""`basic`: one clue at a time.

A clue with as many covered neighbours as missing mines proves them all mines; a clue without missing mines proves them
all safe. Proven cells are used for the next clues, until no clue proves another cell. If no cell is proven safe, a
random cell is opened.

With `scope: last` the agent uses only the clues that its last turn opened, never older ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from sweepstakes import Agent, View, hookimpl
from sweepstakes.inference import Knowledge
from sweepstakes.plugins.agents._deducer import Deducer


class Basic(Deducer):
    """Flags and opens the cells that a single clue proves, else opens a random covered cell."""

    version = 1

    def __init__(self, scope: Literal["all", "last"] = "all") -> None:
        self.scope = scope
        self._seen = b""

    def deduce(self, view: View) -> Knowledge:
        """The cells that follow from single clues."""
        if self.scope == "all":
            return Knowledge.of(view)
        before = np.frombuffer(self._seen, np.int8).reshape(view.rows, view.cols) if self._seen else view.shown * 0 - 1
        self._seen = view.data
        return Knowledge.of(view, ignore=before >= 0)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `basic`."""
    return {"basic": Basic}
