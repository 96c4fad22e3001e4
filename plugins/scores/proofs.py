"""How often deductions prove a cell safe where single clues do not, and how many provable cells the agent proves.

    pairs-prove             stuck positions (see `stuck`) in which pairs of equations prove a cell safe
    triples-prove           the same for `triples`: three equations at a time
    contradictions-prove    the same for `ibm`, which tries every cell
    chains-prove            the same for `chain`: windows of four clues, and patterns
    assumption-proves       the same for `ibm(tries=1)`: one assumption, that the least involved cell is a mine
    refutable               stuck positions in which assuming some mine leads single clues to a contradiction
    assumptions-least       assumptions made in these until the first contradiction, least involved cells first, summed
    assumptions-most        the same, most involved cells first
    assumptions-random      the same in random order: the expected number
    provable-cells          cells that were not open or flagged in some position in which all clues together proved them
    proven-cells            provable cells that the agent proved in time: flagged, or opened by a proof, floods included
    inferred-cells          cells that the agent proved by clues
    single-clue-cells       inferred cells that a single clue proves, together with the cells proven before

The first nine describe the positions of a game, not its agent. Agents that prove many cells in one turn, or miss
proofs, visit other positions. To compare deductions, let one agent choose the positions: `exact(singles_first=true)`
opens all that single clues prove, and otherwise plays by the posterior. Under clue noise nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sweepstakes import Game, GameResult, MeasuredScore, Score, Size, Turn, View, hookimpl
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.game.result import max_turns
from sweepstakes.game.rng import Rng
from sweepstakes.inference import Knowledge, decide
from sweepstakes.inference.deduction import contradictions, pairs, triples, windows
from sweepstakes.inference.knowledge import Deduction
from sweepstakes.inference.stuck import stuck_position
from sweepstakes.plugins.agents.ibm import assumptions

DEDUCTIONS: dict[str, tuple[Deduction, *tuple[int | bool, ...]]] = {
    "pairs-prove": (pairs, False),
    "triples-prove": (triples,),
    "contradictions-prove": (contradictions, False),
    "chains-prove": (windows, 4, True),
}
"""The deductions that are compared, with their arguments."""


class _Proofs(MeasuredScore):
    needs_evidence = False
    count = True

    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Count what is proven in each position, in one replay of the game."""
        return measure(game, turns)

    def worst(self, result: GameResult) -> float:
        """Return 0."""
        return 0.0

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return 0 and the cells of all turns, since every turn may count every cell."""
        return 0.0, float(max_turns(size.cells) * size.cells)


class _Inferred(_Proofs):
    needs_evidence = True

    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Count the clues that prove each cell, by the evidence of the turns."""
        clues = [len(proof) for turn in turns for proof in (turn.evidence or {}).values() if proof]
        return {"inferred-cells": float(len(clues)), "single-clue-cells": float(clues.count(1))}


def measure(game: Game, turns: Sequence[Turn]) -> dict[str, float]:
    """Return what is proven in each position of a game; `game` must be before its first turn."""
    numbers = dict.fromkeys(_COUNTED, 0.0)
    if not game.noise.exact:
        return numbers
    provable = np.zeros(game.board_ref.size.cells, np.bool_)
    proven = provable.copy()
    for turn in turns:
        view = game.view()
        for name, value in _proven_where_stuck(view):
            numbers[name] += value
        certain = _certain(view)
        provable |= certain
        game.take(turn)
        proven |= certain & _decided(turn, view, game.view())
        if game.over:
            break
    return numbers | {"provable-cells": float(provable.sum()), "proven-cells": float(proven.sum())}


