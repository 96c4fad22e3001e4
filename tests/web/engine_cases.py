"""Positions and games with the answers of the Python package, to compare the engine in the page with them."""

from __future__ import annotations

import base64
import math
import random
from typing import Any

import numpy as np

from sweepstakes import Rules, Size
from sweepstakes.agent import start_agent
from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.game.game import Game
from sweepstakes.game.playing import play_game
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Turn, flat_cells
from sweepstakes.game.view import View
from sweepstakes.inference import Status, check_flags, is_first_click_safe, minimal_proof, posterior_under_rules
from sweepstakes.inference.blame import contradiction
from sweepstakes.inference.posterior import NO_CODES, NO_FLOATS
from sweepstakes.inference.solving import solve
from sweepstakes.inference.summed import summed
from sweepstakes.registry.registry import Registry
from sweepstakes.review import MISTAKES, GameReview, Judgement, review_game
from sweepstakes.spec import Spec
from sweepstakes.standings import ScoreColumn
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import SIGNIFICANT, head_to_head, ranks
from sweepstakes.tournaments.statistics.standings import estimate_of
from sweepstakes.web.data.serialize import position_text

SIZES = ((1, 1), (1, 9), (7, 2), (5, 5), (8, 8), (9, 9), (16, 16), (16, 16), (16, 30), (16, 30), (20, 12), (24, 40))
NOISES = (*["exact-clues"] * 6, "hidden(rate=0.25)", "liar(rate=0.1)", "cautious(rate=0.3)",
          "optimistic(rate=0.2)", "hidden(blanks=true, rate=0.4)", "liar(blanks=true, rate=0.15)")  # fmt: skip


