"""`learned`: a small convolutional network that was trained on exact mine probabilities.

The network looks only at active cells: clues with covered neighbours, and those neighbours. The input for a clue is the
number of its missing mines: the number that it shows minus the flags and detonated mines around it. The input for a
covered cell describes the whole board: the mines left, the covered cells without a clue, and the share of mines among
the covered cells. Ten layers of 3 x 3 convolutions with rectifiers follow, two to a residual block. The output is a
mine probability for each covered cell at the frontier. The cells without a clue share the remaining expected mines.

    1 1 1        the clues 1 1 1 have three covered cells below them: the one in the middle is the mine
    . . .

The agent opens cells with a probability near 0. It flags cells with a probability near 1, after which the network looks
again. If no probability is near 0, it opens the cell with the lowest one. It never calls a cell proven, because a
network only estimates.

The network was trained by `examples/learning/train.py`, with positions and exact probabilities from
`sweepstakes.learning.positions`. When it plays, it computes only its own sums, in double precision and in a fixed
order, so it plays the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from sweepstakes import Agent, Turn, View, hookimpl
from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.plugins.agents.exact import first_cell

WEIGHTS = Path(__file__).with_name("learned.npz")
SAFE, MINE = 0.002, 0.995
"""Cells with a probability below `SAFE` are opened together; cells with a probability above `MINE` are flagged."""

EQUAL = 1e-9
"""Maximum difference of equal probabilities; of two such cells the one with fewer covered neighbours is opened."""

KINDS = 11
"""Kinds of active cells: 1 to 9 is a clue with 0 to 8 missing mines, 10 a covered cell; 0 means no cell."""
COVERED_CELL = 10
COUNTS = 16
"""Number of distinct counts of the whole board: larger ones are clipped to `COUNTS - 1`."""

Floats = npt.NDArray[np.float64]


class Network(NamedTuple):
    """The weights, in the order in which the kernels take them."""

    kind: Floats
    """[kind, channel]: the initial state of an active cell."""
    left: Floats
    """[mines left, channel]: added to a covered cell for the mines left on the whole board."""
    rest: Floats
    """[cells, channel]: added to a covered cell for the covered cells without a clue."""
    density: Floats
    """[channel]: added to a covered cell, multiplied by mines left / covered cells."""
    weights: Floats
    """[layer, neighbour, channel from, channel to]: the convolutions; neighbours row by row, the cell included."""
    biases: Floats
    """[layer, channel]."""
    out: Floats
    """[channels + 1]: the weights of a cell's logit, followed by its bias."""

    @classmethod
    def load(cls, path: Path) -> Network:
        """Load the weights from a file and widen them to double precision."""
        with np.load(path, allow_pickle=False) as file:
            return cls(*(np.ascontiguousarray(file[name], np.float64) for name in cls._fields))


@kernel(allocates=False)
def read(
    shown: npt.NDArray[np.int8],
    mines: int,
    index: npt.NDArray[np.int32],
    cells: npt.NDArray[np.int32],
    kinds: npt.NDArray[np.int8],
    near: npt.NDArray[np.int32],
) -> tuple[int, int, int, int]:
    """List the active cells: clues with covered neighbours, and those neighbours.

    For active cell i, `cells[i]` is its flat index on the board, `kinds[i]` its kind, and `near[i]` the places in the
    list of the 3 x 3 cells around it, with -1 for cells that are not active. `index` maps each cell of the board to its
    place in the list, or to -1. Return the number of active cells, covered cells, active covered cells and mines left.
    """
    rows, cols = shown.shape
    active, unknown, frontier, left = 0, 0, 0, mines
    for r in range(rows):
        for c in range(cols):
            index[r * cols + c] = -1
            code = shown[r, c]
            if code == COVERED:
                unknown += 1
            elif code < 0:
                left -= 1
    for r in range(rows):
        for c in range(cols):
            code = shown[r, c]
            if code < 0 or code >= WITHHELD:
                continue
            covered, known = 0, 0
            for y in range(max(r - 1, 0), min(r + 2, rows)):
                for x in range(max(c - 1, 0), min(c + 2, cols)):
                    covered += shown[y, x] == COVERED
                    known += shown[y, x] == FLAG or shown[y, x] == DETONATED
            if covered == 0:
                continue
            index[r * cols + c] = active
            cells[active] = r * cols + c
            kinds[active] = 1 + max(code - known, 0)
            active += 1
            for y in range(max(r - 1, 0), min(r + 2, rows)):
                for x in range(max(c - 1, 0), min(c + 2, cols)):
                    cell = y * cols + x
                    if shown[y, x] == COVERED and index[cell] < 0:
                        index[cell] = active
                        cells[active] = cell
                        kinds[active] = COVERED_CELL
                        active += 1
                        frontier += 1
    for i in range(active):
        r, c = cells[i] // cols, cells[i] % cols
        for k in range(9):
            y, x = r + k // 3 - 1, c + k % 3 - 1
            near[i, k] = index[y * cols + x] if 0 <= y < rows and 0 <= x < cols else -1
    return active, unknown, frontier, left


