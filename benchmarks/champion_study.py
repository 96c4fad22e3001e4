"""Looks for a stronger `champion`: tries weights on the same boards, removes luck, and fits the weights again.

python benchmarks/champion_study.py compare --variants "all; log risk=1.2; influence=product, log risk=0.82"
    plays every board with the standard settings, and again with each variant that would guess otherwise somewhere on
    it; prints the difference of the games won with its 95 % interval, raw and without luck
python benchmarks/champion_study.py explore --games 300000 --to FILE.npz
    plays with some randomness in every guess, and stores the choices and the results of the games
python benchmarks/champion_study.py fit FILE.npz ...
    fits the weights to these: how much the logarithm of the chance to win grows with each feature of the chosen cell

A variant is a list of changes: `all` or `five`, `influence=...`, a feature's name and its weight.
--games, --level, --first, --seed and --from choose the boards, as for benchmarks/champion.py.

Luck is removed in two ways. A game ends as soon as the game tree of the endgame gives the probability of winning, which
is then its value. And a guess has an *outlook*: the safety of the best cell after it, 0 after a mine. The outlook minus
its expectation, times an estimate of the chance to win that is known before the guess, is 0 on average and is
subtracted.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from math import exp, log1p, sqrt
from time import process_time

import numpy as np
import numpy.typing as npt

from sweepstakes import PRESETS, BoardRef, Game, Registry, Rules, Turn, View, play_game
from sweepstakes.inference._positions import PAD
from sweepstakes.inference.best_guess import (
    FEATURE_NAMES,
    INFLUENCES,
    STANDARD,
    Guess,
    Settings,
    Weights,
    best_guess,
    weights_of,
)
from sweepstakes.inference.exact import candidates as table
from sweepstakes.inference.exact import scoring as kernel
from sweepstakes.inference.exact.lookahead import look_ahead
from sweepstakes.inference.exact.opening import BEST, CERTAIN, CLUE, PROBABILITY, SECOND
from sweepstakes.inference.posterior import CODES
from sweepstakes.inference.summed import Summed, summed
from sweepstakes.plugins.agents.champion import Champion

Array = npt.NDArray[np.float64]
SOURCE = Registry.default().make("board source", "uniform")
WEIGHTS: dict[str, Weights] = {"five": "five", "all": "all"}
TEMPERATURE = 0.06
"""Of two cells whose scores differ by this much, exploration chooses the better one e times as often."""
MORE = (
    "log E best x second after",
    "E log best after",
    "E best squared after",
    "E second squared after",
    "all certain cells after / 20",
    "log safety x early",
    "log best x early",
    "log second x early",
    "log risk x early",
    "certain cells x early",
    "blank x early",
    "log safety x late",
    "log best x late",
    "log risk x late",
)
"""Features beyond those of the kernel, of which `fit` tells whether they would add anything."""


@dataclass
class Variant:
    """What is played instead of the standard."""

    name: str
    settings: Settings = STANDARD
    weights: Array = field(default_factory=lambda: weights_of(STANDARD))

    @classmethod
    def parse(cls, text: str) -> Variant:
        """Read a list of changes."""
        settings, changes = STANDARD, {}
        for part in filter(None, map(str.strip, text.split(","))):
            key, _, value = (word.strip() for word in part.partition("="))
            if key in WEIGHTS:
                settings = settings._replace(weights=WEIGHTS[key])
            elif key == "influence" and value in INFLUENCES:
                settings = settings._replace(influence=next(name for name in INFLUENCES if name == value))
            elif key in FEATURE_NAMES:
                changes[FEATURE_NAMES.index(key)] = float(value)
            else:
                raise SystemExit(
                    f"{part}: expected five, all, influence=... or a weight of: {', '.join(FEATURE_NAMES)}"
                )
        weights = weights_of(settings)
        for place, weight in changes.items():
            weights[place] = weight
        return cls(text.strip() or "standard", settings, weights)


class Studied(Champion):
    """`champion` with other weights; it notes the luck of its guesses, and stops where the tree knows the end."""

    def __init__(self, variant: Variant, others: list[Variant]) -> None:
        super().__init__()
        self.settings = variant.settings
        self.weights = variant.weights
        self.others = others
        self.differs = [False] * len(others)
        self.value: float | None = None
        self.lucks: list[float] = []
        self.pending: tuple[int, float, float, dict[int, float]] | None = None

    def _exact_clues(self, view: View) -> Turn:
        self.settle(view)
        shown = view.shown
        chance = np.empty(shown.size)
        certain = np.empty(shown.size, CODES)
        found = summed(shown, view.mines, stop_at_first_safe=True, probability=chance, certain=certain)
        safe, mines, guess, _, _ = found.decision
        if guess < 0:
            return Turn(open=safe, flag=mines, why="proof")
        chosen = self.guess(found)
        if chosen.reason == "endgame":
            self.value = chosen.won / chosen.layouts
            return Turn()
        self.foresee(found, chosen.cell, 1.0 - float(chance[chosen.cell]))
        return Turn(
            open=np.array([chosen.cell]), flag=mines, why="guess", probability=min(float(chance[chosen.cell]), 1)
        )

    def guess(self, found: Summed) -> Guess:
        """The cell to open, and whether the other variants would open another."""
        chosen = best_guess(found, self.settings._replace(lookahead=False))
        if chosen.reason != "least probability" or not self.settings.lookahead or not found.components:
            return chosen
        scored = candidates(found, self.settings, self.weights, complete=bool(self.others))
        if scored is None:
            return chosen
        rows, best = scored
        for place, other in enumerate(self.others):
            if not self.differs[place]:
                if other.settings.influence != self.settings.influence:
                    theirs = candidates(found, other.settings, other.weights, complete=False)
                    self.differs[place] = theirs is None or cell_of(theirs[0][theirs[1]], found) != cell_of(
                        rows[best], found
                    )
                else:
                    scores = rows[:, table.FEATURE :] @ other.weights
                    scores[rows[:, table.STATE] != kernel.SCORED] = -np.inf
                    self.differs[place] = bool(scores[best] < scores.max() - 1e-9)
        return chosen._replace(cell=cell_of(rows[best], found), reason="lookahead")

    def foresee(self, found: Summed, cell: int, safety: float) -> None:
        """Note what may come of opening a cell."""
        rows = outlooks(found, [cell])
        if rows is None:
            return
        unknown = found.rest + len(found.decision.mines)
        mines = found.left
        worth = worth_of(unknown, mines)
        best = {int(row[CLUE]): float(row[BEST]) for row in rows[0]}
        expected = safety * sum(float(row[PROBABILITY] * row[BEST]) for row in rows[0])
        self.pending = cell, worth, expected, best

    def settle(self, view: View | None, won: bool = False) -> None:
        """Record the result of the last guess. Without a view, the game is over."""
        if self.pending is not None:
            cell, worth, expected, best = self.pending
            came = float(won) if view is None else best.get(int(view.shown.reshape(-1)[cell]), 1.0)
            self.lucks.append(worth * (came - expected))
            self.pending = None


def worth_of(unknown: int, mines: int) -> float:
    """Return a rough chance to win, given what is covered, as in `sweepstakes.review.luck`."""
    return 1.0 / (1.0 + exp(-(13.9 - 9.5 * mines / max(unknown, 1) - 2.1 * log1p(unknown - mines))))


def cell_of(row: Array, found: Summed) -> int:
    """Return the flat index of a candidate."""
    r, c = divmod(int(row[table.CELL]), found.shape[1] + 2 * PAD)
    return (r - PAD) * found.shape[1] + c - PAD


def candidates(found: Summed, settings: Settings, weights: Array, complete: bool) -> tuple[Array, int] | None:
    """Return the table of candidates and the row of the best one, or None if there are no candidates."""
    scored = np.zeros((table.MAX_CANDIDATES, table.FEATURE + kernel.FEATURES))
    _, count, best, _ = found.ask(kernel.weigh_candidates, INFLUENCES[settings.influence], complete, weights, scored)
    return None if best < 0 else (scored[:count], best)


def outlooks(found: Summed, cells: list[int]) -> list[Array] | None:
    """Return, for each of `cells`, a row for each clue it may show. Return None if there is too much to sum."""
    values, numbers = np.zeros(len(cells), np.int64), np.zeros((len(cells), 72))
    answer = found.ask(look_ahead, 0, np.array(cells, np.int64), values, numbers)
    if answer[0] or (values < 0).any():
        return None
    return [rows.reshape(9, 8)[:count] for rows, count in zip(numbers, values.tolist(), strict=True)]


class Explorer(Studied):
    """Chooses among the scored candidates at random, better ones more often, and records its choices."""

    def __init__(self, variant: Variant, rng: np.random.Generator) -> None:
        super().__init__(variant, [])
        self.chance = rng
        self.steps: list[tuple[int, float, Array]] = []
        """(guesses before, worth, features of the chosen cell less their mean)"""

    def guess(self, found: Summed) -> Guess:
        """Return a random candidate."""
        chosen = best_guess(found, self.settings._replace(lookahead=False))
        if chosen.reason != "least probability" or not found.components:
            return chosen
        scored = candidates(found, self.settings, self.weights, complete=True)
        if scored is None:
            return chosen
        rows = scored[0][scored[0][:, table.STATE] == kernel.SCORED]
        cells = [cell_of(row, found) for row in rows]
        if len(rows) < 2 or (seen := outlooks(found, cells)) is None:
            return chosen._replace(cell=cell_of(scored[0][scored[1]], found), reason="lookahead")
        scores = rows[:, table.SCORE]
        shares = np.exp((scores - scores.max()) / TEMPERATURE)
        shares /= shares.sum()
        at = int(np.searchsorted(np.cumsum(shares), self.chance.random() * (1 - 1e-12)))
        unknown = found.rest + len(found.decision.mines)
        features = np.hstack(
            [rows[:, table.FEATURE :], more_features(rows, seen, unknown / (found.shape[0] * found.shape[1]))]
        )
        self.steps.append((len(self.lucks), worth_of(unknown, found.left), features[at] - shares @ features))
        return chosen._replace(cell=cells[at], reason="lookahead")


def more_features(rows: Array, seen: list[Array], share: float) -> Array:
    """Return the features in `MORE` for each candidate. `share` is the covered share of the board."""
    features = rows[:, table.FEATURE :]
    early, late = float(share > 0.7), float(share < 0.25)
    after = []
    for values in seen:
        w, best, second = values[:, PROBABILITY], values[:, BEST], values[:, SECOND]
        after.append(
            [
                np.log(max(float(w @ (best * second)), 1e-12)),
                w @ np.log(np.maximum(best, 1e-12)),
                w @ best**2,
                w @ second**2,
                w @ np.minimum(values[:, CERTAIN], 40) / 20,
            ]
        )
    chosen = [
        kernel.LOG_SAFETY,
        kernel.LOG_BEST,
        kernel.LOG_SECOND,
        kernel.LOG_RISK,
        kernel.CERTAIN_CELLS,
        kernel.BLANK,
    ]
    lates = [kernel.LOG_SAFETY, kernel.LOG_BEST, kernel.LOG_RISK]
    return np.hstack([np.array(after), early * features[:, chosen], late * features[:, lates]])


def play(options: argparse.Namespace, number: int, agent: Studied) -> tuple[float, float]:
    """Return (value of the game, value without luck)."""
    ref = BoardRef.of(SOURCE, "uniform", PRESETS[options.level], options.seed, number)
    result = play_game(Game(ref, Rules("end", options.first)), lambda: agent).result
    assert not result.fault, result.fault
    agent.settle(None, result.won)
    value = float(result.won) if agent.value is None else agent.value
    return value, value - sum(agent.lucks)


def compare(options: argparse.Namespace) -> None:
    standard = Variant.parse(options.base)
    variants = [Variant.parse(text) for text in options.variants.split(";")]
    base = np.zeros((options.games, 2))
    leads = np.zeros((len(variants), options.games, 2))
    differing = np.zeros(len(variants), np.int64)
    begun = process_time()
    for k in range(options.games):
        agent = Studied(standard, variants)
        base[k] = play(options, options.first_board + k, agent)
        for place, (variant, differs) in enumerate(zip(variants, agent.differs, strict=True)):
            if differs:
                differing[place] += 1
                leads[place, k] = np.subtract(play(options, options.first_board + k, Studied(variant, [])), base[k])
        if (k + 1) % options.every == 0 or k + 1 == options.games:
            boards = f"{k + 1:,} {options.level} boards from {options.first_board:,} of seed {options.seed}"
            print(f"{boards}, first click {options.first}; {process_time() - begun:.0f} s")
            print_line(f"base: {standard.name}", base[: k + 1], "")
            for place, variant in enumerate(variants):
                print_line(variant.name, leads[place, : k + 1], f", differs on {differing[place] / (k + 1):.0%}")


def print_line(name: str, numbers: Array, more: str) -> None:
    """Print the means of some games, raw and without luck."""
    (raw, free), (width, narrow) = 100 * numbers.mean(0), 196 * numbers.std(0) / sqrt(len(numbers))
    print(f"  {name:60} {raw:+.3f} ± {width:.3f}, without luck {free:+.3f} ± {narrow:.3f}{more}", flush=True)


def explore(options: argparse.Namespace) -> None:
    rng = np.random.default_rng(options.seed)
    standard = Variant.parse(options.base)
    kept: list[Array] = []
    for k in range(options.games):
        agent = Explorer(standard, rng)
        value, _ = play(options, options.first_board + k, agent)
        for before, worth, features in agent.steps:
            kept.append(np.array([k, worth, value - sum(agent.lucks[before:]), *features], np.float32))
        if (k + 1) % options.every == 0 or k + 1 == options.games:
            np.savez(options.to, rows=np.array(kept))
            print(f"{k + 1:,} games, {len(kept):,} guesses", flush=True)


def fit(options: argparse.Namespace) -> None:
    """Print the weights that explain the results: how much a feature adds to the logarithm of the chance to win."""
    rows = np.concatenate([np.load(file)["rows"] for file in options.files]).astype(np.float64)
    worth, value, features = rows[:, 1], rows[:, 2], rows[:, 3:]
    # The chance to win and the variance of the outcome, by how much is covered.
    part = np.searchsorted(np.unique(np.quantile(worth, np.linspace(0, 1, 41)[1:-1])), worth)
    sizes = np.bincount(part)
    mean = np.bincount(part, value) / sizes
    spread = np.sqrt(np.bincount(part, value**2) / sizes - mean**2)
    y = (value - mean[part]) / spread[part]
    x = features * (mean / spread)[part][:, None]
    names, now = (*FEATURE_NAMES, *MORE), np.append(Variant.parse(options.base).weights, np.zeros(len(MORE)))
    five: list[int] = np.flatnonzero(now).tolist()
    print(f"{len(rows):,} guesses")
    for title, columns in (("five weights", five), ("all weights", list(range(len(FEATURE_NAMES))))):
        found, half = least_squares(x[:, columns], y)
        print(title)
        for place, weight, width in zip(columns, found, half, strict=True):
            print(f"  {names[place]:36} {weight:+.3f} ± {width:.3f}, is {now[place]:+.3f}")
    print("one more besides the five")
    for place in range(len(FEATURE_NAMES), len(names)):
        found, half = least_squares(x[:, [*five, place]], y)
        print(f"  {names[place]:36} {found[-1]:+.3f} ± {half[-1]:.3f}")


def least_squares(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the coefficients and half the widths of their 95 % intervals. The errors of `y` have variance 1."""
    inverse = np.linalg.inv(x.T @ x + 1e-9 * np.eye(x.shape[1]))
    return inverse @ x.T @ y, 1.96 * np.sqrt(np.diag(inverse))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("compare", "explore", "fit"))
    parser.add_argument("files", nargs="*")
    parser.add_argument("--variants", default="all")
    parser.add_argument("--base", default="")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--every", type=int, default=10_000)
    parser.add_argument("--level", default="expert")
    parser.add_argument("--first", default="safe")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", dest="first_board", type=int, default=0)
    parser.add_argument("--to", default="explored.npz")
    options = parser.parse_args()
    {"compare": compare, "explore": explore, "fit": fit}[options.what](options)


if __name__ == "__main__":
    main()
