"""`ibm`: proof by contradiction.

Where single equations prove nothing, the agent assumes that a covered cell is a mine. It begins with the least involved
cell, the one that appears in the fewest equations. It inserts the assumption into all equations, solves those that
become trivial, and repeats this. If cell 4 is assumed to be a mine, 4 + 1 + 2 = 1 becomes 1 + 2 = 0, so 1 and 2 are
safe. If the value of an equation falls below 0 or rises above its number of cells, that is a contradiction, and the
assumed mine is safe. Unless `one_sided` is set, the agent also makes the opposite assumption: if a safe cell leads to a
contradiction, the cell is a mine. If no cell leads to a contradiction, the agent opens a random cell.

The report makes one assumption, that the least involved cell is a mine, and then opens a random cell. Trying every cell
until nothing new is proven is our decision. With `tries` the agent makes at most `tries` assumptions in a turn and
opens the first cell that it proves safe: `ibm(tries=1)` is the report's agent. `order` decides which cells are assumed
first: the `least` or the `most` involved, or `random` ones. Without `tries` the order changes nothing, since every cell
is tried.

The method is neither weaker nor stronger than subtraction. It solves A + B + C = 1, B + D + E = 2, C + D + E = 2, where
no difference of two equations is trivial. It misses the mine D in A + B + C = 1, A + B + C + D = 2, where no assumption
leads to a contradiction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np

from sweepstakes import Agent, Cell, ParameterError, Rng, Turn, View, hookimpl
from sweepstakes.game.codes import FLAG, WITHHELD
from sweepstakes.inference import Knowledge, evidence
from sweepstakes.inference.deduction import contradictions
from sweepstakes.plugins.agents._deducer import Deducer
from sweepstakes.plugins.agents._guessing import Flat, GuessRule, flagging

Order = Literal["least", "most", "random"]


class Ibm(Deducer):
    """Proves cells by contradiction, else opens a random covered cell."""

    version = 1

    def __init__(
        self,
        one_sided: bool = False,
        guess: GuessRule = "random",
        tries: int | None = None,
        order: Order = "least",
    ) -> None:
        super().__init__(guess)
        if tries is not None and tries < 1:
            raise ParameterError(f"tries {tries}: expected at least 1")
        self.one_sided = one_sided
        self.tries = tries
        self.order: Order = order

    def deduce(self, view: View) -> Knowledge:
        """Return the cells that follow from single equations, with and without an assumption."""
        return Knowledge.of(view, contradictions, self.one_sided)

    def act(self, view: View) -> Turn:
        """Return all proven cells, or a guess; with `tries`, open the first cell that an assumption proves safe."""
        if self.tries is None:
            return super().act(view)
        known = Knowledge.of(view)
        if known.safe.size or not known.unknown:
            return self.turn(view, known)
        position, refuted = flagging(view, known.mines), []
        for count, tried in enumerate(assumptions(position, self.order, self.rng, self.one_sided), 1):
            if tried.refuted:
                refuted.append(tried)
            if count == self.tries or (tried.refuted and tried.mine):
                break
        mines = _flat([tried.cell for tried in refuted if not tried.mine], view)
        safe = _flat([tried.cell for tried in refuted if tried.mine], view)
        later = flagging(position, mines)
        turn = Turn(open=safe, why="proof") if safe.size else self.turn(later, Knowledge.of(later))
        flags = np.concatenate([known.mines, mines, np.asarray(turn.flag, np.int64)])
        proofs = self._evidence(view, known, turn, flags) if self.explain else None
        return turn._replace(flag=flags, evidence=proofs)

    def _evidence(self, view: View, known: Knowledge, turn: Turn, flags: Flat) -> dict[Cell, list[Cell]]:
        """Return the clues that prove each cell of the turn, ignoring clues that contradict each other."""
        shown = np.where(known.discarded(), np.int8(WITHHELD), view.shown)
        opens = np.asarray(turn.open, np.int64) if turn.why == "proof" else flags[:0]
        return dict(evidence(shown, None, opens, flags))


class Assumption(NamedTuple):
    """An assumption about one cell."""

    cell: Cell
    mine: bool
    """Whether the cell was assumed to be a mine; otherwise it was assumed to be safe."""
    refuted: bool
    """Whether single equations led to a contradiction."""


def assumptions(view: View, order: Order, rng: Rng, one_sided: bool) -> Iterator[Assumption]:
    """Assume that one cell after another is a mine, then safe (unless `one_sided`), and yield each outcome.

    Only cells that appear in an equation are tried. Single equations must prove nothing in `view`.
    """
    involved: dict[Cell, int] = {}
    left_out = Knowledge.of(view).discarded()
    for clue in view.open():
        if view.clue(clue) is not None and not left_out[clue]:
            for cell in view.neighbours(clue):
                if view.is_covered(cell):
                    involved[cell] = involved.get(cell, 0) + 1
    cells = sorted(involved)
    if order == "random":
        for last in range(len(cells) - 1, 0, -1):
            other = rng.below(last + 1)
            cells[last], cells[other] = cells[other], cells[last]
    else:  # the sort is stable, so ties stay row by row
        cells.sort(key=lambda cell: involved[cell] if order == "least" else -involved[cell])
    before = int(left_out.sum())
    for cell in cells:
        for mine in (True,) if one_sided else (True, False):
            shown = view.shown.copy()
            shown[cell] = FLAG if mine else WITHHELD
            refuted = int(Knowledge.of(view._replace(data=shown.tobytes())).discarded().sum()) > before
            yield Assumption(cell, mine, refuted)
            if refuted:
                break


def _flat(cells: list[Cell], view: View) -> Flat:
    return np.array([cell.row * view.cols + cell.col for cell in cells], np.int64)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `ibm`."""
    return {"ibm": Ibm}
