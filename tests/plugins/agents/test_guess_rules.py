"""Every deducing agent guesses by the rule that it is given; the rules against plain twins."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from sweepstakes import Agent, BoardRef, Cell, Game, Registry, Rules, Size, Spec, Turn, View, play_game
from sweepstakes.agent import start_agent

REGISTRY = Registry.default()
RULES = ("random", "low-clue", "unexplored", "beside-a-clue", "local", "accumulated", "share", "exact")
DEFAULTS = {
    "basic": "random",
    "knowledge-base": "random",
    "triples": "random",
    "triples-global": "random",
    "ibm": "random",
    "chain": "accumulated",
    "local-probability": "local",
    "probabilistic": "share",
    "improved-probabilistic": "share",
}


def player(name: str, rule: str, seed: int = 5) -> Agent:
    return start_agent(REGISTRY.agent(Spec(name, {"guess": rule})), seed)


def game(size: Size, number: int, rules: Rules = Rules(), noise: str = "exact-clues") -> Game:
    source = REGISTRY.make("board source", "uniform")
    return Game(BoardRef.of(source, "uniform", size, 17, number), rules, REGISTRY.noise(noise))


@pytest.mark.parametrize("name", DEFAULTS)
def test_the_default_rule_is_the_agents_own(name: str) -> None:
    for number in range(4):
        plain = play_game(game(Size(9, 9, 16), number), REGISTRY.agent(name), keep_turns=True)
        named = play_game(
            game(Size(9, 9, 16), number), REGISTRY.agent(Spec(name, {"guess": DEFAULTS[name]})), keep_turns=True
        )
        assert plain.turns == named.turns


@pytest.mark.parametrize("name", DEFAULTS)
@pytest.mark.parametrize("rule", RULES)
def test_every_deducing_agent_plays_by_every_rule(name: str, rule: str) -> None:
    spec = Spec.parse(f"{name}(guess={rule})")
    setups = [
        (Size(1, 1, 0), Rules(), "exact-clues"),
        (Size(1, 7, 7), Rules(), "exact-clues"),
        (Size(5, 6, 29), Rules(), "exact-clues"),
        (Size(9, 9, 20), Rules("end", "safe"), "exact-clues"),
        (Size(9, 9, 20), Rules(), "liar(rate=0.6,blanks=true)"),
        (Size(9, 9, 20), Rules(), "hidden(rate=0.5)"),
        (Size(9, 9, 20), Rules(flood=False), "optimistic(rate=0.5)"),
    ]
    for number, (size, rules, noise) in enumerate(setups):
        assert not play_game(game(size, number, rules, noise), REGISTRY.agent(spec)).result.fault


def stuck_positions() -> Iterator[View]:
    """Positions in which single clues prove nothing, without flags to come and with some."""
    for number in range(20):
        match = game(Size(6, 7, 9), number, Rules(first_click="safe"))
        agent = player("basic", "random", number)
        while not match.over:
            view, turn = match.view(), agent.act(match.view())
            if turn.why != "proof" and not len(turn.flag):
                yield view
            match.take(turn)


def guessed(turn: Turn, view: View) -> Cell:
    assert turn.why != "proof"
    (cell,) = np.asarray(turn.open)
    return Cell(*divmod(int(cell), view.cols))


def lowest_clue(view: View, cell: Cell) -> float:
    return min((float(view.clue(o) or 0) for o in view.neighbours(cell) if view.is_open(o)), default=99)


def ratios(view: View, cell: Cell) -> list[Fraction]:
    answer = []
    for clue in view.neighbours(cell):
        if view.is_open(clue):
            around = view.neighbours(clue)
            left = sum(view.is_covered(o) for o in around)
            known = sum(view.is_flagged(o) or o in view.detonated() for o in around)
            answer.append(Fraction((view.clue(clue) or 0) - known, left))
    return answer


def shares(view: View, mines: int | None) -> dict[Cell, Fraction]:
    """The share of all ways to put mines into the covered cells, or into those next to a clue if there is no count."""
    covered = view.covered()
    if mines is None:
        covered = [cell for cell in covered if any(view.is_open(o) for o in view.neighbours(cell))]
    known = set(view.flagged()) | set(view.detonated())
    counts = range(len(covered) + 1) if mines is None else [mines - len(known)]
    total, with_mine = 0, dict.fromkeys(covered, 0)
    for count in counts:
        for chosen in combinations(covered, count):
            layout = known | set(chosen)
            if all(view.clue(c) == sum(o in layout for o in view.neighbours(c)) for c in view.open()):
                total += 1
                for cell in chosen:
                    with_mine[cell] += 1
    return {cell: Fraction(n, total) for cell, n in with_mine.items()}


def test_a_guess_is_what_its_rule_says() -> None:
    seen = dict.fromkeys(RULES, 0)
    for view in stuck_positions():
        covered = view.covered()
        frontier = [cell for cell in covered if ratios(view, cell)]
        if not frontier:
            continue
        cell = {rule: guessed(player("basic", rule).act(view), view) for rule in RULES}
        assert lowest_clue(view, cell["low-clue"]) == min(lowest_clue(view, c) for c in covered)
        around = {c: sum(max(abs(c.row - o.row), abs(c.col - o.col)) <= 2 for o in covered) for c in covered}
        assert around[cell["unexplored"]] == max(around.values())
        assert cell["beside-a-clue"] in frontier
        assert max(ratios(view, cell["local"])) == min(max(ratios(view, c)) for c in frontier)
        assert sum(ratios(view, cell["accumulated"])) == min(sum(ratios(view, c)) for c in frontier)
        for rule in ("low-clue", "unexplored", "beside-a-clue", "local", "accumulated"):
            seen[rule] += 1
        if len(frontier) <= 12:
            share = shares(view, None)
            assert share[cell["share"]] == min(share.values())
            seen["share"] += 1
        if len(covered) <= 16:
            chance = shares(view, view.mines)
            assert chance[cell["exact"]] == min(chance.values())
            seen["exact"] += 1
    assert all(count >= 12 for rule, count in seen.items() if rule != "random"), seen


def test_an_unknown_rule_is_refused_in_a_line() -> None:
    from sweepstakes import ParameterError

    with pytest.raises(ParameterError, match="guess: 'lowest' is invalid"):
        REGISTRY.agent("chain(guess=lowest)")
