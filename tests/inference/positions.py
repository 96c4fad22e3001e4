"""Random small positions, for brute force."""

import random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from twin import counts, neighbours

from sweepstakes import Board, Game, Rules, Turn, View
from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.inference import decide
from sweepstakes.noise import EXACT


class Small(NamedTuple):
    shown: npt.NDArray[np.int8]
    mines: int
    noise: npt.NDArray[np.float64] | None
    trust_flags: bool


def random_table(rng: random.Random) -> npt.NDArray[np.float64]:
    """Return likelihoods with gaps: about half of the shown values are impossible for each count."""
    table = np.zeros((9, 9, 10))
    for n in range(9):
        for k in range(n + 1):
            weight = np.array([rng.random() ** 3 if rng.random() < 0.5 else 0.0 for _ in range(10)])
            weight[k] += 0.5
            table[n, k] = weight / weight.sum()
    return table


def small(seed: int, noisy: bool, unknown: int = 12, wrong: float = 0.01) -> Small:
    """Return a position with few unknown cells, with detonations, flags, withheld clues, and sometimes a wrong clue."""
    rng = random.Random(seed)
    rows, cols = rng.randint(1, 6), rng.randint(1, 6)
    cells = rows * cols
    mines = rng.randint(0, cells)
    flat = [i < mines for i in range(cells)]
    rng.shuffle(flat)
    mine = np.array(flat).reshape(rows, cols)
    clue = counts(mine).reshape(-1)
    noise = random_table(rng) if noisy else None
    shown = np.full(cells, COVERED, dtype=np.int8)
    order = list(range(cells))
    rng.shuffle(order)
    share = rng.random()
    for done, at in enumerate(order):
        many = cells - done + np.count_nonzero((shown == COVERED)[order[:done]]) > unknown
        if flat[at]:
            shown[at] = rng.choice([DETONATED, FLAG]) if many or rng.random() < 0.2 else COVERED
        elif many or rng.random() < share:
            k = int(clue[at])
            if noise is not None:
                k = rng.choices(range(10), noise[len(neighbours(rows, cols, at)), k])[0]
            elif rng.random() < 0.1:
                k = WITHHELD
            elif rng.random() < wrong:
                k = rng.randint(0, 8)
            shown[at] = k
    flags = int((shown == FLAG).sum())
    trust = flags + int((shown == COVERED).sum()) > unknown or rng.random() < 0.7
    return Small(shown.reshape(rows, cols), mines, noise, trust)


def stuck_positions(rows: int, cols: int, mines: int, number: int, seed: int = 1) -> list[View]:
    """Yield positions without a certain cell, from games that open the least likely mine, starting in a safe corner."""
    found: list[View] = []
    rng = np.random.default_rng(seed)
    while len(found) < number:
        mined = 1 + rng.permutation(rows * cols - 1)[:mines]
        game = Game(Board.of(rows, cols, [divmod(int(at), cols) for at in mined]), Rules("end"))
        game.take(Turn(open=np.zeros(1, np.int64)))
        while not game.over and len(found) < number:
            view = game.view()
            decision = decide(view.shown, mines)
            if decision.guess >= 0 and rng.random() < 0.5:
                found.append(view)
            game.take(Turn(decision.safe if decision.guess < 0 else np.array([decision.guess]), decision.mines))
    return found


def stuck_mesh(rows: int, cols: int, density: float, covered: float, seed: int) -> View | None:
    """Return a board with random clues, and everything that follows from them opened; None if nothing is left."""
    rng = np.random.default_rng(seed)
    mined = rng.random((rows, cols)) < density
    shown = np.where(mined | (rng.random((rows, cols)) < covered), COVERED, counts(mined)).astype(np.int8)
    mines = int(mined.sum())
    while True:
        decision = decide(shown, mines, stop_at_first_safe=False)
        if not decision.safe.size:
            view = View(rows, cols, mines, Rules("end"), EXACT, shown.tobytes())
            return view if decision.guess >= 0 else None
        shown.reshape(-1)[decision.safe] = counts(mined).reshape(-1)[decision.safe]
