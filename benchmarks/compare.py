"""Compares the speed of this tree with another checkout, and checks that both compute the same, to the last bit.

    python benchmarks/compare.py OTHER_TREE [--rounds 20] [--starts 3] [--games 40] [--only TEXT]

Each tree runs in its own process, which is warmed up and then used for many rounds. The other tree plays games to
collect positions, and both trees get the same ones. Every answer is compared byte by byte. Then the trees take turns,
round after round. Each round gives the ratio new / other of processor times, which other work on the machine hardly
changes. The output is the median of these ratios with its binomial 95 % interval. Two processes that run the same code
may differ by a few percent as long as they live, and more rounds do not show this. So both processes are started again
a few times, and the median after each start is printed too.

Only public names are used, because the other tree may have other modules.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import inspect
import json
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

HERE = Path(__file__).resolve().parent.parent
Shown = npt.NDArray[np.int8]
Table = npt.NDArray[np.float64]

LEVELS = {
    "beginner": (9, 9, 10),
    "intermediate": (16, 16, 40),
    "expert": (16, 30, 99),
    "30x30": (30, 30, 180),
    "50x50": (50, 50, 500),
    "100x100": (100, 100, 2000),
}
LEAST = 0.3
"""Minimum duration of a round of one workload, in seconds."""


class Position(NamedTuple):
    """What the cells show, the level of the board, and the noise."""

    level: str
    shown: Shown
    mines: int
    noise: str

    @property
    def table(self) -> Table | None:
        """The likelihoods of the noise."""
        return NOISES[self.noise]


def likelihoods(rate: float, withheld: bool) -> Table:
    """Return the likelihoods of a noise that withholds clues above 0 at this rate, or changes them by one."""
    table = np.zeros((9, 9, 10))
    for n in range(9):
        for k in range(9):
            near = [9] if withheld else [s for s in (k - 1, k + 1) if 1 <= s <= n]
            lie = rate if 0 < k <= n and near else 0.0
            table[n, k, k] = 1.0 - lie
            if lie:
                table[n, k, near] = lie / len(near)
    return table


NOISES: dict[str, Table | None] = {
    "": None,
    "withheld": likelihoods(0.25, True),
    "off-by-one": likelihoods(0.1, False),
}


# What runs in the process of each tree.


def load(tree: Path) -> None:
    """Import `sweepstakes` from the folder that the pyproject.toml of the tree names, whatever is installed."""
    project = tomllib.loads((tree / "pyproject.toml").read_text())
    folder = tree / project["tool"]["setuptools"]["package-dir"]["sweepstakes"]
    spec = importlib.util.spec_from_file_location(
        "sweepstakes", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sweepstakes"] = module
    spec.loader.exec_module(module)


def mined(level: str, number: int, seed: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Return boards with a safe corner."""
    rows, cols, mines = LEVELS[level]
    rng = np.random.default_rng(seed)
    for _ in range(number):
        flat = np.zeros(rows * cols, np.bool_)
        flat[1 + rng.permutation(rows * cols - 1)[:mines]] = True
        yield flat.reshape(rows, cols)


def boards(level: str, number: int, seed: int) -> list[Any]:
    """Return the same boards in the form that the referee takes."""
    from sweepstakes import Board

    return [
        Board.of(each.shape[0], each.shape[1], ((int(row), int(col)) for row, col in np.argwhere(each)))
        for each in mined(level, number, seed)
    ]


def play(board: Any, mines: int, seen: list[Shown] | None = None) -> Any:
    """Play a game by certainty and lowest probability, append its positions to `seen`, and return its end."""
    from sweepstakes import Game, Rules, Turn
    from sweepstakes.inference import decide

    game = Game(board, Rules(on_mine="end"))
    game.take(Turn(open=np.zeros(1, np.int64)))
    while not game.over:
        shown = game.view().shown
        if seen is not None:
            seen.append(shown.copy())
        found = decide(shown, mines)
        opens = found.safe if len(found.safe) else np.array([found.guess], np.int64)
        game.take(Turn(opens, found.mines))
    return game.view().shown


def open_all(board: Any) -> Any:
    """Play a game that opens the first covered cells in every turn, even if they are mines. Return its end."""
    from sweepstakes import Game, Turn

    game = Game(board)
    while not game.over:
        game.take(Turn(np.flatnonzero(game.view().shown == -1)[:3]))
    return game.view().shown


