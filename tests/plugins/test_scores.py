from __future__ import annotations

from math import isnan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Board, Ending, Game, GameResult, PluginError, Registry, Rules, Score, Size, Turn
from sweepstakes.boards import BoardRef
from sweepstakes.game.board_statistics import board_statistics
from sweepstakes.plugins.scores.standard import Win
from sweepstakes.score import bounds_of

SCORES: dict[str, Score] = {
    name: Registry.default().make("score", name)
    for name in ("identified", "win", "safe-opened", "detonated", "turns", "guesses")
}


def result(
    mines: int,
    ending: Ending,
    *,
    opened: int = 0,
    right: int = 0,
    wrong: int = 0,
    detonated: int = 0,
    turns: int = 5,
    guesses: int = 2,
) -> GameResult:
    """A game on 2 x 5 cells."""
    return GameResult(2, 5, mines, ending, opened, right, wrong, detonated, turns, 5, guesses, 0)


WON, LOST, FINISHED, GAVE_UP = Ending.WON, Ending.LOST, Ending.FINISHED, Ending.GAVE_UP
FAULTS = [ending for ending in Ending if ending.is_fault]


@pytest.mark.parametrize(
    ("game", "identified", "win", "safe_opened", "detonated"),
    [
        # an ordinary board: 4 mines, 6 safe cells, w = 1
        (result(4, WON, opened=6, right=4), 1.0, 1.0, 1.0, 0.0),
        (result(4, FINISHED, opened=6, right=3, detonated=1), 0.75, 0.0, 1.0, 1.0),
        (result(4, FINISHED, opened=5, right=4, wrong=1), 0.75, 0.0, 5 / 6, 0.0),
        (result(4, LOST, opened=3, right=1, detonated=1), 0.25, 0.0, 0.5, 1.0),
        (result(4, FINISHED, right=4, wrong=6), -0.5, 0.0, 0.0, 0.0),
        # given up: as it stands
        (result(4, GAVE_UP), 0.0, 0.0, 0.0, 0.0),
        (result(4, GAVE_UP, opened=3, right=2, wrong=1), 0.25, 0.0, 0.5, 0.0),
        (result(4, GAVE_UP, opened=6), 0.0, 1.0, 1.0, 0.0),
        # more mines than safe cells: 8 mines, 2 safe, w = 4
        (result(8, FINISHED, right=8, wrong=2), 0.0, 0.0, 0.0, 0.0),
        (result(8, FINISHED, opened=1, right=8, wrong=1), 0.5, 0.0, 0.5, 0.0),
        # no mines
        (result(0, WON, opened=10), 1.0, 1.0, 1.0, 0.0),
        (result(0, FINISHED, opened=7, wrong=3), -3.0, 0.0, 0.7, 0.0),
        (result(0, GAVE_UP), 1.0, 0.0, 0.0, 0.0),
        # mines only
        (result(10, WON, right=10), 1.0, 1.0, 1.0, 0.0),
        (result(10, FINISHED, right=7, detonated=3), 0.7, 0.0, 1.0, 3.0),
        (result(10, WON), 0.0, 1.0, 1.0, 0.0),
    ],
)
def test_scores_of_stated_cases(
    game: GameResult, identified: float, win: float, safe_opened: float, detonated: float
) -> None:
    scored = {name: score(game) for name, score in SCORES.items()}
    assert scored == pytest.approx(
        {
            "identified": identified,
            "win": win,
            "safe-opened": safe_opened,
            "detonated": detonated,
            "turns": 5.0,
            "guesses": 2.0,
        }
    )


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    ("counts", "identified"),
    [
        ({"mines": 4, "opened": 6, "right": 4}, 0.0),
        ({"mines": 4, "opened": 1, "right": 1, "wrong": 3}, -0.5),
        ({"mines": 0, "opened": 10}, 0.0),
        ({"mines": 0, "wrong": 2}, -2.0),
        ({"mines": 10, "right": 10}, 0.0),
    ],
)
def test_a_fault_scores_the_worst_of_what_stands_and_nothing(
    fault: Ending, counts: dict[str, Any], identified: float
) -> None:
    game = result(ending=fault, **counts)
    scored = {name: score(game) for name, score in SCORES.items()}
    assert scored == pytest.approx(
        {
            "identified": identified,
            "win": 0.0,
            "safe-opened": 0.0,
            "detonated": float(game.mines),
            "turns": 56.0,
            "guesses": 10.0,
        }
    )


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_flagging_everything_scores_at_most_nothing(mines: int, safe: int, data: st.DataObject) -> None:
    everything = GameResult(1, mines + safe, mines, FINISHED, 0, mines, safe, 0, 1, 0, 0, 0)
    assert SCORES["identified"](everything) <= 1e-12
    opened = data.draw(st.integers(0, safe))
    rest = everything._replace(opened=opened, wrong_flags=safe - opened)
    assert SCORES["identified"](rest) <= 1 + 1e-12


