"""A slow twin of the exact engine in whole numbers and fractions, and brute force for small positions.

Nothing here is shared with the engine: single cells instead of groups, no propagation, dictionaries of tuples
instead of packed keys, and numbers without rounding. It also makes positions by playing.
"""

import math
import random
from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD

Number = int | Fraction
State = tuple[tuple[int, ...], int]  # mines so far of every active clue, and in all
Shown = npt.NDArray[np.int8]


class Clue(NamedTuple):
    cells: tuple[int, ...]
    weight: tuple[Number, ...]  # by the number of mines among the cells


class Exact(NamedTuple):
    """Probabilities by flat cell (None: no probability). `total` is 0 if no layout is consistent."""

    probability: dict[int, Fraction | None]
    total: Number


class Brute(NamedTuple):
    """Probability and certainty (1 safe, 2 mine) of every cell. `total` is 0 if no layout is consistent."""

    probability: npt.NDArray[np.float64]
    certain: npt.NDArray[np.int8]
    total: float


def neighbours(rows: int, cols: int, at: int) -> list[int]:
    r, c = divmod(at, cols)
    return [
        i * cols + j
        for i in range(max(0, r - 1), min(rows, r + 2))
        for j in range(max(0, c - 1), min(cols, c + 2))
        if (i, j) != (r, c)
    ]


def read(
    shown: Shown, noise: npt.NDArray[np.float64] | None, trust_flags: bool
) -> tuple[list[int], int, list[Clue], Number]:
    """Return (unknown cells, known mines, clues with information, weight of the clues without)."""
    rows, cols = shown.shape
    codes = [int(code) for code in shown.reshape(-1)]
    known = {i for i, code in enumerate(codes) if code == DETONATED or (code == FLAG and trust_flags)}
    unknown = [i for i, code in enumerate(codes) if code < 0 and i not in known]
    clues = []
    factor: Number = 1
    for at, code in enumerate(codes):
        if code < 0 or code > WITHHELD or (code == WITHHELD and noise is None):
            continue
        around = neighbours(rows, cols, at)
        mines = sum(i in known for i in around)
        cells = tuple(i for i in around if codes[i] < 0 and i not in known)
        weight: list[Number]
        if noise is None:
            weight = [int(mines + v == code) for v in range(len(cells) + 1)]
        else:
            column = noise[len(around), :, code]
            if not column[: len(around) + 1].any():
                continue
            weight = [Fraction(float(column[mines + v])) for v in range(len(cells) + 1)]
        if all(w == weight[0] for w in weight):
            factor *= weight[0]
        else:
            clues.append(Clue(cells, tuple(weight)))
    return unknown, len(known), clues, factor


def simplify(clues: list[Clue]) -> tuple[dict[int, int], list[Clue]]:
    """Settle cells that a single clue decides, until no clue does. Return (values, clues on the remaining cells)."""
    value: dict[int, int] = {}
    while True:
        before = len(value)
        left = []
        for clue in clues:
            cells = tuple(cell for cell in clue.cells if cell not in value)
            mines = sum(value.get(cell, 0) for cell in clue.cells)
            weight = clue.weight[mines : mines + len(cells) + 1]
            possible = [v for v, w in enumerate(weight) if w]
            if possible in ([0], [len(cells)]):
                value.update(dict.fromkeys(cells, int(possible != [0])))
            left.append(Clue(cells, weight))
        if len(value) == before:
            return value, left


def components(clues: list[Clue]) -> list[tuple[list[int], list[Clue]]]:
    seeing: dict[int, list[int]] = defaultdict(list)
    for k, clue in enumerate(clues):
        for cell in clue.cells:
            seeing[cell].append(k)
    left = set(range(len(clues)))
    parts = []
    while left:
        todo = [min(left)]
        inside = set(todo)
        while todo:
            for cell in clues[todo.pop()].cells:
                new = set(seeing[cell]) - inside
                inside |= new
                todo += new
        left -= inside
        own = [clues[k] for k in sorted(inside)]
        parts.append((sorted({cell for clue in own for cell in clue.cells}), own))
    return parts


