"""Luck is 0 on average, exactly: over all layouts of small boards, for all agents, under every rule and noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from sweepstakes import (
    Agent,
    Board,
    BoardRef,
    Cell,
    Game,
    GameSetup,
    Noise,
    Registry,
    Rules,
    Size,
    Spec,
    Turn,
    View,
    play_game,
)
from sweepstakes.agent import start_agent
from sweepstakes.boards import FixedBoard
from sweepstakes.game import referee_kernels
from sweepstakes.game.codes import DETONATED
from sweepstakes.plugins.agents.basic import Basic
from sweepstakes.plugins.agents.exact import Exact
from sweepstakes.plugins.agents.random import Random
from sweepstakes.plugins.scores.review import IdentifiedAdjusted, WinAdjusted
from sweepstakes.plugins.scores.standard import Identified, Win
from sweepstakes.review import review_game


class Hasty(Agent):
    """Flags and opens many cells at random in one turn, and calls all of it proven."""

    def act(self, view: View) -> Turn:
        cells = view.covered()
        self.rng.shuffle(cells)
        return Turn(flag=cells[3:4], open=cells[:3], why="proof")


class Fearful(Agent):
    """Opens cells row by row, and gives up as soon as it sees a clue above 1."""

    def act(self, view: View) -> Turn:
        clues = [view.clue(cell) or 0 for cell in view.open()]
        return Turn(open=view.covered()[:1]) if max(clues, default=0) <= 1 else Turn()


class Spoilt(Agent):
    """Opens cells at random; raises when it has survived two of them."""

    def act(self, view: View) -> Turn:
        if len(view.open()) >= 2:
            raise RuntimeError("too good to be true")
        return Turn(open=[self.rng.choice(view.covered())], why="guess", probability=0.5)


class Flagger(Agent):
    """Plays like `exact`, but also flags the likeliest mine with each guess, which is often wrong."""

    def act(self, view: View) -> Turn:
        turn = Exact().act(view)
        rest = [cell for cell in view.covered() if cell.row * view.cols + cell.col not in [*turn.open]]
        return turn._replace(flag=[self.rng.choice(rest)]) if turn.why == "guess" and rest else turn


AGENTS: list[Callable[[], Agent]] = [Exact, Basic, Random, Hasty, Fearful, Spoilt, Flagger]
REGISTRY = Registry.default()
Outcome = tuple[float, Game, Game]


def outcomes(
    size: Size, rules: Rules, noise: Noise, number: int, agent: Callable[[], Agent], patch: pytest.MonkeyPatch
) -> Iterator[Outcome]:
    """Every layout, with everything that its cells may show: a weight, and two games of it before the first turn.

    Layouts that the protected first click excludes are left out; the first click is always the same, since the view
    and the random numbers are.
    """
    rows, cols, mines = size
    first = rules.start
    if rules.first_click != "any" and first is None:
        fixed = Board.of(rows, cols, [divmod(cell, cols) for cell in range(mines)])
        unborn = Game(BoardRef(FixedBoard(fixed), size, 0, number), rules, noise)  # it has no board yet
        opens = start_agent(agent, unborn.agent_seed).act(unborn.view()).open
        first = Cell(*divmod(int(opens[0]), cols)) if isinstance(opens, np.ndarray) else Cell(*opens[0])
    protected = rules.protected(size, first) if first is not None else ()
    for layout in combinations(range(rows * cols), mines):
        if set(layout) & set(protected):
            continue
        board = Board.of(rows, cols, [divmod(cell, cols) for cell in layout])
        for weight, codes in shown_codes(board, noise):

            def write(revealed: npt.NDArray[np.int8], *rest: Any, codes: tuple[int, ...] = codes) -> None:
                revealed[:] = codes

            patch.setattr(referee_kernels, "blur", write)
            ref = BoardRef(FixedBoard(board), size, 0, number)
            yield weight, Game(ref, rules, noise), Game(ref, rules, noise)


def shown_codes(board: Board, noise: Noise) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Everything that the cells of a board may show, with its probability."""
    choices: list[list[tuple[int, float]]] = []
    for cell in (Cell(r, c) for r in range(board.rows) for c in range(board.cols)):
        around = [
            Cell(r, c)
            for r in range(max(cell.row - 1, 0), min(cell.row + 2, board.rows))
            for c in range(max(cell.col - 1, 0), min(cell.col + 2, board.cols))
            if (r, c) != cell
        ]
        count = sum(board.is_mine(other) for other in around)
        likely = noise.table[len(around), count]
        likelihoods = [(code, float(p)) for code, p in enumerate(likely) if p > 0]
        choices.append([(DETONATED, 1.0)] if board.is_mine(cell) else likelihoods)
    for picked in product(*choices):
        yield prod(p for _, p in picked), tuple(code for code, _ in picked)


