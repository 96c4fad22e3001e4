from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from sweepstakes import Board, BoardRef, Cell, ClueNoise, Game, Noise, ParameterError, Registry, Rules, Size, Turn
from sweepstakes.game.rng import derive
from sweepstakes.noise import EXACT, ExactClues, ShownClue
from sweepstakes.plugins.boards.uniform import Uniform


class Told(ClueNoise):
    """Shows the truth, except for the clues it was created with."""

    def __init__(self, told: Any) -> None:
        self.told = told

    def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
        told: Mapping[ShownClue, float] = self.told if count == 1 else {count: 1.0}
        return told


class Raising(ClueNoise):
    def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
        raise KeyError("lost")


def test_a_table_has_a_distribution_for_every_count() -> None:
    table = Told({1: 0.25, 3: 0.25, "withheld": 0.5}).model("told").table
    assert table.shape == (9, 9, 10)
    assert np.allclose(table.sum(axis=2), 1)
    assert table[8, 1].tolist() == [0, 0.25, 0, 0.25, 0, 0, 0, 0, 0, 0.5]
    assert table[3, 2].tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "told",
    [
        None,
        5,
        [1.0],
        {},
        {1: 0.5},
        {1: 0.75, 2: 0.75},
        {1: 1.5, 2: -0.5},
        {1: float("nan")},
        {1: float("inf")},
        {1: None},
        {1: "1"},
        {9: 1.0},
        {-1: 1.0},
        {1.0: 1.0},
        {"hidden": 1.0},
        {None: 1.0},
        {(1,): 1.0},
    ],
    ids=str,
)
def test_a_noise_that_is_no_distribution_is_refused_by_a_sentence(told: Any) -> None:
    with pytest.raises(ParameterError, match=r"^noise 'my\(x=1\)'.* 1 mines among 1 neighbours.*"):
        Told(told).model("my(x=1)")


def test_a_noise_that_raises_is_refused_by_a_sentence() -> None:
    with pytest.raises(
        ParameterError, match="noise 'my' has no likelihoods for 0 mines among 0 neighbours: KeyError: 'lost'"
    ):
        Raising().model("my")


def test_a_noise_is_exact_by_what_it_shows() -> None:
    assert ExactClues().model("another name").exact
    assert Told({np.int64(1): np.float64(1.0)}).model("told").exact
    assert not Told({2: 1.0}).model("told").exact


@pytest.mark.parametrize(
    ("told", "floods"),
    [({1: 1.0}, True), ({1: 0.5, "withheld": 0.5}, True), ({1: 0.5, 0: 0.5}, False), ({0: 1.0}, False)],
)
def test_a_blank_floods_only_if_nothing_else_shows_0(told: Any, floods: bool) -> None:
    noise = Told(told).model("told")
    assert noise.floods is floods
    game = Game(Board.parse("....*"), Rules(), noise)
    game.take(Turn(open=[Cell(0, 0)]))
    assert len(game.view().open()) == (4 if floods else 1)


def test_a_blank_that_may_show_something_else_does_not_flood() -> None:
    class Blanks(ExactClues):
        def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
            return {"withheld": 1e-6, 0: 1 - 1e-6} if count == 0 else {count: 1.0}

    assert not Blanks().model("blanks").floods


def shown(noise: Noise, seed: int, size: Size) -> tuple[Board, np.ndarray[Any, Any]]:
    """A board and what all its safe cells show."""
    game = Game(BoardRef(Uniform(), size, seed), Rules(flood=False), noise)
    board = game.board
    game.take(Turn(open=np.flatnonzero(~board.mines.reshape(-1))))
    return board, game.view().shown


def test_what_is_shown_is_drawn_from_the_table() -> None:
    noise = Told({1: 0.5, 0: 0.125, 3: 0.25, "withheld": 0.125}).model("told")
    board, seen = shown(noise, 77, Size(150, 150, 2000))
    ones = Counter(seen[board.clues == 1].tolist())
    assert set(ones) == {0, 1, 3, 9}
    total = sum(ones.values())
    observed = [ones[1], ones[0], ones[3], ones[9]]
    assert chisquare(observed, [total / 2, total / 8, total / 4, total / 8]).pvalue > 1e-3
    others = board.clues >= 2
    assert (seen[others] == board.clues[others]).all()


def test_the_draws_of_a_board_stay_what_they_are() -> None:
    noise = Registry().noise("liar(rate=0.5)")
    game = Game(BoardRef(Uniform(), Size(4, 6, 6), 2026), Rules(), noise)
    game.take(Turn(open=np.flatnonzero(~game.board.mines.reshape(-1))))
    assert str(game.view()).split("\n")[1:] == ["1102..", ".10122", "343221", "1..21."]


@given(st.integers(0, 2**64 - 1), st.permutations(range(20)))
def test_the_same_is_shown_to_everybody_in_any_order(seed: int, order: list[int]) -> None:
    noise = Told({1: 0.25, 2: 0.5, "withheld": 0.25}).model("told")
    size = Size(4, 5, 5)
    board, seen = shown(noise, seed, size)
    game = Game(BoardRef(Uniform(), size, seed), Rules(flood=False), noise)
    for cell in order:
        if not board.mines.flat[cell]:
            game.take(Turn(open=np.array([cell])))
    assert (game.view().shown == np.where(board.mines, -1, seen)).all()


def test_a_first_click_elsewhere_draws_alike_for_the_cells_that_are_alike() -> None:
    noise = Told({1: 0.5, "withheld": 0.5}).model("told")
    seen = []
    for first in (0, 24):
        game = Game(BoardRef(Uniform(), Size(5, 5, 3), 4), Rules("continue", "opening"), noise)
        game.take(Turn(open=np.array([first])))
        board = game.board
        left = [cell for cell in game.view().covered() if not board.is_mine(cell)]
        if left:
            game.take(Turn(open=left))
        seen.append((board.clues, game.view().shown))
    (clues, one), (other_clues, two) = seen
    alike = (clues == other_clues) & (clues >= 0)
    assert alike.any()
    assert (one[alike] == two[alike]).all()


def test_noise_is_drawn_from_its_own_seed() -> None:
    assert derive("noise", 5) != derive("board", 5) != 5


def test_exact_clues_are_the_truth() -> None:
    board, seen = shown(EXACT, 3, Size(9, 9, 10))
    assert (seen[~board.mines] == board.clues[~board.mines]).all()
