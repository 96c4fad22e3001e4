"""What must be true of `my-thing`."""

from __future__ import annotations

from my_thing import MyThing

from sweepstakes import PRESETS, Deal, Size


def test_the_same_seed_gives_the_same_board() -> None:
    deal = Deal.of(MyThing(), "my-thing", PRESETS["beginner"], 1, 0)
    assert deal.board() == deal.board()
    assert deal.board() != deal._replace(seed=deal.seed + 1).board()


def test_it_lays_every_mine_and_none_on_protected_cells() -> None:
    for mines in (0, 1, 40, 80):
        Deal.of(MyThing(), "my-thing", Size(9, 9, mines), 1, 0).board(protected=(40,))  # the deal checks


def test_the_border_stays_free_while_there_is_room() -> None:
    board = Deal.of(MyThing(), "my-thing", Size(9, 9, 49), 1, 0).board()
    assert not board.mines[0].any()
