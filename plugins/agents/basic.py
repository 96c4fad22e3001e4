"""`basic`: one clue at a time.

A clue with as many covered neighbours as missing mines proves that they are all mines. A clue without missing mines
proves that they are all safe. Proven cells count for the other clues, until no clue proves another cell. If no cell is
proven safe, the agent opens a random one.

With `scope: last` the agent uses only the clues that its last turn opened, never older ones. With `scope: click` it
opens one cell per turn and looks at the clue of that cell only, once, with everything it knows by then. Cells proven
safe are queued and opened in the order of their proofs. It never looks at clues that a flood opened: play it with
`flood: false`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from sweepstakes import Agent, Cell, Turn, View, hookimpl
from sweepstakes.game.codes import COVERED, WITHHELD
from sweepstakes.inference import Knowledge
from sweepstakes.plugins.agents._deducer import Deducer
from sweepstakes.plugins.agents._guessing import GuessRule


class Basic(Deducer):
    """Flags and opens the cells that a single clue proves, else opens a random covered cell."""

    version = 1

    def __init__(self, scope: Literal["all", "last", "click"] = "all", guess: GuessRule = "random") -> None:
        super().__init__(guess)
        self.scope = scope
        self._seen = b""
        self._clicked: int | None = None
        self._proven: dict[Cell, list[Cell]] = {}

    def deduce(self, view: View) -> Knowledge:
        """Return the cells that follow from single clues."""
        if self.scope == "all":
            return Knowledge.of(view)
        if self.scope == "click":
            return Knowledge.of(view, ignore=np.arange(view.shown.size).reshape(view.shown.shape) != self._clicked)
        before = np.frombuffer(self._seen, np.int8).reshape(view.rows, view.cols) if self._seen else view.shown * 0 - 1
        self._seen = view.data
        return Knowledge.of(view, ignore=before >= 0)

    def act(self, view: View) -> Turn:
        """Return all proven cells, or a guess; with `scope: click`, open one proven cell, or guess."""
        if self.scope != "click":
            return super().act(view)
        if self._clicked is None and view.rules.start is not None:
            self._clicked = view.rules.start[0] * view.cols + view.rules.start[1]
        known = self.deduce(self._with_facts(view))
        evidence = known.evidence()
        self._proven |= {cell: evidence[cell] for cell in known.cells_of(known.safe)}
        waiting = [cell for cell in self._proven if view.is_covered(cell)]
        if not waiting:
            turn = self.turn(view, known)
        else:
            first, mines = waiting[0], known.mines
            proofs = {cell: evidence[cell] for cell in known.cells_of(mines)} | {first: self._proven[first]}
            chosen = np.array([first.row * view.cols + first.col])
            turn = Turn(open=chosen, flag=mines, why="proof", evidence=proofs if self.explain else None)
        self._clicked = int(np.asarray(turn.open)[0]) if len(turn.open) else None
        return turn

    def _with_facts(self, view: View) -> View:
        """Return the view with the cells that are proven safe and still covered as open cells without a clue."""
        if not self._proven:
            return view
        shown = view.shown.copy()
        for cell in self._proven:
            if shown[cell] == COVERED:
                shown[cell] = WITHHELD
        return view._replace(data=shown.tobytes())


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `basic`."""
    return {"basic": Basic}
