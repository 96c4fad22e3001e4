from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Ending, GameResult, PluginError, Registry, Score, Size
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
