"""Tests of `my-thing`."""

from __future__ import annotations

from sweepstakes import Board, Game, Turn

from my_thing import MyThing


def test_its_probabilities_sum_to_one() -> None:
    MyThing().model("my-thing")  # raises if a sum is not 1


def test_large_clues_are_withheld_and_small_ones_are_not() -> None:
    game = Game(Board.parse("***\n...\n..."), noise=MyThing(rate=1).model("my-thing"))
    game.take(Turn(open=[(1, 0), (1, 1)]))
    assert game.view().clue((1, 0)) == 2
    assert game.view().is_open((1, 1))
    assert game.view().clue((1, 1)) is None
