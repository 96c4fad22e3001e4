"""Tests of `my-thing`."""

from __future__ import annotations

import numpy as np
from sweepstakes import View
from sweepstakes.learning import encode
from sweepstakes.learning.policy import loaded_model
from sweepstakes.testing import check_agent

from my_thing import MyThing


def test_it_follows_the_rules_for_agents() -> None:
    check_agent(MyThing, noise=True)


def test_a_cell_next_to_a_one_looks_safer_than_one_next_to_a_four() -> None:
    view = View.parse("...........\n.1.......4.\n...........", mines=9)
    opening, flagging = np.reshape(MyThing().scores(loaded_model(MyThing), encode(view)), (2, 3, 11))
    assert opening[0, 1] > opening[0, 9]
    assert flagging[0, 1] < flagging[0, 9]
