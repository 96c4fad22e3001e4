"""Tests of `my-thing`."""

from __future__ import annotations

from sweepstakes import PRESETS, BoardRef, Size

from my_thing import MyThing


def test_the_same_seed_gives_the_same_board() -> None:
    board_ref = BoardRef.of(MyThing(), "my-thing", PRESETS["beginner"], 1, 0)
    assert board_ref.board() == board_ref.board()
    assert board_ref.board() != board_ref._replace(seed=board_ref.seed + 1).board()


def test_it_places_every_mine_and_none_on_protected_cells() -> None:
    for mines in (0, 1, 40, 80):
        BoardRef.of(MyThing(), "my-thing", Size(9, 9, mines), 1, 0).board(protected=(40,))  # raises if it is wrong


def test_the_border_stays_free_while_inner_cells_are_left() -> None:
    board = BoardRef.of(MyThing(), "my-thing", Size(9, 9, 49), 1, 0).board()
    assert not board.mines[0].any()