@given(st.integers(0, 12), st.integers(0, 12), st.data())
def test_a_fault_is_never_worth_more_than_the_same_game_given_up(mines: int, safe: int, data: st.DataObject) -> None:
    if mines + safe == 0:
        return
    opened = data.draw(st.integers(0, safe))
    wrong = data.draw(st.integers(0, safe - opened))
    right = data.draw(st.integers(0, mines))
    detonated = data.draw(st.integers(0, mines - right))
    cells = mines + safe
    turns = data.draw(st.integers(0, 4 * cells + 16))
    guesses = data.draw(st.integers(0, min(turns, cells)))
    game = GameResult(1, cells, mines, GAVE_UP, opened, right, wrong, detonated, turns, cells, guesses, 0)
    for fault in FAULTS:
        for score in SCORES.values():
            up = 1 if score.more_is_better else -1
            assert up * score(game._replace(ending=fault)) <= up * score(game)


@given(st.integers(0, 12), st.integers(0, 12), st.data())
def test_no_game_is_beyond_the_bounds_of_its_score(mines: int, safe: int, data: st.DataObject) -> None:
    if mines + safe == 0:
        return
    cells = mines + safe
    opened = data.draw(st.integers(0, safe))
    wrong = data.draw(st.integers(0, safe - opened))
    right = data.draw(st.integers(0, mines))
    detonated = data.draw(st.integers(0, mines - right))
    turns = data.draw(st.integers(0, 4 * cells + 16))
    guesses = data.draw(st.integers(0, min(turns, cells)))
    game = GameResult(1, cells, mines, GAVE_UP, opened, right, wrong, detonated, turns, cells, guesses, 0)
    for result in (game, *(game._replace(ending=fault) for fault in FAULTS)):
        for name, score in SCORES.items():
            low, high = bounds_of(score, name, Size(1, cells, mines))
            assert low <= score(result) <= high, name


def test_a_score_with_impossible_bounds_is_named() -> None:
    class Odd(Win):
        def bounds(self, size: Size) -> tuple[float, float]:
            return (1.0, 0.0) if size.mines else (1.0 / size.mines, 0.0)

    with pytest.raises(PluginError, match=r"score 'odd' has the bounds 1.0 and 0.0: expected a number and a"):
        bounds_of(Odd(), "odd", Size(1, 2, 1))
    with pytest.raises(PluginError, match=r"score 'odd' raised ZeroDivisionError.* for its bounds on 1x2"):
        bounds_of(Odd(), "odd", Size(1, 2, 0))


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_a_wrong_flag_always_costs_and_a_right_flag_always_pays(mines: int, safe: int, data: st.DataObject) -> None:
    right, wrong = data.draw(st.integers(0, mines - 1)), data.draw(st.integers(0, safe - 1))
    game = GameResult(1, mines + safe, mines, FINISHED, 0, right, wrong, 0, 1, 0, 0, 0)
    score = SCORES["identified"]
    assert score(game._replace(wrong_flags=wrong + 1)) < score(game) < score(game._replace(right_flags=right + 1))


def test_every_score_says_which_way_is_better() -> None:
    assert {name: score.more_is_better for name, score in SCORES.items()} == {
        "identified": True,
        "win": True,
        "safe-opened": True,
        "detonated": False,
        "turns": False,
        "guesses": False,
    }
    assert [name for name, score in SCORES.items() if score.proportion] == ["win"]


def test_efficiency_is_3bv_per_click_of_won_games() -> None:
    score = Registry.default().make("score", "efficiency")
    won = GameResult(9, 9, 10, WON, 71, 10, 0, 0, 30, 20, 1, 0, clicks=30, three_bv=15)
    games = [
        won,
        won._replace(clicks=None, three_bv=None),
        won._replace(clicks=0, cells_clicked=0),
        won._replace(ending=LOST, opened=70, detonated=1, three_bv=0),
        won._replace(ending=Ending.ERROR, fault="it raised", three_bv=0),
    ]
    values = [score(game) for game in games]
    assert values[0] == 0.5
    assert all(isnan(value) for value in values[1:])


def test_the_referee_counts_clicks_and_3bv_for_it() -> None:
    game = Game(Board.parse("*....\n.....\n....*"), Rules("end"))
    for turn in (Turn(flag=[(0, 0), (2, 4)]), Turn(unflag=[(2, 4)]), Turn(open=[(0, 3), (0, 2)]), Turn(open=[(0, 1)])):
        if not game.over:
            game.take(turn)
    assert game.ending == WON
    assert game.result().three_bv == board_statistics(game.board).three_bv == 1
    assert game.result().clicks == 4  # two flags, one taken away, a cell whose flood opens all others
    assert Registry.default().make("score", "efficiency")(game.result()) == 0.25


@pytest.mark.parametrize("seed", range(20))
def test_3bv_of_a_won_game_is_that_of_its_board(seed: int) -> None:
    size = Size(3 + seed % 7, 4 + seed % 11, seed * 2 % 12)
    game = Game(BoardRef(Registry.default().source("uniform"), size, seed), Rules("end"))
    game.take(Turn(open=[cell for cell in game.view().covered() if not game.board.is_mine(cell)]))
    assert game.ending == WON
    assert game.result().three_bv == board_statistics(game.board).three_bv
