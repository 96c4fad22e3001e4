"""Measures `champion` against `exact`, on the same boards, game by game in turn.

python benchmarks/champion.py strength    wins on Expert from a safe corner and from an opening, with paired intervals,
                                          games per second and the ratio to `exact`, the slowest turn
python benchmarks/champion.py meshes      the slowest turn on positions that no play would reach: clues at random

--games N plays more or fewer games, --level names a preset size, --first safe,opening the rules of the first click,
--agents the agents besides `exact`, as in `champion;champion(weights=all)`, --seed and --from choose the boards. Times
are processor times, so that a busy machine does not matter. The time of a game includes the time of the referee.
"""

from __future__ import annotations

import argparse
from math import sqrt
from time import process_time

import numpy as np

from sweepstakes import PRESETS, Agent, BoardRef, Game, Registry, Rules, Turn, View, play_game
from sweepstakes.inference import decide
from sweepstakes.noise import EXACT

REGISTRY = Registry.default()
SOURCE = REGISTRY.make("board source", "uniform")


class Timed(Agent):
    """An agent whose slowest turn is noted."""

    slowest = 0.0

    def __init__(self, inner: Agent) -> None:
        self.inner = inner

    def act(self, view: View) -> Turn:
        """The turn of the agent."""
        begun = process_time()
        turn = self.inner.act(view)
        Timed.slowest = max(Timed.slowest, process_time() - begun)
        return turn


class Tally:
    """Wins, board by board, and times of one agent."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.factory = REGISTRY.agent(name)
        self.won: list[bool] = []
        self.seconds = 0.0
        self.slowest = 0.0

    def play(self, game: Game) -> None:
        """Play one game."""
        Timed.slowest = 0.0
        begun = process_time()
        played = play_game(game, lambda: Timed(self.factory()))
        self.seconds += process_time() - begun
        self.slowest = max(self.slowest, Timed.slowest)
        assert not played.result.fault, played.result.fault
        self.won.append(played.result.won)


def strength(options: argparse.Namespace) -> None:
    size = PRESETS[options.level]
    for first in options.first.split(","):
        names = ("exact", *options.agents.split(";"))
        for name in names:  # compiles what is not in the cache
            Tally(name).play(Game(BoardRef.of(SOURCE, "uniform", size, 0, 0), Rules("end", first)))
        tallies = [Tally(name) for name in names]
        for number in range(options.first_board, options.first_board + options.games):
            for tally in tallies:
                tally.play(Game(BoardRef.of(SOURCE, "uniform", size, options.seed, number), Rules("end", first)))
        print(f"{options.level}, first click {first}, {options.games} boards of seed {options.seed}")
        base = np.array(tallies[0].won, float)
        for tally in tallies:
            won = np.array(tally.won, float)
            lead = won - base
            half = 196 * lead.std() / sqrt(lead.size)
            print(
                f"{tally.name:44} {100 * won.mean():6.2f} %  {100 * lead.mean():+6.2f} ± {half:.2f}"
                f"  {won.size / tally.seconds:7.0f} games/s  {tallies[0].seconds / tally.seconds:5.2f} of exact's"
                f"  slowest turn {1000 * tally.slowest:.1f} ms",
                flush=True,
            )


def meshes(options: argparse.Namespace) -> None:
    rng = np.random.default_rng(options.seed)
    for rows, cols in ((16, 30), (30, 30), (100, 100)):
        slowest = dict.fromkeys(("exact", *options.agents.split(";")), 0.0)
        stuck = 0
        for _ in range(options.games):
            view = mesh(rows, cols, rng)
            if view is None:
                continue
            stuck += 1
            for name in slowest:
                agent = REGISTRY.agent(name)()
                begun = process_time()
                agent.act(view)
                slowest[name] = max(slowest[name], process_time() - begun)
        said = ", ".join(f"{name} {1000 * seconds:.1f} ms" for name, seconds in slowest.items())
        print(f"{rows} x {cols}, {stuck} positions, slowest turn: {said}", flush=True)


def mesh(rows: int, cols: int, rng: np.random.Generator) -> View | None:
    """Clues at random, and what follows from them opened; None if that is everything."""
    mined = rng.random((rows, cols)) < rng.uniform(0.1, 0.5)
    padded = np.pad(mined.astype(np.int8), 1)
    clues = sum(padded[r : r + rows, c : c + cols] for r in range(3) for c in range(3))
    shown = np.where(mined | (rng.random((rows, cols)) < rng.uniform(0.1, 0.95)), -1, clues).astype(np.int8)
    mines = int(mined.sum())
    while True:
        decision = decide(shown, mines)
        if not decision.safe.size:
            return View(rows, cols, mines, Rules("end"), EXACT, shown.tobytes()) if decision.guess >= 0 else None
        shown.reshape(-1)[decision.safe] = np.asarray(clues).reshape(-1)[decision.safe]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("strength", "meshes"))
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--level", default="expert")
    parser.add_argument("--first", default="safe,opening")
    parser.add_argument("--agents", default="champion")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", dest="first_board", type=int, default=0)
    options = parser.parse_args()
    {"strength": strength, "meshes": meshes}[options.what](options)


if __name__ == "__main__":
    main()
