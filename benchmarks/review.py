"""Measures reviews: what they cost, how much narrower they make intervals, how much earlier a match ends.

python benchmarks/review.py cost      microseconds of a review next to those of the game, for some agents
python benchmarks/review.py luck      intervals of adjusted scores as a share of the raw ones, and their means
python benchmarks/review.py match     boards until a match ends, with `win` and with `win-adjusted`
python benchmarks/review.py fit       fits the coefficients of luck again (see sweepstakes/review/luck.py)
python benchmarks/review.py chances   fits the estimated chance to win again (see sweepstakes/review/arithmetic.py)
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from sweepstakes import PRESETS, GameSetup, Registry, Rules, Size, Spec, play_game
from sweepstakes.inference.posterior import weigh
from sweepstakes.plugins.scores.standard import Identified
from sweepstakes.review import review_game
from sweepstakes.review.luck import Coefficients, win_luck
from sweepstakes.review.walk import Reveal, Walk
from sweepstakes.tournaments.statistics.sequential_test import BATCH, Method, SequentialMatch

REGISTRY = Registry.default()
ROUNDS = 3
EXCESS = Coefficients().excess
"""Chosen, not fitted."""
FIT = {"exact": 3.0, "triples": 1.0, "probabilistic": 0.6, "basic": 0.15, "random": 0.05}
"""The agents whose games the coefficients are fitted to, and their weights: good players count most."""


def cost(games: int) -> None:
    """Print the time of games and of their reviews on Expert boards, and their ratio, in the least of three rounds."""
    print("agent               game us   audit us   audit and luck us   ratio")
    for name in ("exact", "chain", "basic", "random"):
        setups = [GameSetup(PRESETS["expert"], 1, number, Rules("end", "safe")) for number in range(games)]
        agent = REGISTRY.agent(Spec(name))
        played = [play_game(setup.game(REGISTRY), agent, keep_turns=True).turns or [] for setup in setups]
        times = []
        for _ in range(ROUNDS):
            begun = process_time()
            for setup in setups:
                play_game(setup.game(REGISTRY), agent)
            spent = [process_time() - begun]
            for luck in (False, True):
                begun = process_time()
                for setup, turns in zip(setups, played, strict=True):
                    review = review_game(setup.game(REGISTRY), turns, luck=luck)
                    _ = review.audit, review.luck
                spent.append(process_time() - begun)
            times.append(spent)
        play, audit, both = np.min(times, axis=0) / games * 1e6
        print(f"{name:18} {play:8.0f} {audit:10.0f} {both:19.0f} {both / play:7.2f}", flush=True)


def luck(games: int) -> None:
    """Print how wide the intervals of adjusted scores are compared with those of the raw scores."""
    print("agent, board, first click            win  adjusted    ratio   games saved | identified  adjusted    ratio")
    for name in ("exact", "triples", "basic"):
        for board in ("beginner", "intermediate", "expert"):
            for click in ("safe", "opening", "any"):
                rules = Rules("end", click)
                rows = []
                for number in range(games):
                    setup = GameSetup(PRESETS[board], 5, number, rules)
                    played = play_game(setup.game(REGISTRY), REGISTRY.agent(Spec(name)), keep_turns=True)
                    found = review_game(setup, played.turns or [], registry=REGISTRY).luck
                    won, score = float(played.result.won), Identified()(played.result)
                    rows.append((won, won - found.win, score, score - found.identified))
                raw, adjusted, other, spread = np.std(rows, axis=0)
                mean = np.mean(rows, axis=0)
                ratio, second = adjusted / max(raw, 1e-9), spread / max(other, 1e-9)
                print(
                    f"{name:8} {board:13} {click:8} {mean[0]:9.4f} {mean[1]:9.4f} {ratio:8.2f} {1 / ratio**2:13.1f} |"
                    f" {mean[2]:10.4f} {mean[3]:9.4f} {second:8.2f}",
                    flush=True,
                )


def match(games: int) -> None:
    """Print the boards that matches take with `win` and with `win-adjusted`: the same games in twenty random orders."""
    for first, second, board in (("exact", "chain", "intermediate"), ("chain", "basic", "beginner")):
        wins, adjusted = np.empty((2, games)), np.empty((2, games))
        for place, name in enumerate((first, second)):
            for number in range(games):
                setup = GameSetup(PRESETS[board], 9, number, Rules("end", "safe"))
                played = play_game(setup.game(REGISTRY), REGISTRY.agent(Spec(name)), keep_turns=True)
                wins[place, number] = played.result.won
                found = review_game(setup.game(REGISTRY), played.turns or []).luck.win
                adjusted[place, number] = wins[place, number] - found
        for score, values, method in (
            ("win", wins, Method.WINS),
            ("win-adjusted", adjusted, Method.ASYMPTOTIC),
        ):
            difference = values[0] - values[1]
            boards = []
            for seed in range(20):
                order = np.random.default_rng(seed).permutation(games)
                test = SequentialMatch(0.02, games, 1.0, method)
                for start in range(0, games, BATCH):
                    if test.add(difference[order[start : start + BATCH]]).over:
                        break
                boards.append(test.state.boards)
            print(
                f"{first} against {second} on {board}, {score}: {np.mean(boards):,.0f} boards on average; "
                f"standard deviation of a difference {difference.std():.3f}",
                flush=True,
            )


def fit(games: int) -> None:
    """Fit the coefficients of `win` again and print them."""
    wins: list[float] = []
    groups: list[int] = []
    reveals: list[Reveal] = []
    of: list[int] = []
    weights: list[float] = []
    for name, weight in FIT.items():
        for board in ("beginner", "intermediate", "expert"):
            for click in ("safe", "opening", "any"):
                for number in range(games):
                    setup = GameSetup(PRESETS[board], 77, number, Rules("end", click))
                    played = play_game(setup.game(REGISTRY), REGISTRY.agent(Spec(name)), keep_turns=True)
                    found = Walk(setup.game(REGISTRY), played.turns or []).reveals
                    of += [len(wins)] * len(found)
                    reveals += found
                    wins.append(float(played.result.won))
                    groups.append(len(weights))
                weights.append(weight)
        print(f"played {name}", flush=True)
    group, place, won, weighing = np.array(groups), np.array(of), np.array(wins), np.array(weights)
    count = np.bincount(group)
    spread = np.sqrt([won[group == g].var() for g in range(len(weighing))])

    def variance(numbers: object) -> float:
        fitted = Coefficients._make([*np.asarray(numbers, float).tolist(), EXCESS])
        lucky = [win_luck(reveal, fitted) for reveal in reveals]
        adjusted = won - np.bincount(place, lucky, len(won))
        mean = np.bincount(group, adjusted) / count
        left = np.bincount(group, (adjusted - mean[group]) ** 2) / count
        return float((weighing * left / np.maximum(spread, 0.25) ** 2).sum() / weighing.sum())

    start = Coefficients()[:-1]
    best = minimize(variance, start, method="Nelder-Mead", options={"maxiter": 300, "xatol": 0.01, "fatol": 1e-5})
    print(f"weighted share of the variance left: {best.fun:.4f}, with the written coefficients {variance(start):.4f}")
    print(Coefficients._make([*best.x.round(2).tolist(), EXCESS]))


def chances(games: int) -> None:
    """Fit the estimated chance to win again, and print how often positions with an estimate were won."""
    rows: list[tuple[float, ...]] = []
    sizes = (*(PRESETS[name] for name in ("beginner", "intermediate", "expert")), Size(10, 10, 25), Size(30, 30, 150))
    for place, size in enumerate(sizes):
        for number in range(games):
            setup = GameSetup(size, 11, number, Rules("end", "opening" if number % 2 else "safe"))
            played = play_game(setup.game(REGISTRY), REGISTRY.agent(Spec("exact")), keep_turns=True)
            game = setup.game(REGISTRY)
            for turn in (played.turns or [])[:-1]:
                game.take(turn)
                view = game.view()
                safe = int(np.count_nonzero(view.shown < 0)) - size.mines
                safety = weigh(view.shown, size.mines, None, False).safety
                rows.append((place, safe, size.mines, size.cells, safety, played.result.won))
        print(f"played {size}", flush=True)
    group, safe, mines, cells, safety, won = np.array(rows, float).T
    weight = 1.0 / np.bincount(group.astype(int))[group.astype(int)]

    def estimate(numbers: object) -> npt.NDArray[np.float64]:
        base, board, density, left = np.asarray(numbers, float)
        risk = np.exp(base + board * mines / cells + density * mines / (safe + mines) + left * np.log1p(safe))
        found: npt.NDArray[np.float64] = np.where(safe == 0, 1.0, safety * np.exp(-risk))
        return found

    def loss(numbers: object) -> float:
        chance = np.clip(estimate(numbers), 1e-9, 1 - 1e-9)
        return -float((weight * np.where(won > 0, np.log(chance), np.log(1 - chance))).sum())

    best = minimize(loss, (-9.18, 23.7, 2.03, 0.565), method="Nelder-Mead", options={"maxiter": 4000, "maxfev": 4000})
    print("base, density of the board, density of the rest, safe cells left:", best.x.round(3).tolist())
    chance = estimate(best.x)
    for place, size in enumerate(sizes):
        for low in np.arange(0, 1, 0.1):
            some = (group == place) & (chance >= low) & (chance < low + 0.1)
            if some.sum() > 100:
                mean, share = chance[some].mean(), won[some].mean()
                print(f"{size}: estimate {mean:.3f}, won {share:.3f} of {some.sum():,} positions")


COMMANDS = {
    "chances": (chances, 1000),
    "cost": (cost, 300),
    "luck": (luck, 400),
    "match": (match, 2000),
    "fit": (fit, 300),
}


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--games", type=int, help="games of each agent and board")
    options = parser.parse_args()
    function, games = COMMANDS[options.command]
    function(options.games or games)


if __name__ == "__main__":
    main()