def eliminate(
    cells: list[int], clues: list[Clue], odds: Number, outside: dict[int, Number] | None
) -> tuple[dict[int, Number], dict[int, tuple[Number, Number]]]:
    """Return the weights of a component's solutions by mines; with `outside`, also (safe, mine) weights per cell."""
    seeing: dict[int, list[int]] = defaultdict(list)
    for k, clue in enumerate(clues):
        for cell in clue.cells:
            seeing[cell].append(k)
    # Begin at a far end: a front that grows from the middle has two sides.
    far = cells[0]
    for _ in range(2):
        order = [far]
        reached = {far}
        for cell in order:
            near = sorted({c for k in seeing[cell] for c in clues[k].cells} - reached)
            reached.update(near)
            order += near
        far = order[-1]
    waiting = set(cells)
    rest = [len(clue.cells) for clue in clues]
    active: tuple[int, ...] = ()
    layer: dict[State, Number] = {((), 0): 1}
    steps = []
    while waiting:

        def growth(cell: int, active: tuple[int, ...] = active) -> tuple[int, int, int]:
            opened = sum(k not in active for k in seeing[cell])
            closed = sum(rest[k] == 1 for k in seeing[cell])
            return opened - closed, min(rest[k] for k in seeing[cell]), cell

        touched = {c for k in active for c in clues[k].cells} & waiting
        cell = min(touched, key=growth) if touched else far
        waiting.remove(cell)
        for k in seeing[cell]:
            rest[k] -= 1
        after = tuple(k for k in sorted({*active, *seeing[cell]}) if rest[k] > 0)
        arcs = []
        new: dict[State, Number] = defaultdict(int)
        for (state, mines), value in layer.items():
            for mine in (0, 1):
                count = dict(zip(active, state, strict=True))
                weight: Number = odds if mine else 1
                for k in seeing[cell]:
                    count[k] = count.get(k, 0) + mine
                    if rest[k] == 0:
                        weight *= clues[k].weight[count[k]]
                    elif not any(clues[k].weight[count[k] : count[k] + rest[k] + 1]):
                        weight = 0
                if weight:
                    to = (tuple(count[k] for k in after), mines + mine)
                    new[to] += value * weight
                    arcs.append(((state, mines), mine, weight, to))
        steps.append((cell, layer, arcs))
        layer = dict(new)
        active = after
    total = {mines: value for (_, mines), value in layer.items()}
    if outside is None:
        return total, {}
    back: dict[State, Number] = {((), mines): outside.get(mines, 0) for mines in total}
    result = {}
    for cell, values, arcs in reversed(steps):
        weigh: list[Number] = [0, 0]
        before: dict[State, Number] = defaultdict(int)
        for source, mine, weight, to in arcs:
            if back.get(to):
                before[source] += weight * back[to]
                weigh[mine] += values[source] * weight * back[to]
        result[cell] = (weigh[0], weigh[1])
        back = before
    return total, result


def times(a: dict[int, Number], b: dict[int, Number]) -> dict[int, Number]:
    c: dict[int, Number] = defaultdict(int)
    for (i, x), (j, y) in product(a.items(), b.items()):
        c[i + j] += x * y
    return c


def exact(
    shown: Shown,
    mines: int | None,
    *,
    noise: npt.NDArray[np.float64] | None = None,
    trust_flags: bool = True,
    prior: float | None = None,
    weighting: str = "layouts",
) -> Exact:
    """Return what `posterior` computes, without rounding."""
    unknown, known, clues, factor = read(shown, noise, trust_flags)
    seen = {cell for clue in clues for cell in clue.cells}
    value, clues = simplify(clues)
    for clue in clues:
        if not any(clue.weight):
            return Exact({}, 0)
        if not clue.cells:
            factor *= clue.weight[0]
    known += sum(value.values())
    parts = components([clue for clue in clues if clue.cells])
    free = [cell for cell in unknown if cell not in seen]
    odds: Number = 1
    if prior is not None:
        odds = Fraction(prior) / (1 - Fraction(prior))
    polys = [eliminate(cells, own, odds, None)[0] for cells, own in parts]

    def ways(placed: int) -> int:
        if mines is None:
            return 1
        k = mines - known - placed
        if not 0 <= k <= len(free):
            return 0
        return math.comb(len(free), k) if weighting == "layouts" else 1

    if prior is not None:
        factor *= odds ** sum(value.values())
    suffix: list[dict[int, Number]] = [{0: 1}]
    for poly in reversed(polys):
        suffix.append(times(suffix[-1], poly))
    suffix.reverse()
    total: Number = sum(v * ways(t) for t, v in suffix[0].items()) * factor
    if prior is not None:
        total *= (1 - Fraction(prior)) ** len(seen)
    probability: dict[int, Fraction | None] = {cell: Fraction(mine) for cell, mine in value.items()}
    if total == 0:
        return Exact({}, 0)
    prefix: dict[int, Number] = {0: 1}
    for i, (cells, own) in enumerate(parts):
        others = times(prefix, suffix[i + 1])
        outside = {m: sum(v * ways(t + m) for t, v in others.items()) for m in polys[i]}
        for cell, (safe, mine) in eliminate(cells, own, odds, outside)[1].items():
            probability[cell] = Fraction(mine) / (safe + mine)
        prefix = times(prefix, polys[i])
    rest: Fraction | None = None
    if mines is None:
        rest = None if prior is None else Fraction(prior)
    elif free:
        weighed = sum(v * ways(t) * (mines - known - t) for t, v in suffix[0].items())
        rest = Fraction(weighed) / (len(free) * sum(v * ways(t) for t, v in suffix[0].items()))
    probability.update(dict.fromkeys(free, rest))
    return Exact(probability, total)


