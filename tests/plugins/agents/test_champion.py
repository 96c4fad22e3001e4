"""`champion`: optimal on tiny boards, `exact` where it says so, and never different from itself."""

from __future__ import annotations

import hashlib
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from sweepstakes import Board, BoardRef, Cell, Game, ParameterError, Registry, Rules, Size, Spec, View, play_game
from sweepstakes.inference.best_guess import Guess, best_guess
from sweepstakes.plugins.agents import champion
from sweepstakes.warm_up import warm_up

REGISTRY = Registry.default()


def game(number: int, rules: Rules, noise: str = "exact-clues") -> Game:
    source = REGISTRY.make("board source", "uniform")
    return Game(BoardRef.of(source, "uniform", Size(9, 9, 14), 23, number), rules, REGISTRY.noise(noise))


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "start", "won"),
    [
        (4, 4, 3, Cell(0, 0), 400),
        (4, 4, 4, Cell(0, 1), 961),
        pytest.param(3, 5, 4, Cell(0, 1), 614, marks=pytest.mark.slow),
    ],
)
def test_playing_every_layout_of_a_tiny_board_wins_as_many_as_can_be_won(
    rows: int, cols: int, mines: int, start: Cell, won: int
) -> None:
    factory = REGISTRY.agent("champion")
    wins = 0
    for layout in combinations(range(rows * cols), mines):
        board = Board.of(rows, cols, [divmod(at, cols) for at in layout])
        wins += play_game(Game(board, Rules("end", start=start)), factory).result.won
    assert wins == won


@pytest.mark.parametrize(
    ("rules", "noise"),
    [
        (Rules(), "exact-clues"),
        (Rules("continue", "safe"), "exact-clues"),
        (Rules("end", "safe"), "liar(rate=0.1)"),
        (Rules("continue"), "hidden(rate=0.3)"),
    ],
)
def test_under_continue_and_under_noise_it_plays_as_exact(rules: Rules, noise: str) -> None:
    for number in range(5):
        played = [
            play_game(game(number, rules, noise), REGISTRY.agent(name), keep_turns=True)
            for name in ("champion", "exact")
        ]
        assert played[0].turns == played[1].turns


def test_without_its_parts_it_plays_as_exact_and_with_them_otherwise() -> None:
    different = 0
    bare = REGISTRY.agent(Spec("champion", {"endgame": False, "lookahead": False}))
    for number in range(12):
        exact, without, whole = (
            play_game(game(number, Rules("end", "safe")), factory, keep_turns=True).turns
            for factory in (REGISTRY.agent("exact"), bare, REGISTRY.agent("champion"))
        )
        assert without == exact
        different += whole != exact
    assert different > 2


GOLDEN = {
    "champion": "7170457e3de1",
    "champion(weights=all)": "b165080242c0",
    "champion(influence=product)": "a0988b3b89bf",
    "champion(influence=none)": "b50b40559957",
    "champion(endgame=false)": "96f90c6b2bc3",
    "champion(lookahead=false)": "a84c22144897",
}


def digest(agent: str) -> str:
    """A short hash of all guesses in 24 games."""
    text = hashlib.sha256()
    source = REGISTRY.make("board source", "uniform")
    for number in range(24):
        size = (Size(16, 30, 99), Size(12, 12, 28))[number % 2]
        rules = (Rules("end", "safe"), Rules("end", "opening"))[number // 2 % 2]
        board_ref = BoardRef.of(source, "uniform", size, 29, number)
        played = play_game(Game(board_ref, rules), REGISTRY.agent(agent), keep_turns=True)
        guesses = [np.asarray(turn.open).tolist() for turn in played.turns or [] if turn.why == "guess"]
        text.update(repr([number, played.result.won, guesses]).encode())
    return text.hexdigest()[:12]


@pytest.mark.parametrize("agent", GOLDEN)
def test_other_guesses_need_a_new_version(agent: str) -> None:
    assert (REGISTRY.find("agent", "champion").version, digest(agent)) == ("v1", GOLDEN[agent])


def test_a_guess_has_its_own_mine_probability() -> None:
    turn = REGISTRY.agent("champion")().act(View.parse("3 4 2 on_mine=end\n.1..\n....\n...1"))
    assert (np.asarray(turn.open).tolist(), turn.why) == ([8], "guess")
    assert turn.probability == pytest.approx(1 / 11)


def test_warming_up_reaches_every_kernel_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = []

    def noting(*given: Any) -> Guess:
        guess = best_guess(*given)
        reasons.append(guess.reason)
        return guess

    monkeypatch.setattr(champion, "best_guess", noting)
    warm_up([REGISTRY.agent("champion")], quiet=True)
    assert {"lookahead", "endgame"} <= set(reasons)


@pytest.mark.parametrize("given", [{"influence": "some"}, {"weights": "six"}])
def test_an_unknown_switch_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match=next(iter(given))):
        REGISTRY.agent(Spec("champion", given))()