_add: Callable[[Floats, float, Floats], None]
if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when numba starts

    def _add(total: Floats, value: float, weights: Floats) -> None:
        """Add the weights times a value, element by element: the same sums, but faster than Python's loops."""
        total += value * weights
else:

    @inner
    def _add(total: Floats, value: float, weights: Floats) -> None:
        """Add the weights times a value, element by element."""
        for to in range(total.size):
            total[to] += value * weights[to]


@inner
def _convolve(
    active: int, near: npt.NDArray[np.int32], weights: Floats, bias: Floats, given: Floats, out: Floats
) -> None:
    """Apply one layer: add to `out` the bias and the weighted sums of `given` around each active cell, then rectify."""
    channels = bias.size
    for i in range(active):
        for to in range(channels):
            out[i, to] += bias[to]
        for k in range(9):
            j = near[i, k]
            if j < 0:
                continue
            for channel in range(channels):
                if given[j, channel] != 0.0:
                    _add(out[i], given[j, channel], weights[k, channel])
        for to in range(channels):
            out[i, to] = max(out[i, to], 0.0)


@inner
def _sigmoid(z: float) -> float:
    """Return 1 / (1 + exp(-z)), computed without a library's exp, which differs from machine to machine."""
    x = min(abs(z), 40.0) / 1024.0
    power = 1.0 - x * (1.0 - x / 2.0 * (1.0 - x / 3.0 * (1.0 - x / 4.0)))
    for _ in range(10):
        power *= power
    return power / (1.0 + power) if z < 0.0 else 1.0 / (1.0 + power)