def brute(
    shown: Shown,
    mines: int | None,
    *,
    noise: npt.NDArray[np.float64] | None = None,
    trust_flags: bool = True,
    prior: float | None = None,
) -> Brute:
    """Return what `posterior` computes, by trying every layout of the unknown cells."""
    unknown, known, clues, factor = read(shown, noise, trust_flags)
    n = len(unknown)
    layouts = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
    weight = np.full(1 << n, float(factor))
    count = layouts.sum(axis=1)
    if mines is not None:
        weight *= count == mines - known
    if prior is not None:
        weight *= prior**count * (1 - prior) ** (n - count)
    where = {cell: i for i, cell in enumerate(unknown)}
    for clue in clues:
        inside = layouts[:, [where[cell] for cell in clue.cells]].sum(axis=1)
        weight *= np.array([float(w) for w in clue.weight])[inside]
    total = weight.sum()
    probability = np.full(shown.size, np.nan)
    certain = np.zeros(shown.size, dtype=np.int8)
    if total > 0:
        probability[unknown] = weight @ layouts / total
        ways = (weight > 0) @ layouts
        certain[unknown] = np.where(ways == 0, 1, np.where(ways == (weight > 0).sum(), 2, 0))
    return Brute(probability.reshape(shown.shape), certain.reshape(shown.shape), float(total))


def logarithm(number: Number) -> float:
    """Return the natural logarithm of a number that may be too large for a float."""
    fraction = Fraction(number)

    def log(whole: int) -> float:
        shift = max(0, whole.bit_length() - 900)
        return math.log(whole >> shift) + shift * math.log(2)

    return log(fraction.numerator) - log(fraction.denominator)


def counts(mine: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
    padded = np.pad(mine.astype(np.int8), 1)
    rows, cols = mine.shape
    around = [padded[i : i + rows, j : j + cols] for i in range(3) for j in range(3) if (i, j) != (1, 1)]
    total: npt.NDArray[np.int8] = np.sum(around, axis=0, dtype=np.int8)
    return total


def midgame(rows: int, cols: int, mines: int, seed: int, opened: float) -> Shown:
    """Return a position in the middle of a game: floods from safe cells until a share `opened` of the board is open."""
    rng = random.Random(seed)
    flat = [i < mines for i in range(rows * cols)]
    rng.shuffle(flat)
    mine = np.array(flat).reshape(rows, cols)
    clue = counts(mine)
    shown = np.full((rows, cols), COVERED, dtype=np.int8)
    safe = [i for i in range(rows * cols) if not flat[i]]
    # Zeros first: play opens areas, not single cells.
    safe.sort(key=lambda i: (clue.reshape(-1)[i] > 0, rng.random()))
    for start in safe:
        if (shown >= 0).mean() >= opened:
            break
        todo = [start]
        while todo:
            at = todo.pop()
            r, c = divmod(at, cols)
            if shown[r, c] >= 0:
                continue
            shown[r, c] = clue[r, c]
            if clue[r, c] == 0:
                todo += neighbours(rows, cols, at)
    return shown
