from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sweepstakes import Cell, Turn
from sweepstakes.game.turn_codec import pack, unpack


def test_the_same_turns_pack_to_the_same_bytes() -> None:
    turn = Turn(open=np.array([1, 2]), flag=[Cell(0, 1)], why="proof", probability=float(np.float32(0.5)))
    assert pack([turn]) == pack([turn._replace(open=np.array([1, 2], np.int8), flag=((0, 1),), probability=0.5)])


def test_probabilities_are_kept_to_six_digits() -> None:
    assert unpack(pack([Turn(open=[Cell(0, 0)], probability=1 / 3)]))[0].probability == 0.333333


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        (Turn(), Turn(), True),
        (Turn(open=[Cell(1, 2)]), Turn(open=((1, 2),)), True),
        (Turn(open=np.array([1, 2])), Turn(open=np.array([1, 2], np.int8)), True),
        (Turn(open=np.array([1, 2])), Turn(open=np.array([1, 3])), False),
        (Turn(open=np.array([1, 2])), Turn(open=[Cell(1, 2)]), False),
        (Turn(open=np.array([1])), Turn(), False),
        (Turn(flag=np.array([1])), Turn(open=np.array([1])), False),
        (Turn(why="proof"), Turn(why="guess"), False),
        (Turn(probability=0.5), Turn(), False),
        (Turn(), (), False),
        (Turn(), None, False),
    ],
)
def test_turns_are_equal_by_what_they_say(one: Turn, two: Any, equal: bool) -> None:
    assert (one == two) is equal
    assert (one != two) is not equal


def test_a_turn_cannot_be_hashed() -> None:
    with pytest.raises(TypeError):
        hash(Turn())


@pytest.mark.parametrize(
    "cells",
    [[(0, 1)], {Cell(0, 1)}, frozenset([(0, 1)]), {Cell(0, 1): None}, ((np.int8(0), np.uint64(1)),)],
    ids=lambda cells: type(cells).__name__,
)
def test_turns_as_agents_write_them_can_be_packed(cells: Any) -> None:
    clues = list(cells) if isinstance(cells, dict) else cells
    (turn,) = unpack(pack([Turn(open=cells, evidence={Cell(2, 3): clues})]))
    assert turn == Turn(open=(Cell(0, 1),), evidence={Cell(2, 3): [Cell(0, 1)]})