def _proven_where_stuck(view: View) -> Iterator[tuple[str, float]]:
    """Yield what the deductions prove in a position; nothing if single clues prove a cell safe there."""
    shown = stuck_position(view)
    if shown is None:
        return
    for name, (deduction, *arguments) in DEDUCTIONS.items():
        yield name, float(Knowledge.of(view, deduction, *arguments).safe.size > 0)
    position = view._replace(data=shown.tobytes())
    for order in ("least", "most"):
        refuted = [tried.refuted for tried in assumptions(position, order, Rng(0), one_sided=True)]
        if order == "least":
            yield "assumption-proves", float(refuted[0])
        if any(refuted):
            yield f"assumptions-{order}", refuted.index(True) + 1.0
    if any(refuted):
        yield "refutable", 1.0
        yield "assumptions-random", expected_first(sum(refuted), len(refuted))


def expected_first(marked: int, among: int) -> float:
    """Return the expected place, counted from 1, of the first of `marked` items among `among` in random order."""
    return (among + 1) / (marked + 1)


def _certain(view: View) -> npt.NDArray[np.bool_]:
    """Return the covered cells that all clues together prove safe or mines."""
    found = decide(view.shown, None, stop_at_first_safe=False)
    certain = np.zeros(view.shown.size, np.bool_)
    certain[found.safe] = certain[found.mines] = True
    return certain


def _decided(turn: Turn, before: View, after: View) -> npt.NDArray[np.bool_]:
    """Return the cells that a turn flagged, or opened by a proof, floods included."""
    then, now = before.shown.reshape(-1), after.shown.reshape(-1)
    decided: npt.NDArray[np.bool_] = (then == COVERED) & (now == FLAG)
    return decided | ((then < 0) & (now >= 0)) if turn.why == "proof" else decided


_POSITIONS = {
    "pairs-prove": ("Proofs by pairs", "Stuck positions in which pairs of equations prove a cell safe."),
    "triples-prove": ("Proofs by triples", "Stuck positions in which three equations at a time prove a cell safe."),
    "contradictions-prove": ("Proofs by contradiction", "Stuck positions in which some assumption proves a cell safe."),
    "chains-prove": (
        "Proofs by chains",
        "Stuck positions in which chains of four clues, or patterns, prove a cell safe.",
    ),
    "assumption-proves": (
        "Proofs by one assumption",
        "Stuck positions in which one assumption, about the least involved cell, proves it safe.",
    ),
    "refutable": ("Contradictions", "Stuck positions in which the assumption of some mine leads to a contradiction."),
}
"""Scores that count positions: the title and the meaning."""
_ASSUMPTIONS = {
    "assumptions-least": ("Least involved first", "least involved cells first"),
    "assumptions-most": ("Most involved first", "most involved cells first"),
    "assumptions-random": ("In random order", "in random order: the expected number"),
}
"""Scores that count assumptions until the first contradiction: the title and the order."""
_CELLS = {
    "provable-cells": ("Provable cells", "Cells that all clues together proved before they were opened or flagged."),
    "proven-cells": ("Proven cells", "Cells proven by all clues together that the agent proved in time."),
}
_INFERRED = {
    "inferred-cells": ("Inferred cells", "Cells that the agent proved by clues."),
    "single-clue-cells": ("Cells by single clues", "Cells proven by a single clue, with what was proven before."),
}
_COUNTED = [*_POSITIONS, *_ASSUMPTIONS, *_CELLS]


def _scores() -> Iterator[type[_Proofs]]:
    for name, (title, meaning) in _POSITIONS.items():
        yield _score(_Proofs, name, title, "positions", meaning)
    for name, (title, order) in _ASSUMPTIONS.items():
        yield _score(_Proofs, name, title, "assumptions", f"Assumptions until the first contradiction, {order}.")
    for name, (title, meaning) in _CELLS.items():
        yield _score(_Proofs, name, title, "cells", meaning)
    for name, (title, meaning) in _INFERRED.items():
        yield _score(_Inferred, name, title, "cells", meaning)


def _score(base: type[_Proofs], name: str, title: str, unit: str, sentence: str) -> type[_Proofs]:
    """Make a score with this name."""
    return type(name, (base,), {"name": name, "title": title, "unit": unit, "__doc__": sentence})


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer the scores of proofs."""
    return {score.name: score for score in _scores()}
