"""Results as columns give the same games, scores and errors as single results."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Ending, GameResult, MeasuredScore, Registry, Rules, Score, Size
from sweepstakes.game.result import check_result
from sweepstakes.game.result_columns import ResultColumns

COUNTS = st.integers(-1, 14)


@st.composite
def results(draw: st.DrawFn) -> GameResult:
    """Results on small boards, of which some can be and some cannot."""
    rows, cols = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    mines = draw(st.integers(0, rows * cols))
    safe = rows * cols - mines
    ending = draw(st.sampled_from(list(Ending)))
    opened = draw(st.sampled_from([safe, 0, 1]) | COUNTS)
    detonated = draw(st.sampled_from([0, 1]) | COUNTS)
    right = draw(st.sampled_from([mines - detonated, 0]) | COUNTS)
    wrong = draw(st.sampled_from([safe - opened, 0]) | COUNTS)
    turns = draw(st.sampled_from([3, 4 * rows * cols + 16, 4 * rows * cols + 17]) | COUNTS)
    others = [draw(st.sampled_from([0, 1]) | COUNTS) for _ in range(3)]
    fault = draw(st.sampled_from(["it raised" if ending.is_fault else "", "", "it raised"]))
    measures: Any = draw(st.sampled_from([{}, {"far": 2.5}, {"far": None}, {"near": 1.0}]))
    clicks = draw(st.sampled_from([None, max(others[0] + right + wrong, 0)]) | st.integers(0, 14))
    three_bv = draw(st.sampled_from([None, 0, max(opened, 0)]) | st.integers(0, 14))
    counts = opened, right, wrong, detonated, turns, *others, clicks, three_bv
    return GameResult._make((rows, cols, mines, ending, *counts, fault, measures))


def is_possible(result: GameResult, rules: Rules) -> bool:
    try:
        check_result(result, Size(*result[:3]), rules)
    except ValueError:
        return False
    return True


GAMES = st.lists(results(), max_size=30)


@given(GAMES)
def test_columns_hold_the_games(games: list[GameResult]) -> None:
    columns = ResultColumns.of(games)
    assert len(columns) == len(games)
    assert list(columns) == games
    assert columns.won.tolist() == [game.won for game in games]
    assert columns.safe.tolist() == [game.safe for game in games]


@given(GAMES, st.data())
def test_columns_refuse_the_counts_that_are_refused_one_by_one(games: list[GameResult], data: st.DataObject) -> None:
    ends = [data.draw(st.booleans()) for _ in games]
    expected = [
        not is_possible(game, Rules("end" if end else "continue")) for game, end in zip(games, ends, strict=True)
    ]
    assert ResultColumns.of(games).impossible(np.array(ends, np.int64)).tolist() == expected


def test_the_games_tried_are_of_both_kinds() -> None:
    seen = {True: 0, False: 0}

    @given(results(), st.sampled_from(["end", "continue"]))
    def look(game: GameResult, on_mine: Any) -> None:
        seen[is_possible(game, Rules(on_mine))] += 1

    look()
    assert min(seen.values()) >= 5


class Far(MeasuredScore):
    name = "far"

    @staticmethod
    def measure(game: Any, turns: Any) -> Any:
        raise AssertionError

    def worst(self, result: GameResult) -> float:
        return -1.0


class Odd(Score):
    """A score of somebody else, without a column of its own."""

    def of(self, result: GameResult) -> float:
        return result.turns / 3

    def worst(self, result: GameResult) -> float:
        return -float(result.mines)


@given(GAMES)
def test_the_column_of_a_score_is_that_of_its_games(games: list[GameResult]) -> None:
    columns = ResultColumns.of(games)
    built_in = [Registry.built_in().make("score", name) for name in ("identified", "win", "safe-opened")]
    built_in += [Registry.built_in().make("score", name) for name in ("detonated", "turns", "guesses")]
    for score in [*built_in, Odd()]:
        assert score.column(columns).tolist() == [score(game) for game in games], score
    far = Far()
    measured = [far(g) if g.ending.is_fault or "far" in g.measures else np.nan for g in games]
    assert np.array_equal(far.column(columns), np.array(measured, np.float64), equal_nan=True)
