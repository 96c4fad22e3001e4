"""`learned`: a small convolutional network that was trained on exact mine probabilities.

The network looks at the active cells only: clues with covered neighbours, and those neighbours. A clue enters as the
number of mines that it still lacks, which is what it shows less the flags and detonated mines around it; a covered cell
enters with what is known of the whole board: mines left, covered cells that no clue sees, and the density of both. Ten
layers of 3 x 3 convolutions with rectifiers, two to a residual block, pass over them, and an output gives each covered
cell at the frontier its mine probability. The cells that no clue sees share the mines that the frontier leaves.

    1 1 1        the clues 1 1 1 look at three covered cells below them: the one in the middle is the mine
    . . .

Cells of nearly no probability are opened, and cells of nearly 1 are flagged, after which the network looks again. When
there is nothing to open in that way, the cell of the least probability is. Nothing is called proven: a network has
seen much and knows nothing.

It was trained by `examples/learning/train.py`, which takes positions and their exact probabilities from
`sweepstakes.learning.positions`. When it plays, no inference takes place but the network's own sums, in double
precision and in a fixed order, so that it plays the same everywhere.
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
"""Below the one probability a cell is opened with others, above the other it is flagged."""

EQUAL = 1e-9
"""Probabilities this near count as equal; of two such cells the one with fewer covered neighbours is opened."""

KINDS = 11
"""The kinds of active cells: 1 to 9 for a clue that lacks 0 to 8 mines, and a covered cell; 0 is no cell."""
COVERED_CELL = 10
COUNTS = 16
"""Counts of the whole board are distinguished up to this number minus 1."""

Floats = npt.NDArray[np.float64]


class Network(NamedTuple):
    """The weights, in the order in which the kernels take them."""

    kind: Floats
    """[kind, channel]: what an active cell begins with."""
    left: Floats
    """[mines left, channel]: what is added to a covered cell for the mines left on the whole board."""
    rest: Floats
    """[cells, channel]: the same for the covered cells that no clue sees."""
    density: Floats
    """[channel]: the same, times mines left / covered cells."""
    weights: Floats
    """[layer, neighbour, channel from, channel to]: the convolutions; the neighbours row by row."""
    biases: Floats
    """[layer, channel]."""
    out: Floats
    """[channel and 1]: the logit of a cell; the last number is added."""

    @classmethod
    def load(cls, path: Path) -> Network:
        """The weights in a file, widened to double precision."""
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

    Writes for each its flat index, its kind, and which active cells are in the three by three cells around it, -1 where
    none is; for each cell of the board its place in the list, or -1. Returns how many cells are active, are covered,
    are both, and how many mines are left.
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
        """Add the weights times a value, number by number: the same sums, and not as slow as Python's loops."""
        total += value * weights
else:

    @inner
    def _add(total: Floats, value: float, weights: Floats) -> None:
        """Add the weights times a value, number by number."""
        for to in range(total.size):
            total[to] += value * weights[to]


@inner
def _convolve(
    active: int, near: npt.NDArray[np.int32], weights: Floats, bias: Floats, given: Floats, out: Floats
) -> None:
    """One layer: add to `out` the bias and the weighted sums of `given` around each active cell, then rectify."""
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
    """1 / (1 + exp(-z)) by multiplications and additions alone: a library's exp differs from machine to machine."""
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
    """Write the mine probability of every covered cell, as the network sees it; other cells keep what they have."""
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
    """The cell that shows `code` and is least likely a mine, then with the fewest such neighbours; -1 if none is."""
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
    """Opens what a small trained network takes for safe, flags what it takes for mines, else opens the safest cell."""

    version = 1

    def act(self, view: View) -> Turn:
        """The cells that the network is nearly sure of, or the cell that it thinks safest."""
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
            shown.reshape(-1)[mines] = FLAG  # and look again: every clue around knows more now
        flag = np.concatenate(flagged)
        if safe.size:
            return Turn(open=safe, flag=flag, why="guess", probability=float(chance.reshape(-1)[safe].max()))
        cell = int(_least(shown, chance, COVERED))
        if cell >= 0:
            return Turn(open=np.array([cell]), flag=flag, why="guess", probability=float(chance.flat[cell]))
        return self._doubt(view, flag)

    def _doubt(self, view: View, flag: npt.NDArray[np.int64]) -> Turn:
        """Every covered cell is taken for a mine: flag them, and if the game goes on after that, open a flagged one."""
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
        """The mine probability of every covered cell, as the network sees it."""
        chance = np.ones(shown.shape)
        probabilities(shown, mines, *network(), chance)
        return chance


@cache
def network() -> Network:
    """The weights that come with the agent, loaded once."""
    return Network.load(WEIGHTS)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `learned`."""
    return {"learned": Learned}