CASES = [
    (Size(3, 3, 2), Rules("end", "any"), "exact-clues"),
    (Size(3, 3, 3), Rules("continue", "any"), "exact-clues"),
    (Size(3, 4, 3), Rules("end", "safe"), "exact-clues"),
    (Size(2, 5, 3), Rules("continue", "safe"), "exact-clues"),
    (Size(4, 4, 2), Rules("end", "opening"), "exact-clues"),
    (Size(3, 4, 2), Rules("continue", "opening"), "exact-clues"),
    (Size(3, 3, 2), Rules("end", "any", Cell(1, 1)), "exact-clues"),
    (Size(3, 3, 3), Rules("continue", "safe", Cell(0, 1), flood=False), "exact-clues"),
    (Size(2, 3, 2), Rules("end", "any"), "hidden(rate=0.3)"),
    (Size(2, 3, 2), Rules("continue", "safe"), "hidden(rate=0.3)"),
    (Size(2, 3, 2), Rules("end", "safe", Cell(0, 0)), "optimistic(rate=0.25)"),
    (Size(2, 4, 1), Rules("continue", "opening"), "hidden(rate=0.4)"),
]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.__name__)
@pytest.mark.parametrize(("size", "rules", "noise"), CASES, ids=str)
def test_over_all_layouts_the_adjusted_mean_is_the_raw_mean(
    agent: Callable[[], Agent], size: Size, rules: Rules, noise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lucky = 0.0
    for number in range(2):  # the seed of the agent's random numbers
        total = np.zeros(5)
        for weight, game, again in outcomes(size, rules, REGISTRY.noise(noise), number, agent, monkeypatch):
            played = play_game(game, agent, keep_turns=True)
            luck = review_game(again, played.turns or []).luck
            result = played.result._replace(measures={"win-adjusted": luck.win, "identified-adjusted": luck.identified})
            total += weight * np.array(
                [1.0, Win()(result), WinAdjusted()(result), Identified()(result), IdentifiedAdjusted()(result)]
            )
            lucky += weight * (abs(luck.win) + abs(luck.identified))
        _, win, win_adjusted, identified, identified_adjusted = total / total[0]
        assert win_adjusted == pytest.approx(win, abs=1e-11)
        assert identified_adjusted == pytest.approx(identified, abs=1e-11)
    certain = rules.first_click == "opening" and agent is Fearful
    assert lucky > 0 or certain or rules.first_click == "opening"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "size", "rules"),
    [
        ("basic", Size(6, 6, 7), Rules("end", "safe")),
        ("exact", Size(6, 6, 7), Rules("end", "any")),
        ("random", Size(4, 4, 3), Rules("continue")),
    ],
)
def test_over_a_hundred_thousand_games_the_means_are_within_two_standard_errors(
    agent: str, size: Size, rules: Rules
) -> None:
    games = 100_000
    factory = REGISTRY.agent(Spec(agent))
    luck = np.empty((games, 2))
    for number in range(games):
        setup = GameSetup(size, 2026, number, rules)
        played = play_game(setup.game(REGISTRY), factory, keep_turns=True)
        luck[number] = review_game(setup.game(REGISTRY), played.turns or []).luck
    error = luck.std(axis=0) / np.sqrt(games)
    assert (np.abs(luck.mean(axis=0)) <= 2 * error).all(), luck.mean(axis=0) / error
