"""Measure positions in which single clues prove no safe cell: the length of the frontier, and the size of proofs.

A position is *stuck* if some clue has unknown neighbours and no safe cell can be proven by single clues, used again and
again. Cells that single clues prove to be mines count as known mines, not as unknown cells.

A proof is irreducible: without any one of its clues it proves nothing. Its cells are the unknown neighbours of its
clues. Proofs are measured only if clues are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.game.cell import Cell, neighbours
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.game.game import Game
from sweepstakes.game.influence_kernels import frontier_sizes
from sweepstakes.game.turn import Cells, Turn
from sweepstakes.game.view import View
from sweepstakes.inference.knowledge import Knowledge
from sweepstakes.inference.posterior import Status, decide
from sweepstakes.inference.proofs import evidence

Shown = npt.NDArray[np.int8]


class StuckPosition(NamedTuple):
    """A stuck position, and what the agent did in it."""

    longest: int
    """Number of clues of the longest connected frontier."""
    whole: int
    """Number of clues of the whole frontier."""
    unknown: float
    """Unknown cells as a share of the board."""
    provable: bool
    """Whether all clues together prove a cell safe."""
    by_count: bool
    """Whether only the clues and the mine count together do."""
    proven: bool
    """Whether the agent opened a cell that it had proven."""
    proofs: list[tuple[int, int]]
    """(clues, cells) of the proof of each cell that the agent proved and that clues alone prove."""


def stuck_positions(game: Game, turns: Iterable[Turn]) -> list[StuckPosition]:
    """Return the stuck positions of a game. `game` is the game before its first turn."""
    found = []
    for turn in turns:
        view = game.view()
        position = stuck_position(view)
        if position is not None:
            found.append(_describe(view, position, turn))
        game.take(turn)
        if game.over:
            break
    return found


def stuck_position(view: View) -> Shown | None:
    """Return the shown codes with flags on the mines that single clues prove, or None if the position is not stuck."""
    known = Knowledge.of(view)
    if known.safe.size:
        return None
    shown = view.shown.reshape(-1).copy()
    shown[known.mines] = FLAG
    position = shown.reshape(view.rows, view.cols)
    return position if frontier_sizes(position)[1] else None


def _describe(view: View, position: Shown, turn: Turn) -> StuckPosition:
    longest, whole = frontier_sizes(position)
    exact = view.noise.exact
    by_clues = decide(position, None, stop_at_first_safe=False) if exact else None
    provable = by_clues is not None and by_clues.safe.size > 0
    by_count = exact and not provable and decide(position, view.mines).safe.size > 0
    proofs = []
    if by_clues is not None and by_clues.status == Status.OK:
        opens = _flat(turn.open, view) if turn.why == "proof" else []
        safe = sorted(set(opens) & set(by_clues.safe.tolist()))
        mines = sorted(set(_flat(turn.flag, view)) & set(by_clues.mines.tolist()))
        proofs = [_size(position, clues) for clues in evidence(position, None, safe, mines).values()]
    proven = turn.why == "proof" and len(turn.open) > 0
    unknown = float((position == COVERED).mean())
    return StuckPosition(longest, whole, unknown, provable, bool(by_count), proven, proofs)


def _size(position: Shown, clues: Sequence[Cell]) -> tuple[int, int]:
    """Return the number of clues of a proof, and the number of their unknown neighbours."""
    rows, cols = position.shape
    cells = {cell for clue in clues for cell in neighbours(rows, cols, *clue) if position[cell] == COVERED}
    return len(clues), len(cells)


def _flat(cells: Cells, view: View) -> list[int]:
    if isinstance(cells, np.ndarray):
        return [int(cell) for cell in cells]
    return [row * view.cols + col for row, col in cells]


def summary(positions: Sequence[StuckPosition]) -> dict[str, float]:
    """Return the measures of a game by the names of their scores; 0 if there is nothing to count."""
    clues = [clues for position in positions for clues, _ in position.proofs]
    cells = [cells for position in positions for _, cells in position.proofs]
    by_count = [position.unknown for position in positions if position.by_count]
    return {
        "stuck": float(len(positions)),
        "stuck-provable": float(sum(position.provable for position in positions)),
        "stuck-proven": float(sum(position.proven for position in positions)),
        "stuck-frontier": float(max((position.longest for position in positions), default=0)),
        "stuck-frontier-mean": _mean([position.longest for position in positions]),
        "stuck-frontier-whole": float(max((position.whole for position in positions), default=0)),
        "stuck-frontier-whole-mean": _mean([position.whole for position in positions]),
        "proof-clues": float(median(clues or [0])),
        "proof-clues-mean": _mean(clues),
        "proof-clues-most": float(max(clues, default=0)),
        "proof-cells": float(median(cells or [0])),
        "proof-cells-mean": _mean(cells),
        "proof-cells-most": float(max(cells, default=0)),
        "count-proofs": float(len(by_count)),
        "count-proofs-left": _mean(by_count),
    }


def _mean(numbers: Sequence[float]) -> float:
    return fmean(numbers) if numbers else 0.0
