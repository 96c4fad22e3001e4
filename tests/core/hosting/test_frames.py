"""The frames between referee and host carry every turn unchanged, and no bytes of a host do more than fail."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Cell, Rules, Turn, View
from sweepstakes.game.faults import AgentFault, Fault, FaultKind
from sweepstakes.game.result import max_turns
from sweepstakes.game.size import Size
from sweepstakes.game.turn_codec import same
from sweepstakes.game.untrusted_turn import UnreadableTurn, read_turn
from sweepstakes.hosting import frames
from sweepstakes.noise import EXACT
from sweepstakes.plugins.noise.liar import Liar

SIZE = Size(5, 7, 6)
MAX_TURNS = max_turns(SIZE.rows * SIZE.cols)

cells = st.tuples(st.integers(-2, 8), st.integers(-2, 8))
lists: st.SearchStrategy[Any] = st.one_of(
    st.just(()),
    st.lists(cells, max_size=12),
    st.lists(cells.map(lambda cell: Cell(*cell)), max_size=5).map(tuple),
    st.lists(st.integers(-5, 40), max_size=12).map(lambda flat: np.array(flat, np.int64)),
    st.lists(st.integers(0, 34), max_size=4).map(lambda flat: np.array(flat, np.int32)),
    st.lists(st.tuples(st.integers(), st.integers()), max_size=3),
)
on_board = st.tuples(st.integers(0, 4), st.integers(0, 6)).map(lambda cell: Cell(*cell))
turns = st.builds(
    Turn,
    lists,
    lists,
    lists,
    st.sampled_from(["proof", "guess", "random"]),
    st.none() | st.floats(0, 1),
    st.none() | st.dictionaries(on_board, st.lists(on_board, max_size=4), max_size=3),
    st.booleans(),
)


def delivered(turn: Any) -> Turn:
    """The turn as the referee gets it from a host."""
    frame = frames.turn_frame(9, turn, SIZE, MAX_TURNS)
    assert frames.LENGTH.unpack_from(frame)[0] + 4 == len(frame) <= frames.max_answer(SIZE.rows * SIZE.cols)
    arrived = frames.read_turn_frame(frame, 9, SIZE.rows, SIZE.cols)
    assert arrived is not None
    return arrived


@given(turns)
def test_a_turn_arrives_as_the_referee_would_have_read_it(turn: Turn) -> None:
    try:
        here = read_turn(turn, SIZE, MAX_TURNS)
    except UnreadableTurn as error:
        with pytest.raises(UnreadableTurn, match=str(error)[:5]):
            frames.turn_frame(9, turn, SIZE, MAX_TURNS)
        return
    there = read_turn(delivered(turn), SIZE, MAX_TURNS)
    far = 1 << 62
    for mine, theirs in zip(here[:3], there[:3], strict=True):
        assert isinstance(mine, tuple) == isinstance(theirs, tuple)
        cut = np.clip(np.array(mine, object), -far, far) if len(mine) else np.array(mine)
        assert np.array_equal(cut, np.array(theirs, object) if len(theirs) else np.array(theirs))
    assert here[3:7] == there[3:7]
    assert (here[7] or None, here[8]) == (there[7], there[8])


class Odd:
    """Pretends to be whatever it is compared with."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


ANY: Any = Turn
NO_TURNS = [
    None,
    (),
    7,
    ANY(open=Odd()),
    ANY(open=[(1,)]),
    ANY(open=[(1, 2, 3)]),
    ANY(open=["ab"]),
    ANY(why="luck"),
    ANY(open=[(0, 0)], probability=2.0),
    ANY(open=[(0, 0)], probability=float("nan")),
    ANY(open=[(0.5, 1)]),
]


@pytest.mark.parametrize("turn", NO_TURNS)
def test_what_is_no_turn_is_named_in_the_host(turn: Any) -> None:
    with pytest.raises(UnreadableTurn):
        frames.turn_frame(1, turn, SIZE, MAX_TURNS)


