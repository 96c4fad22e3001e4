"""Measures the speed, the strength and the completeness of the agents.

python benchmarks/agents.py throughput    games per second, on Expert and on 30 x 30 at density 0.2
python benchmarks/agents.py slowest       the 99.9th percentile of a game on 30 x 30 at densities 0.1 to 0.7
python benchmarks/agents.py proofs        the share of provable cells that each agent finds
python benchmarks/agents.py strength      the order of strength on 16 x 16, with paired intervals
python benchmarks/agents.py wins          wins of local-probability and exact on the three levels, with both starts

--games N plays more or fewer games, --agents a,b only some agents. Times are processor times, so that a busy machine
does not matter. The time of a game includes the time of the referee.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from math import sqrt
from time import process_time

import numpy as np

from sweepstakes import PRESETS, BoardRef, Game, Registry, Rules, Size, View, play_game
from sweepstakes.agent import start_agent
from sweepstakes.inference import Status, posterior

REGISTRY = Registry.default()
SOURCE = REGISTRY.make("board source", "uniform")
IDENTIFIED = REGISTRY.make("score", "identified")
CLASSIC = Rules(on_mine="end", first_click="safe")
DENSITIES = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7)
ORDER = (
    "random",
    "basic",
    "knowledge-base",
    "triples",
    "triples-global",
    "ibm",
    "chain",
    "local-probability",
    "probabilistic",
    "improved-probabilistic",
    "exact",
)


def game(size: Size, rules: Rules, number: int) -> Game:
    return Game(BoardRef.of(SOURCE, "uniform", size, 1, number), rules)


def warm(names: list[str]) -> None:
    for name in names:
        play_game(game(Size(9, 9, 10), Rules(), 0), REGISTRY.agent(name))


def throughput(names: list[str], games: int) -> None:
    print(f"{'':24}{'Expert, on_mine=end, safe start':>40}{'30 x 30 at 0.2, on_mine=continue':>40}")
    print(f"{'agent':24}" + 2 * f"{'games/s':>14}{'agent us':>13}{'turns':>13}")
    for name in names:
        line = f"{name:24}"
        for size, rules in ((PRESETS["expert"], CLASSIC), (Size.of(30, 30, density=0.2), Rules())):
            seconds, turns, begun = 0.0, 0, process_time()
            for number in range(games):
                played = play_game(game(size, rules, number), REGISTRY.agent(name))
                seconds += played.seconds
                turns += played.result.turns
            spent = process_time() - begun
            line += f"{games / spent:14.0f}{1e6 * seconds / games:13.0f}{turns / games:13.1f}"
        print(line, flush=True)


def slowest(names: list[str], games: int) -> None:
    print(f"{games} games each, 30 x 30, on_mine=continue: 99.9th percentile in ms (turns decided by a fallback)")
    print(f"{'agent':24}" + "".join(f"{density:>14}" for density in DENSITIES))
    for name in names:
        line = f"{name:24}"
        for density in DENSITIES:
            seconds, fallbacks = [], 0
            for number in range(games):
                begun = process_time()
                played = play_game(game(Size.of(30, 30, density=density), Rules(), number), REGISTRY.agent(name))
                seconds.append(process_time() - begun)
                fallbacks += played.result.fallbacks
            worst = 1e3 * float(np.quantile(seconds, 0.999, method="higher"))
            line += f"{worst:8.0f} {f'({fallbacks})' if fallbacks else '':>5}"
        print(line, flush=True)


def stuck(games: int) -> Iterator[tuple[Game, View]]:
    """Positions in which single clues prove nothing: those that `basic` meets on 16 x 16 at 0.15 to 0.25."""
    for number in range(games):
        size = Size.of(16, 16, density=(0.15, 0.2, 0.25)[number % 3])
        match = game(size, Rules(first_click="safe"), number)
        player = start_agent(REGISTRY.agent("basic"), number)
        while not match.over:
            view = match.view()
            turn = player.act(view)
            if turn.why == "random" and not len(turn.flag) and view.open():
                yield match, view
            match.take(turn)


def proofs(names: list[str], games: int) -> None:
    found = {name: np.zeros(3, np.int64) for name in names}
    provable, places, wrong = np.zeros(3, np.int64), 0, 0
    for _, view in stuck(games):
        counted, clues = posterior(view.shown, view.mines), posterior(view.shown, None)
        if counted.status != Status.OK or clues.status != Status.OK:
            continue
        certain = counted.certain.reshape(-1)
        both = np.array([(certain == 1).sum(), (certain == 2).sum(), (clues.certain != 0).sum()])
        if not both.any():
            continue
        places += 1
        provable += both
        for name in names:
            player = start_agent(REGISTRY.agent(name), 1)
            turn = player.act(view)
            opens = np.asarray(turn.open, np.int64) if turn.why == "proof" else np.empty(0, np.int64)
            flags = np.asarray(turn.flag, np.int64)
            wrong += int((certain[opens] != 1).sum() + (certain[flags] != 2).sum())
            by_clues = clues.certain.reshape(-1)
            found[name] += [opens.size, flags.size, (by_clues[opens] != 0).sum() + (by_clues[flags] != 0).sum()]
    print(f"{places} positions where single clues prove nothing and something is provable, {wrong} wrong proofs")
    print(f"{provable[0]} provably safe cells, {provable[1]} mines; {provable[2]} of both without the mine count")
    print(f"{'agent':24}{'safe':>10}{'mines':>10}{'both':>10}{'without the count':>20}")
    for name, cells in found.items():
        both_found = (cells[0] + cells[1]) / (provable[0] + provable[1])
        print(
            f"{name:24}{cells[0] / provable[0]:10.1%}{cells[1] / provable[1]:10.1%}"
            f"{both_found:10.1%}{cells[2] / provable[2]:20.1%}"
        )


def strength(names: list[str], games: int) -> None:
    for density in (0.15, 0.2, 0.25):
        size = Size.of(16, 16, density=density)
        scores = {
            name: np.array(
                [
                    IDENTIFIED.of(play_game(game(size, Rules(), number), REGISTRY.agent(name)).result)
                    for number in range(games)
                ]
            )
            for name in names
        }
        print(f"\n16 x 16 at {density}, on_mine=continue, {games} boards: mines safely identified")
        print(f"{'agent':24}{'mean':>9}   against the agent above, 95 % paired interval")
        before = None
        for name in names:
            line = f"{name:24}{scores[name].mean():9.4f}"
            if before is not None:
                gain = scores[name] - scores[before]
                half = 1.96 * gain.std(ddof=1) / sqrt(games)
                line += f"   {gain.mean():+.4f} [{gain.mean() - half:+.4f}, {gain.mean() + half:+.4f}]"
            print(line)
            before = name
        for low, high in (
            ("basic", "ibm"),
            ("basic", "knowledge-base"),
            ("knowledge-base", "triples"),
            ("triples", "probabilistic"),
            ("ibm", "probabilistic"),
            ("chain", "probabilistic"),
            ("probabilistic", "improved-probabilistic"),
            ("improved-probabilistic", "exact"),
        ):
            if low in scores and high in scores:
                gain = scores[high] - scores[low]
                half = 1.96 * gain.std(ddof=1) / sqrt(games)
                print(f"  {high} - {low}: {gain.mean():+.4f} [{gain.mean() - half:+.4f}, {gain.mean() + half:+.4f}]")


def wins(names: list[str], games: int) -> None:
    print(f"on_mine=end, {games} games each: wins with 95 % Wilson intervals")
    print(f"{'agent':24}{'level':14}{'any start':>28}{'safe start':>28}")
    for name in names:
        for level, size in PRESETS.items():
            line = f"{name:24}{level:14}"
            for click in ("any", "safe"):
                rules = Rules("end", click)
                won = sum(play_game(game(size, rules, k), REGISTRY.agent(name)).result.won for k in range(games))
                low, high = wilson(won, games)
                line += f"{f'{won / games:.2%} [{low:.2%}, {high:.2%}]':>28}"
            print(line, flush=True)


def wilson(won: int, games: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a proportion."""
    z, share = 1.96, won / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return middle - half, middle + half


COMMANDS: dict[str, tuple[Callable[[list[str], int], None], int, tuple[str, ...]]] = {
    "throughput": (throughput, 500, ORDER),
    "slowest": (slowest, 1000, ORDER[1:]),
    "proofs": (proofs, 300, ORDER[1:]),
    "strength": (strength, 500, ORDER[1:]),
    "wins": (wins, 10000, ("local-probability", "exact")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--games", type=int)
    parser.add_argument("--agents")
    given = parser.parse_args()
    command, games, names = COMMANDS[given.command]
    chosen = given.agents.split(",") if given.agents else list(names)
    warm(chosen)
    command(chosen, given.games or games)


main()
