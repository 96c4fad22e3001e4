"""Tests of `my-thing`."""

from __future__ import annotations

from sweepstakes import Board, Ending, Game, Turn

from my_thing import MyThing


def test_a_finished_game_scores_its_cells_per_turn() -> None:
    game = Game(Board.parse("*..\n..."))
    game.take(Turn(open=[(1, 0)]))
    game.take(Turn(open=[(0, 2)]))
    game.take(Turn())
    assert MyThing()(game.result()) == 5 / 2


def test_a_fault_scores_zero() -> None:
    game = Game(Board.parse("*..\n..."))
    game.take(Turn(open=[(1, 0)]))
    game.forfeit(Ending.ERROR, "it raised")
    assert MyThing()(game.result()) == 0