@given(st.binary(max_size=200))
def test_no_bytes_of_a_host_do_more_than_fail(data: bytes) -> None:
    check(data)


def test_no_change_of_a_true_answer_does_more_than_fail() -> None:
    generator = random.Random(1)
    turn = Turn(open=[(1, 2), (3, 4)], flag=np.array([3, 4]), probability=0.5, evidence={Cell(1, 2): [Cell(0, 0)]})
    answers = [
        frames.turn_frame(3, Turn(open=[(1, 2)]), SIZE, MAX_TURNS),
        frames.turn_frame(3, turn, SIZE, MAX_TURNS),
        frames.fault_frame(3, Fault(FaultKind.RAISED, "x")),
        frames.done_frame(3),
    ]
    for _ in range(20_000):
        frame = bytearray(generator.choice(answers))
        for _ in range(generator.randint(1, 4)):
            place = generator.randrange(len(frame))
            match generator.randrange(3):
                case 0:
                    frame[place] = generator.randrange(256)
                case 1:
                    del frame[place]
                case _:
                    frame[place:place] = generator.randbytes(generator.randint(1, 8))
        check(bytes(frame))


def check(frame: bytes) -> None:
    """Read the bytes as the referee does; what they say is a turn, a fault that hosts may report, or nothing."""
    if len(frame) < frames.HEAD:
        return
    try:
        if frame[4:5] == frames.DONE:
            frames.check_kind(frame, 3, frames.DONE)
            frames.read_json(frame)
        else:
            read_turn(frames.read_turn_frame(frame, 3, SIZE.rows, SIZE.cols), SIZE, MAX_TURNS)
    except AgentFault as reported:
        assert reported.fault.kind.name in frames.REPORTED  # noqa: PT017
    except (frames.FrameError, UnreadableTurn):
        pass


@pytest.mark.parametrize("noise", [EXACT, Liar(0.25).model("liar(rate=0.25)")], ids=["exact", "liar"])
def test_a_view_arrives_as_it_was(noise: Any) -> None:
    view = View.parse("2 3 1 on_mine=end first_click=safe start=1,2 flood=no\n.1F\n?*.", noise=noise)
    frame = frames.game_frame(5, 2, view, 2**64 - 1, True)
    got, seed, explain = frames.read_game(frame[frames.ASK.size :])
    assert (got, seed, explain) == (view, 2**64 - 1, True)
    assert got.rules == Rules("end", "safe", Cell(1, 2), False)
    _, kind, number, agent = frames.ASK.unpack_from(frames.view_frame(6, 2, view))
    assert (kind, number, agent) == (frames.VIEW, 6, 2)


@pytest.mark.parametrize("cells", [[(0, 0)] * 10_000, np.zeros(10_000, np.int64)], ids=["pairs", "flat"])
def test_a_turn_that_names_too_many_cells_is_refused_in_the_host(cells: Any) -> None:
    with pytest.raises(UnreadableTurn, match=f"named more than {MAX_TURNS} cells in a turn"):
        frames.turn_frame(9, Turn(open=cells), SIZE, MAX_TURNS)


@pytest.mark.parametrize("cells", [[(0, 0)] * 10_000, np.zeros(10_000, np.int64)], ids=["pairs", "flat"])
def test_no_more_cells_are_read_than_the_referee_needs_to_refuse_the_turn(cells: Any) -> None:
    frame = frames.turn_frame(9, Turn(unflag=cells), SIZE, 10_000)
    turn = frames.read_turn_frame(frame, 9, SIZE.rows, SIZE.cols)
    assert turn is not None
    assert len(turn.unflag) == MAX_TURNS + 1


def test_a_long_fault_is_cut_and_still_read() -> None:
    fault = Fault(FaultKind.RAISED, "x" * 10_000)
    got = frames.read_fault(frames.fault_frame(1, fault, "\n".join(["line"] * 100_000)))
    assert got.what.startswith("raised xxx")
    assert len(got.what) == 400
    assert "\n" in got.trace
    assert same(Turn(), Turn())