@kernel
def probabilities(
    shown: npt.NDArray[np.int8],
    mines: int,
    kind: Floats,
    left: Floats,
    rest: Floats,
    density: Floats,
    weights: Floats,
    biases: Floats,
    out: Floats,
    probability: Floats,
) -> None:
    """Write the network's mine probability of every covered cell; the values of other cells are not changed."""
    rows, cols = shown.shape
    channels = density.size
    index = np.empty(rows * cols, np.int32)
    cells = np.empty(rows * cols, np.int32)
    kinds = np.empty(rows * cols, np.int8)
    near = np.empty((rows * cols, 9), np.int32)
    active, unknown, frontier, missing = read(shown, mines, index, cells, kinds, near)
    unseen = unknown - frontier
    state = np.empty((active, channels))
    inside = np.empty((active, channels))
    share = max(missing, 0) / max(unknown, 1)
    few, fewer = min(max(missing, 0), COUNTS - 1), min(unseen, COUNTS - 1)
    for i in range(active):
        for channel in range(channels):
            value = kind[kinds[i], channel]
            if kinds[i] == COVERED_CELL:
                value += left[few, channel] + rest[fewer, channel] + share * density[channel]
            state[i, channel] = max(value, 0.0)
    for layer in range(0, weights.shape[0], 2):
        for i in range(active):
            for channel in range(channels):
                inside[i, channel] = 0.0
        _convolve(active, near, weights[layer], biases[layer], state, inside)
        _convolve(active, near, weights[layer + 1], biases[layer + 1], inside, state)
    expected = 0.0
    for i in range(active):
        if kinds[i] == COVERED_CELL:
            z = out[channels]
            for channel in range(channels):
                z += state[i, channel] * out[channel]
            p = _sigmoid(z)
            expected += p
            probability[cells[i] // cols, cells[i] % cols] = p
    if unseen > 0:
        p = min(max((missing - expected) / unseen, 0.0), 1.0)
        for r in range(rows):
            for c in range(cols):
                if shown[r, c] == COVERED and index[r * cols + c] < 0:
                    probability[r, c] = p


@kernel(allocates=False)
def _least(shown: npt.NDArray[np.int8], probability: Floats, code: int) -> int:
    """Return the least likely mine among the cells that show `code`, or -1. Ties go to the fewest such neighbours."""
    rows, cols = shown.shape
    best, chance, fewest = -1, 2.0, 9
    for r in range(rows):
        for c in range(cols):
            p = probability[r, c]
            if shown[r, c] != code or p > chance + EQUAL:
                continue
            around = -1
            for y in range(max(r - 1, 0), min(r + 2, rows)):
                for x in range(max(c - 1, 0), min(c + 2, cols)):
                    around += shown[y, x] == code
            if p < chance - EQUAL or around < fewest:
                best, chance, fewest = r * cols + c, p, around
    return best


class Learned(Agent):
    """Opens cells that a small trained network considers safe and flags likely mines, else opens the safest cell."""

    version = 1

    def act(self, view: View) -> Turn:
        """Return the cells that the network is nearly sure of, or the cell that it considers safest."""
        shown = view.shown.copy()
        if view.rules.first_click != "any" and (shown == COVERED).all():
            return Turn(open=np.array([first_cell(view)]), why="guess", probability=0.0)
        flagged: list[npt.NDArray[np.int64]] = [np.empty(0, np.int64)]
        while True:
            chance = self._look(shown, view.mines)
            covered = shown == COVERED
            safe, mines = np.flatnonzero(covered & (chance < SAFE)), np.flatnonzero(covered & (chance > MINE))
            flagged.append(mines)
            if safe.size or not mines.size:
                break
            shown.reshape(-1)[mines] = FLAG  # then look again: the clues around them have fewer missing mines now
        flag = np.concatenate(flagged)
        if safe.size:
            return Turn(open=safe, flag=flag, why="guess", probability=float(chance.reshape(-1)[safe].max()))
        cell = int(_least(shown, chance, COVERED))
        if cell >= 0:
            return Turn(open=np.array([cell]), flag=flag, why="guess", probability=float(chance.flat[cell]))
        return self._doubt(view, flag)

    def _doubt(self, view: View, flag: npt.NDArray[np.int64]) -> Turn:
        """Flag the last covered cells, which all look like mines. If all are flagged, open the least likely mine."""
        if flag.size:
            return Turn(flag=flag, why="guess")
        shown = view.shown.copy()
        shown[shown == FLAG] = COVERED
        chance = self._look(shown, view.mines)
        cell = int(_least(shown, chance, COVERED))
        if cell < 0:
            return Turn()
        where = np.array([cell])
        return Turn(open=where, unflag=where, why="guess", probability=float(chance.flat[cell]))

    def _look(self, shown: npt.NDArray[np.int8], mines: int) -> Floats:
        """Return the network's mine probability of every covered cell; 1 for the others."""
        chance = np.ones(shown.shape)
        probabilities(shown, mines, *network(), chance)
        return chance


@cache
def network() -> Network:
    """Return the weights that come with the agent, loaded once."""
    return Network.load(WEIGHTS)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `learned`."""
    return {"learned": Learned}