def make_cases(positions: int, games: int, seed: int = 1) -> dict[str, Any]:
    """The cases, as JSON data."""
    rng, registry = random.Random(seed), Registry.built_in()
    listed = _hard_positions()
    while len(listed) < positions:
        listed.append(_position(rng, registry))
    return {
        "positions": listed,
        "games": [_game(rng, registry) for _ in range(games)],
        "tables": _tables(registry),
        "functions": _functions(rng),
        "reviews": [_review(rng, registry) for _ in range(max(games // 4, 20))],
        "comparisons": [_comparison(rng) for _ in range(150)],
        "densities": [_density(rng) for _ in range(300)],
    }


def _tables(registry: Registry) -> dict[str, Any]:
    """The likelihoods of every built-in noise."""
    names = [*NOISES, *(f"{name}(rate={rate}{more})" for name in ("hidden", "liar", "cautious", "optimistic")
                        for rate in (0, 0.07, 1) for more in ("", ",blanks=true"))]  # fmt: skip
    found = {name: registry.noise(Spec.parse(name)) for name in names}
    return {
        name: {"floods": noise.floods, "noisy": int(not noise.exact), "table": _bytes(noise.table)}
        for name, noise in found.items()
    }


def _comparison(rng: random.Random) -> dict[str, Any]:
    """Return scores of a person and some agents on the same boards, and what the package computes from them."""
    boards, agents = rng.choice((1, 2, 3, 8, 20, 100, 400)), rng.randrange(1, 14)
    proportion, more = rng.random() < 0.4, rng.random() < 0.8
    skill = [rng.random() for _ in range(agents + 1)]
    if proportion:
        columns = [[float(rng.random() < each) for _ in range(boards)] for each in skill]
    else:
        digits = rng.choice((0, 1, 6))
        columns = [[round(min(1.0, rng.gauss(each, 0.3)), digits) for _ in range(boards)] for each in skill]
    score = ScoreColumn("score", more, proportion)
    sign, bounds = (1 if more else -1), (-2.0, 1.0)
    pairs = head_to_head(sign * np.array(columns).T)
    means = [sign * Moments.of(each).mean for each in columns]
    places = ranks(means, pairs)
    expected: list[dict[str, Any]] = []
    for each, place in zip(columns, places, strict=True):
        mean, low, high = estimate_of(Moments.of(each), score, bounds)
        expected.append({"mean": mean, "low": low, "high": high, "rank": place})
    for pair in pairs[:agents]:
        expected[pair.second] |= {
            "better": pair.better, "equal": pair.equal, "worse": pair.worse,
            "difference": sign * pair.difference.mean, "significant": pair.mean_holm < SIGNIFICANT,
        }  # fmt: skip
    return {
        "columns": columns,
        "column": {"proportion": proportion, "more_is_better": more, "bounds": bounds},
        "expected": expected,
    }


def _density(rng: random.Random) -> tuple[int, int, float, int]:
    """Rows, columns, a density as people type it, and the number of mines."""
    rows, cols, density = rng.randrange(1, 101), rng.randrange(1, 101), rng.randrange(10_001) / 10_000
    return rows, cols, density, Size.of(rows, cols, density=density).mines


def _functions(rng: random.Random) -> dict[str, list[tuple[float, float]]]:
    """Arguments and values of the mathematical functions."""
    small = [10 ** rng.uniform(-290, 290) for _ in range(200)] + [1 + rng.uniform(-0.1, 0.1) for _ in range(200)]
    counts = [float(rng.randrange(1, 10**6)) for _ in range(200)] + [float(n) for n in range(1, 200)]
    odds = [10 ** rng.uniform(-6, 6) for _ in range(200)]
    given = {math.log: small, math.lgamma: counts, math.log1p: odds}
    return {function.__name__: [(x, function(x)) for x in arguments] for function, arguments in given.items()}


def _setup(rng: random.Random, *, noise: str | None = None) -> GameSetup:
    while True:
        rows, cols = rng.choice(SIZES)
        mines = round(rows * cols * rng.choice((0.0, 0.08, 0.12, 0.16, 0.2, 0.2, 0.25, 0.5)))
        size = Size(rows, cols, mines)
        start = Cell(rng.randrange(rows), rng.randrange(cols)) if rng.random() < 0.2 else None
        rules = Rules(
            rng.choice(("end", "continue")), rng.choice(("any", "safe", "opening")), start, rng.random() < 0.8
        )
        try:
            rules.check(size)
        except PositionError:
            continue
        spec = Spec.parse(noise or rng.choice(NOISES))
        return GameSetup(size, rng.randrange(1 << 60), rng.randrange(1000), rules, noise=spec)


def _describe(setup: GameSetup) -> dict[str, Any]:
    rows, cols, mines = setup.size
    rules = setup.rules
    return {
        "rows": rows,
        "cols": cols,
        "mines": mines,
        "on_mine": rules.on_mine,
        "first_click": rules.first_click,
        "start": None if rules.start is None else rules.start.row * cols + rules.start.col,
        "flood": rules.flood,
        "noise": str(setup.noise),
        "seed": str(setup.seed),
        "number": setup.number,
    }


def _position(rng: random.Random, registry: Registry) -> dict[str, Any]:
    """Return a position of a game: turns of `exact`, random cells, sometimes a person's flags or a changed clue."""
    setup = _setup(rng)
    game = setup.game(registry)
    agent = start_agent(registry.agent("exact"), 0)
    for _ in range(rng.randrange(0, 25)):
        if game.over:
            break
        before = game.view()
        if rng.random() < 0.3:
            covered = np.flatnonzero(before.shown == COVERED)
            if not covered.size:
                break
            game.take(Turn(open=np.array([rng.choice(covered.tolist())])))
        else:
            game.take(agent.act(before))
        if game.over and rng.random() < 0.7:
            return _answers(before, setup, rng)
    view = game.view()
    shown = view.shown.copy().reshape(-1)
    if rng.random() < 0.3:  # a person's flags, right or wrong
        for cell in rng.sample(range(shown.size), min(shown.size, 4)):
            if shown[cell] == COVERED:
                shown[cell] = FLAG
    if rng.random() < 0.1:  # may contradict other clues
        clues = np.flatnonzero((shown >= 0) & (shown < 8))
        if clues.size:
            shown[rng.choice(clues.tolist())] += 1
    return _answers(view._replace(data=shown.tobytes()), setup, rng)


def _hard_positions() -> list[dict[str, Any]]:
    """Return positions that are too large for an exact sum: isolated withheld and low clues all over a wide board."""
    rng = random.Random(5)
    found = []
    for side, every in ((24, 2), (40, 2)):
        marks = [["." for _ in range(side)] for _ in range(side)]
        for row in range(1, side, every):
            for col in range(1, side, every):
                marks[row][col] = str(rng.choice((2, 3)))
        text = "\n".join("".join(row) for row in marks)
        view = View.parse(text, mines=side * side // 3)
        found.append(_answers(view, GameSetup(Size(side, side, side * side // 3)), rng))
    return found


def _answers(view: View, setup: GameSetup, rng: random.Random) -> dict[str, Any]:
    known, free = posterior_under_rules(view), posterior_under_rules(view, trust_flags=False)
    case = _describe(setup) | {
        "shown": position_text(view),
        "status": str(known.status),
        "probability": _bytes(known.probability),
        "certain": _bytes(known.certain),
        "guess": known.decision.guess,
        "logarithm": _number(known.log_layouts),
        "untrusting": {"status": str(free.status), "probability": _bytes(free.probability)},
        "first_click_safe": is_first_click_safe(view),
        "components": 0,
    }
    noise = None if view.noise.exact else view.noise.table
    if view.noise.exact and not case["first_click_safe"]:
        case["components"] = summed(view.shown, view.mines, probability=NO_FLOATS, certain=NO_CODES).components
    if view.shown.size <= 100:
        checked = check_flags(view)
        case["flags"] = dict(
            zip(("proven", "wrong", "conflicting"), [flat_cells(c, view.cols) for c in checked], strict=True)
        )
    if known.status is Status.INCONSISTENT:
        found = contradiction(view.shown, view.mines, noise=noise)
        cells = flat_cells(sorted((*found.clues, *found.mines)), view.cols)
        return case | {"contradiction": {"cells": cells, "counted": found.counted}}
    solution = solve(view)
    case["best"] = None if solution.best is None else solution.best.row * view.cols + solution.best.col
    case["turn"] = _turn(start_agent(Registry.built_in().agent("exact"), 0).act(view), view.cols)
    if known.status is Status.OK and (solution.safe or solution.mines):
        cell = rng.choice([*solution.safe, *solution.mines])
        clues, counted = minimal_proof(view.shown, view.mines, cell, int(known.certain[cell]), noise=noise)
        case["proof"] = {
            "cell": cell.row * view.cols + cell.col,
            "mine": bool(known.certain[cell] == 2),
            "clues": flat_cells(clues, view.cols),
            "counted": counted,
        }
    return case


def _review(rng: random.Random, registry: Registry) -> dict[str, Any]:
    """A game with mistakes and wrong flags, and its review. Nothing in it is called proven, as in a person's game."""
    while True:
        setup = _setup(rng)
        if setup.size.cells > 1:
            break
    game, agent = setup.game(registry), start_agent(registry.agent("exact"), 0)
    turns: list[Turn] = []
    while not game.over and len(turns) < 80:
        covered = np.flatnonzero(game.view().shown == COVERED)
        if not covered.size:
            break
        some = np.array([rng.choice(covered.tolist())])
        chance = rng.random()
        turn = Turn(open=some) if chance < 0.1 else Turn(flag=some) if chance < 0.15 else agent.act(game.view())
        opens = np.intersect1d(np.array(flat_cells(turn.open, setup.size.cols), np.int64), covered)
        flag = [cell for cell in flat_cells(turn.flag, setup.size.cols) if cell in covered and rng.random() < 0.3]
        if not opens.size and not flag:
            opens = some
        turn = Turn(opens, np.array(flag, np.int64), (), "guess")
        turns.append(turn)
        game.take(turn)
    review = review_game(setup, turns, registry=registry)
    cols, summary = setup.size.cols, review.summary
    return _describe(setup) | {
        "turns": [{"open": flat_cells(turn.open, cols), "flag": flat_cells(turn.flag, cols)} for turn in turns],
        "numbers": list(summary[:5]),
        "by_turn": [[turn.label or "", turn.alive, turn.luck, turn.accurate] for turn in summary.turns[:-1]],
        "chances": None if setup.rules.on_mine != "end" else [turn.chance for turn in summary.turns],
        "mistakes": [_mistake(review, one) for one in review.judgements if one.label in MISTAKES],
    }


def _mistake(review: GameReview, judgement: Judgement) -> dict[str, Any]:
    cols = review.position(judgement).cols
    opens = judgement.action == "open"
    missed = review.missed_proof(judgement) if opens else None
    best = missed[0] if missed else review.least_risky(judgement) if opens else None
    return {
        "turn": judgement.turn,
        "label": judgement.label,
        "cell": judgement.cell.row * cols + judgement.cell.col,
        "cost": judgement.cost,
        "best": None if best is None else best.row * cols + best.col,
        "clues": flat_cells(missed[1], cols) if missed else [],
    }


def _turn(turn: Turn, cols: int) -> dict[str, Any]:
    return {
        "open": flat_cells(turn.open, cols),
        "flag": flat_cells(turn.flag, cols),
        "unflag": flat_cells(turn.unflag, cols),
        "why": turn.why,
        "probability": turn.probability,
        "fallback": bool(turn.fallback),
    }


def _game(rng: random.Random, registry: Registry) -> dict[str, Any]:
    """A whole game of `exact`."""
    setup = _setup(rng)
    game: Game = setup.game(registry)
    played = play_game(game, registry.agent("exact"))
    result = played.result
    return _describe(setup) | {
        "ending": str(result.ending),
        "final": position_text(game.view()),
        "layout": "".join("*" if mine else "." for mine in game.board.layout),
        "result": {name: getattr(result, name) for name in RESULT},
        "scores": {name: float(registry.make("score", name)(result)) for name in ("identified", "win", "safe-opened")},
    }


RESULT = ("opened", "right_flags", "wrong_flags", "detonated", "turns", "cells_clicked", "guesses", "fallbacks",
          "clicks", "three_bv")  # fmt: skip


def _bytes(values: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()


def _number(value: float) -> float | str:
    return value if np.isfinite(value) else str(value)
