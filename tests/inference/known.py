"""Positions with known answers, in `tests/positions/*.jsonl`: one object per line.

`view` is rows of text (`.` covered, digits, `F` flag, `*` detonated, `?` withheld); `mines` the count;
`noise` a model's name and rate or null; `probability` one number per unknown cell in row order, rounded to 12
digits, `safe` and `mine` the certain cells as flat indices, and `log_layouts`. The twin computes all of them
in whole numbers and fractions:

    python tests/inference/known.py     writes the files again
"""

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from twin import exact, logarithm, midgame, neighbours

FOLDER = Path(__file__).parent.parent / "positions"
CODES = {".": -1, "F": -2, "*": -3, "?": 9, **{str(k): k for k in range(9)}}
TEXT = {code: char for char, code in CODES.items()}


def parse(view: list[str]) -> npt.NDArray[np.int8]:
    return np.array([[CODES[char] for char in row] for row in view], dtype=np.int8)


def text(shown: npt.NDArray[np.int8]) -> list[str]:
    return ["".join(TEXT[int(code)] for code in row) for row in shown]


def table(name: str, rate: float) -> npt.NDArray[np.float64]:
    """Return the likelihoods of a model: `hidden` withholds clues other than 0, `liar` is off by one within 1 to n."""
    likely = np.zeros((9, 9, 10))
    for n in range(9):
        likely[n, 0, 0] = 1.0
        for k in range(1, n + 1):
            likely[n, k, k] = 1.0 - rate
            if name == "hidden":
                likely[n, k, 9] = rate
                continue
            near = [s for s in (k - 1, k + 1) if 1 <= s <= n]
            for s in near or [k]:
                likely[n, k, s] += rate / len(near or [k])
    return likely


def noisy(shown: npt.NDArray[np.int8], name: str, rate: float, seed: int) -> npt.NDArray[np.int8]:
    """Return the view as the model would have shown it."""
    rng = np.random.default_rng(seed)
    likely = table(name, rate)
    rows, cols = shown.shape
    flat = shown.reshape(-1).copy()
    for at in np.flatnonzero(flat > 0):
        flat[at] = rng.choice(10, p=likely[len(neighbours(rows, cols, int(at))), flat[at]])
    return flat.reshape(rows, cols)


def record(shown: npt.NDArray[np.int8], mines: int, noise: tuple[str, float] | None) -> dict[str, Any]:
    answer = exact(shown, mines, noise=None if noise is None else table(*noise))
    cells = sorted(answer.probability)
    chance = [answer.probability[cell] for cell in cells]
    return {
        "view": text(shown),
        "mines": mines,
        "noise": noise,
        "probability": [round(float(p if p is not None else Fraction(0)), 12) for p in chance],
        "safe": [cell for cell, p in zip(cells, chance, strict=True) if p == 0],
        "mine": [cell for cell, p in zip(cells, chance, strict=True) if p == 1],
        "log_layouts": round(logarithm(answer.total), 9),
    }


def records(name: str) -> Iterator[dict[str, Any]]:
    """Return the positions of a file, with their answers."""
    shapes = {
        "beginner": (9, 9, 10, 10, 0.3),
        "expert": (16, 30, 99, 20, 0.35),
        "large": (30, 30, 180, 5, 0.5),
        "huge": (100, 100, 2000, 1, 0.6),
    }
    if name == "noisy":
        for seed in range(8):
            model = (("hidden", "liar")[seed % 2], 0.25)
            shown = noisy(midgame(9, 9, 12, seed, 0.35), *model, seed)
            yield record(shown, 12, model)
        return
    rows, cols, mines, number, opened = shapes[name]
    for seed in range(number):
        shown = midgame(rows, cols, mines, 1000 + seed, opened)
        if seed % 3 == 1:
            # Some certain mines carry a flag, one has gone off.
            sure = [cell for cell, p in exact(shown, mines).probability.items() if p == 1]
            for i, cell in enumerate(sorted(sure)[::2]):
                shown.reshape(-1)[cell] = -2 if i else -3
        yield record(shown, mines, None)


FILES = ("beginner", "expert", "large", "huge", "noisy")


def main() -> None:
    for name in FILES:
        lines = [json.dumps(entry, separators=(",", ":")) for entry in records(name)]
        (FOLDER / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        sys.stdout.write(f"{name}: {len(lines)} positions\n")


if __name__ == "__main__":
    main()