def collect(number: int) -> list[Position]:
    """Return positions from games, the same positions under noise, and positions after random clicks."""
    rng = np.random.default_rng(7)
    found: list[Position] = []
    for level, (_, _, mines) in LEVELS.items():
        large = level[0].isdigit()
        for board in boards(level, 1 + number // 8 if large else number, 1):
            seen: list[Shown] = []
            play(board, mines, seen)
            for shown in seen[:: 1 + len(seen) // 20]:
                bare = np.where(shown == -2, np.int8(-1), shown)
                found += [Position(level, shown, mines, ""), Position(level, bare, mines, "")]
                if not large:
                    found += [Position(level, blurred(shown, noise, rng), mines, noise) for noise in NOISES if noise]
        for mines_at in mined(level, 1 if large else number, 2):
            found += [Position(f"scattered {level}", scattered(mines_at, rng), mines, "")]
    return found


def counts(mined: npt.NDArray[np.bool_]) -> Shown:
    """Return a position that shows the clues of the left 60 % of a board. Mines and all other cells are covered."""
    rows, cols = mined.shape
    padded = np.pad(mined.astype(np.int8), 1)
    around = sum(padded[r : r + rows, c : c + cols] for r in range(3) for c in range(3))
    shown = np.where(mined, -1, around).astype(np.int8)
    shown[:, 6 * cols // 10 :] = -1
    return shown


def scattered(mined: npt.NDArray[np.bool_], rng: np.random.Generator) -> Shown:
    """Return a position with random open clues, as no game would have it. Some are too large for the exact sum."""
    shown = counts(mined)
    return np.where(rng.random(shown.shape) < rng.uniform(0.1, 0.9), np.int8(-1), shown)


def blurred(shown: Shown, noise: str, rng: np.random.Generator) -> Shown:
    """Return a position as noise might show it, without flags."""
    rows, cols = shown.shape
    table = NOISES[noise]
    assert table is not None
    noisy = np.where(shown == -2, np.int8(-1), shown)
    for row, col in np.argwhere(shown > 0):
        n = (3 - (row in (0, rows - 1))) * (3 - (col in (0, cols - 1))) - 1
        noisy[row, col] = rng.choice(10, p=table[n, shown[row, col]])
    return noisy


def posteriors(positions: list[Position]) -> Iterable[object]:
    """Return every probability of every position."""
    from sweepstakes.inference import posterior

    return (posterior(each.shown, each.mines, noise=each.table) for each in positions)


def decisions(positions: list[Position]) -> Iterable[object]:
    """Return the decisions for each weighting, also with a budget that is too small."""
    from sweepstakes.inference import decide

    for each in positions:
        for way in WAYS:
            yield decide(each.shown, each.mines, each.table, **way)
        yield decide(each.shown, each.mines, each.table, **to_the_end())
        yield decide(each.shown, None, each.table)
        yield decide(each.shown, None, each.table, prior=0.2)


def to_the_end() -> dict[str, Any]:
    """Return the option that makes `decide` find every certain cell. Its name in older trees is different."""
    from sweepstakes.inference import decide

    name = "stop_at_first_safe" if "stop_at_first_safe" in inspect.signature(decide).parameters else "hasty"
    return {name: False}


WAYS: list[dict[str, Any]] = [
    {},
    {"weighting": "solutions"},
    {"budget": 50},
    {"trust_flags": False},
]


def proofs(positions: list[Position]) -> Iterable[object]:
    """Return the clues that prove the certain cells of every position."""
    from sweepstakes.inference import decide, evidence

    for each in positions:
        found = decide(each.shown, each.mines, each.table, **to_the_end())
        if found.status == "ok":
            yield evidence(each.shown, each.mines, found.safe, found.mines, noise=each.table)


def workloads(positions: list[Position], number: int) -> dict[str, Callable[[], Iterable[object]]]:
    """Return the workloads to compare."""
    beginner, expert = boards("beginner", 4 * number, 4), boards("expert", number, 4)

    def of(*levels: str, noisy: bool = False) -> list[Position]:
        return [each for each in positions if each.level in levels and bool(each.noise) == noisy]

    def scattered_ones() -> list[Position]:
        return [each for each in positions if each.level.startswith("scattered")]

    return {
        "posterior, beginner": lambda: posteriors(of("beginner")),
        "posterior, intermediate": lambda: posteriors(of("intermediate")),
        "posterior, expert": lambda: posteriors(of("expert")),
        "posterior, large": lambda: posteriors(of("30x30", "50x50", "100x100")),
        "posterior, noisy": lambda: posteriors(of("beginner", "intermediate", "expert", noisy=True)),
        "posterior, scattered": lambda: posteriors(scattered_ones()),
        "decide, every weighting": lambda: decisions(of("beginner", "expert")[::2]),
        "decide, noisy": lambda: decisions(of("beginner", "intermediate", noisy=True)[::2]),
        "decide, beginner games": lambda: (play(board, 10) for board in beginner),
        "decide, expert games": lambda: (play(board, 99) for board in expert),
        "evidence": lambda: proofs(of("intermediate", "expert", "50x50")),
        "evidence, noisy": lambda: proofs(of("beginner", "intermediate", noisy=True)[::2]),
        "referee": lambda: map(open_all, expert),
    }


def encode(answer: object) -> bytes:
    """Return an answer as bytes that contain every bit of it."""
    if isinstance(answer, np.ndarray):
        return str(answer.dtype.str).encode() + bytes(answer.tobytes())
    if isinstance(answer, float):
        return answer.hex().encode()
    if isinstance(answer, dict):
        return b"{%s}" % b";".join(encode(item) for item in answer.items())
    if isinstance(answer, tuple | list):
        return b"(%s)" % b",".join(map(encode, answer))
    if hasattr(answer, "log_layouts"):
        return b"".join(encode(getattr(answer, name)) for name in sorted(getattr(type(answer), "__slots__", ())))
    return str(answer).encode()


def serve(tree: Path, number: int, file: Path) -> None:
    """Answer requests, one line each: `collect`, `check` and `time` with a workload."""
    load(tree)
    from sweepstakes.inference import warm_up

    warm_up()
    todo: dict[str, Callable[[], Iterable[object]]] = {}
    for line in sys.stdin:
        what, *given = json.loads(line)
        answer: object = None
        if what == "collect":
            found = collect(number)
            texts = np.array([(each.level, str(each.mines), each.noise) for each in found])
            arrays: dict[str, Any] = {str(at): each.shown for at, each in enumerate(found)}
            np.savez(file, texts=texts, **arrays)
        elif what == "load":
            with np.load(file) as data:
                texts = data["texts"].tolist()
                kept = [Position(a, data[str(at)], int(b), c) for at, (a, b, c) in enumerate(texts)]
            for each in kept:
                each.shown.flags.writeable = False
            todo = workloads(kept, number)
            answer = list(todo)
        elif what == "check":
            answer = [hashlib.sha256(encode(each)).hexdigest() for each in todo[given[0]]()]
        else:
            name, repeat = given
            begun = time.process_time()
            for _ in range(repeat):
                for _ in todo[name]():
                    pass
            answer = time.process_time() - begun
        print(json.dumps(answer), flush=True)


# What runs in the process that compares them.


class Tree:
    """A process that runs the code of one tree."""

    def __init__(self, tree: Path, number: int, file: Path) -> None:
        command = [sys.executable, __file__, str(tree), "--games", str(number), "--serve", str(file)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words: object) -> Any:
        """Send a request and wait for the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a tree's process has ended")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def interval(ratios: list[float]) -> tuple[float, float]:
    """Return the 95 % interval of the median, from the binomial distribution of ranks."""
    ordered = sorted(ratios)
    margin = 0.98 * len(ordered) ** 0.5
    low = max(0, round(len(ordered) / 2 - margin) - 1)
    return ordered[low], ordered[len(ordered) - 1 - low]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, help="the other checkout")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--starts", type=int, default=3, help="how often both processes are started")
    parser.add_argument("--games", type=int, default=40, help="games per level that positions are taken from")
    parser.add_argument("--only", default="", help="part of the names of the workloads wanted")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.tree.resolve(), options.games, options.serve)
        return
    ratios: dict[str, list[list[float]]] = {}
    differences = 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "positions.npz"
        for start in range(options.starts):
            other, new = (Tree(tree, options.games, file) for tree in (options.tree, HERE))
            try:
                if start == 0:
                    other.ask("collect")
                names = [name for name in other.ask("load") if options.only in name]
                new.ask("load")
                if start == 0:
                    differences = sum(check(other, new, name) for name in names)
                for name, found in measure(other, new, names, -(-options.rounds // options.starts)).items():
                    ratios.setdefault(name, []).append(found)
            finally:
                other.close()
                new.close()
    if options.rounds:
        print(
            f"\nnew / other, {options.starts} starts: median over all rounds, its 95 % interval; median of each start"
        )
        for name, starts in ratios.items():
            every = [ratio for start in starts for ratio in start]
            low, high = interval(every)
            each = " ".join(f"{median(start):.3f}" for start in starts)
            print(f"{name:26} {median(every):6.3f}   {low:.3f} .. {high:.3f}   {each}   ({len(every)} rounds)")
    if differences:
        raise SystemExit(f"{differences} answers differ")


def check(other: Tree, new: Tree, name: str) -> int:
    """Print whether the answers to a workload are the same. Return how many are not."""
    old_answers, new_answers = other.ask("check", name), new.ask("check", name)
    unlike = [at for at, pair in enumerate(zip(old_answers, new_answers, strict=True)) if pair[0] != pair[1]]
    said = f"{len(unlike)} differ, the first number {unlike[0]}" if unlike else "all the same"
    print(f"{name:26} {len(new_answers):6} answers, {said}", flush=True)
    return len(unlike)


def measure(other: Tree, new: Tree, names: list[str], rounds: int) -> dict[str, list[float]]:
    """Return the ratio of the times in each round, by workload."""
    ratios: dict[str, list[float]] = {name: [] for name in names}
    often = {name: max(1, round(LEAST / max(1e-3, other.ask("time", name, 1)))) for name in names} if rounds else {}
    for at in range(rounds):
        for name in names:
            pair = (other, new) if at % 2 else (new, other)
            times = {tree: tree.ask("time", name, often[name]) for tree in pair}
            ratios[name].append(times[new] / times[other])
    return ratios


if __name__ == "__main__":
    main()
