"""Rules for guessing when no cell is proven safe: the parameter `guess` of every deducing agent.

    random        a random cell that is not proven to be a mine
    low-clue      a random cell next to the lowest clue
    unexplored    a random cell among those with the most unknown cells within two steps
    beside-a-clue a random cell next to a clue
    local         a random cell among those with the lowest local probability. Each clue next to a cell gives it a
                  share, the clue's missing mines / unknown cells, and the local probability is the largest share
    accumulated   the cell with the lowest sum of its shares; of several, the one with the fewest unknown neighbours,
                  then the first row by row
    share         the frontier cell that is a mine in the smallest share of the frontier's solutions
    exact         the least likely mine, by the mine count and the likelihoods of the noise

Without clues a rule chooses at random, but `exact` opens a corner. `local` and `accumulated` use the clues that the
agent's deduction uses. `share` and `exact` may find safe cells that the deduction missed, and open them as guesses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from sweepstakes import Rng, Turn, View
from sweepstakes.game.codes import FLAG, WITHHELD
from sweepstakes.inference import Decision, Knowledge, Status, decide

GuessRule = Literal["random", "low-clue", "unexplored", "beside-a-clue", "local", "accumulated", "share", "exact"]

Flat = npt.NDArray[np.int64]
NO_CLUE = 99
"""Stands for the lowest clue next to a cell without clues. It is larger than every clue."""


def guess(rule: GuessRule, view: View, known: Knowledge, rng: Rng) -> Turn:
    """Return a turn that opens one cell by `rule`; `known` must prove no cell safe and leave some cells unknown."""
    if rule == "random":
        return opening(known.nth_unknown(rng.below(known.unknown)))
    if rule == "low-clue":
        return opening(_any(_beside_the_lowest_clue(view, known.rest()), rng))
    if rule == "unexplored":
        return opening(_any(_least_explored(view, known.rest()), rng))
    if rule == "beside-a-clue":
        frontier = beside_clues(view, known.rest())
        return opening(_any(frontier if frontier.size else known.rest(), rng))
    if rule in ("share", "exact"):
        position = flagging(view, known.mines).shown
        found = _by_share(position, known) if rule == "share" else _by_posterior(position, view)
        if found.status != Status.INCONSISTENT:
            return _least(found, known, rng)._replace(fallback=found.status != Status.OK)
    cells, chance = known.least_local(accumulate=rule == "accumulated")
    if not cells.size:
        return guess("random", view, known, rng)
    cell = known.least_involved(cells) if rule == "accumulated" else _any(cells, rng)
    return opening(cell, min(chance, 1.0))


def local_probabilities(view: View, known: Knowledge, *, accumulate: bool) -> npt.NDArray[np.float64]:
    """Return the local probability of every unknown cell, at most 1; NaN for cells without a clue.

    Proven cells have 0 or 1. `Knowledge.least_local` finds the minimum of the same numbers.
    """
    mines, safe = ({*view.flagged(), *view.detonated(), *known.cells_of(known.mines)}, set(known.cells_of(known.safe)))
    chance = np.full(view.shown.shape, np.nan)
    left_out = known.discarded()
    for clue in view.open():
        value = view.clue(clue)
        around = view.neighbours(clue)
        unknown = [cell for cell in around if view.is_covered(cell) and cell not in mines and cell not in safe]
        if value is None or left_out[clue] or not unknown:
            continue
        share = (value - sum(cell in mines for cell in around)) / len(unknown)
        for cell in unknown:
            before = chance[cell]
            chance[cell] = share if np.isnan(before) else before + share if accumulate else max(before, share)
    for cells, certain in ((mines, 1.0), (safe, 0.0)):
        for cell in cells:
            if view.is_covered(cell):
                chance[cell] = certain
    limited: npt.NDArray[np.float64] = np.minimum(chance, 1.0)
    return limited


def opening(cell: int, probability: float | None = None) -> Turn:
    """Return a turn that opens one cell: a guess if `probability` is passed, else a random choice."""
    cells = np.array([cell], np.int64)
    if probability is None:
        return Turn(open=cells, why="random")
    return Turn(open=cells, why="guess", probability=probability)


def flagging(view: View, mines: Flat) -> View:
    """Return the view with flags on `mines`."""
    if not mines.size:
        return view
    shown = view.shown.reshape(-1).copy()
    shown[mines] = FLAG
    return view._replace(data=shown.tobytes())


def _any(cells: Flat, rng: Rng) -> int:
    return int(cells[rng.below(cells.size)])


def _by_share(position: npt.NDArray[np.int8], known: Knowledge) -> Decision:
    found = decide(position, None, weighting="solutions")
    if found.status == Status.INCONSISTENT:
        found = decide(np.where(known.discarded(), np.int8(WITHHELD), position), None, weighting="solutions")
    return found


def _by_posterior(position: npt.NDArray[np.int8], view: View) -> Decision:
    return decide(position, view.mines, None if view.noise.exact else view.noise.table)


def _least(found: Decision, known: Knowledge, rng: Rng) -> Turn:
    """Return a turn for a decision: open a safe cell, the guess, or else a random cell that is not a certain mine."""
    if found.safe.size:
        return opening(int(found.safe.min()), 0.0)
    if found.guess >= 0:
        return opening(found.guess, min(found.probability, 1.0))
    rest = np.setdiff1d(known.rest(), found.mines)
    return opening(_any(rest if rest.size else known.rest(), rng))


def beside_clues(view: View, unknown: Flat) -> Flat:
    """Return the cells of `unknown` that are next to a clue."""
    beside: Flat = unknown[_lowest_clues(view, unknown) != NO_CLUE]
    return beside


def _beside_the_lowest_clue(view: View, unknown: Flat) -> Flat:
    """Return the cells of `unknown` next to the lowest clue; all of them if there is no clue."""
    lowest = _lowest_clues(view, unknown)
    beside: Flat = unknown[lowest == lowest.min()]
    return beside


def _lowest_clues(view: View, unknown: Flat) -> Flat:
    """Return the lowest clue next to each cell of `unknown`, or `NO_CLUE`."""
    shown = view.shown
    clues = np.where((shown >= 0) & (shown < WITHHELD), shown, NO_CLUE)
    lowest: Flat = np.min([*_shifted(clues, 1, NO_CLUE)], axis=0).reshape(-1)[unknown]
    return lowest


def _least_explored(view: View, unknown: Flat) -> Flat:
    """Return the cells of `unknown` with the most unknown cells within two steps."""
    marked = np.zeros(view.shown.size, np.int64)
    marked[unknown] = 1
    around: Flat = np.sum([*_shifted(marked.reshape(view.shown.shape), 2, 0)], axis=0).reshape(-1)[unknown]
    among: Flat = unknown[around == around.max()]
    return among


def _shifted(board: npt.NDArray[np.generic], reach: int, outside: int) -> Iterator[npt.NDArray[np.generic]]:
    """Yield the board shifted by every step of up to `reach` rows and columns, the zero step included."""
    rows, cols = board.shape
    padded = np.pad(board, reach, constant_values=outside)
    for down in range(2 * reach + 1):
        for right in range(2 * reach + 1):
            yield padded[down : down + rows, right : right + cols]
