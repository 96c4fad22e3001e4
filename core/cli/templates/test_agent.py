"""Tests of `my-thing`."""

from __future__ import annotations

from sweepstakes import Cell, View
from sweepstakes.testing import check_agent

from my_thing import MyThing


def test_it_follows_the_rules_for_agents() -> None:
    check_agent(MyThing, noise=True)


def test_it_flags_the_only_cell_that_can_be_the_mine() -> None:
    view = View.parse("1.\n11", mines=1)
    turn = MyThing().act(view)
    assert (turn.flag, turn.why) == ([Cell(0, 1)], "proof")
