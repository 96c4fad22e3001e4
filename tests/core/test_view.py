from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import (
    Agent,
    Board,
    BoardRef,
    Cell,
    ClueNoise,
    Game,
    Played,
    PositionError,
    Registry,
    Rules,
    Size,
    SweepstakesError,
    Turn,
    View,
    play_game,
)
from sweepstakes.game.cell import neighbours
from sweepstakes.noise import EXACT, ShownClue
from sweepstakes.plugins.agents.basic import Basic
from sweepstakes.plugins.boards.uniform import Uniform

POSITION = """
3 4 3 on_mine=end first_click=safe
.F*?
0123
45.8
"""

NOISES = [EXACT, *map(Registry().noise, ["hidden(rate=0.25)", "hidden(rate=0)", "liar(blanks=true,rate=0.125)"])]


@st.composite
def views(draw: st.DrawFn) -> View:
    """Any view that can be written down."""
    rows, cols = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    codes = draw(st.lists(st.integers(-3, 9), min_size=rows * cols, max_size=rows * cols))
    start = draw(st.none() | st.builds(Cell, st.integers(0, rows - 1), st.integers(0, cols - 1)))
    rules = Rules(
        draw(st.sampled_from(["continue", "end"])),
        draw(st.sampled_from(["any", "safe", "opening"])),
        start,
        draw(st.booleans()),
    )
    room = rows * cols - {"any": 0, "safe": 1, "opening": min(3, rows) * min(3, cols)}[rules.first_click]
    data = np.array(codes, np.int8).tobytes()
    return View(rows, cols, draw(st.integers(0, room)), rules, draw(st.sampled_from(NOISES)), data)


@given(views())
def test_a_views_text_reads_back(view: View) -> None:
    assert View.parse(str(view)) == view
    assert View.parse(f"\n  {view}  \n\n") == view
    assert hash(View.parse(str(view))) == hash(view)


def test_a_position_can_be_read_by_people_and_code() -> None:
    view = View.parse(POSITION)
    assert (view.rows, view.cols, view.mines) == (3, 4, 3)
    assert view.rules == Rules("end", "safe")
    assert view.noise == EXACT
    assert view.covered() == [Cell(0, 0), Cell(2, 2)]
    assert view.flagged() == [Cell(0, 1)]
    assert view.detonated() == [Cell(0, 2)]
    assert view.open() == [Cell(0, 3), *(Cell(1, c) for c in range(4)), Cell(2, 0), Cell(2, 1), Cell(2, 3)]
    assert [view.clue(Cell(1, col)) for col in range(4)] == [0, 1, 2, 3]
    assert [view.clue(cell) for cell in (Cell(0, 0), Cell(0, 1), Cell(0, 2), Cell(0, 3))] == [None] * 4
    assert view.is_covered(Cell(0, 0))
    assert not view.is_covered(Cell(0, 1))
    assert view.is_flagged((0, 1))
    assert view.is_open((0, 3))
    assert not view.is_open((0, 2))
    assert view.shown.tolist() == [[-1, -2, -3, 9], [0, 1, 2, 3], [4, 5, -1, 8]]
    assert view.shown.dtype == np.int8


def test_neighbours_are_the_cells_around_row_by_row() -> None:
    view = View.parse(POSITION)
    assert view.neighbours(Cell(0, 0)) == (Cell(0, 1), Cell(1, 0), Cell(1, 1))
    assert len(view.neighbours((1, 1))) == 8
    assert neighbours(1, 1, 0, 0) == ()


@pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (3, 0), (0, 4)])
@pytest.mark.parametrize("question", ["is_covered", "is_flagged", "is_open", "clue", "neighbours"])
def test_asking_about_a_cell_outside_the_board_is_refused(question: str, cell: tuple[int, int]) -> None:
    with pytest.raises(PositionError, match=r"is not on a board of 3 x 4"):
        getattr(View.parse(POSITION), question)(cell)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the position has no rows"),
        ("3 3 1", "the position has no rows"),
        ("2 2 1\n..\n.", "row 2 of the position has length 1, expected 2"),
        ("2 2 1\n..\n.x", "row 2 of the position has 'x': expected '.' covered"),
        ("2 3 1\n..\n..", "the first line says 2 x 3, the rows below it are 2 x 2"),
        ("..\n..", "the mine count is missing: begin with a line `rows cols mines`"),
        ("2 2\n..\n..", "begins with '2 2': expected `rows cols mines`"),
        ("2 2 -1\n..\n..", "begins with '2 2 -1'"),
        ("two 2 1\n..\n..", "begins with 'two 2 1'"),
        ("2 2 5\n..\n..", "5 mines on 2 x 2: expected 0 to 4"),
        (f"{'9' * 5000} 2 5\n..\n..", "expected `rows cols mines`"),
        ("2 2 1 on_mine=stop\n..\n..", "on_mine=stop: expected continue or end"),
        ("2 2 1 first_click=lucky\n..\n..", "first_click=lucky: expected any or safe or opening"),
        ("2 2 1 flood=maybe\n..\n..", "flood=maybe: expected yes or no"),
        ("2 2 1 start=1\n..\n..", "start=1: expected ROW,COL"),
        ("2 2 1 start=-1,0\n..\n..", "start=-1,0: expected ROW,COL"),
        ("2 2 1 start=2,0\n..\n..", "start cell (2, 0) is not on a board of 2 x 2"),
        ("2 2 1 onmine=end\n..\n..", "'onmine=end' in the first line: expected on_mine="),
        ("2 2 1 end\n..\n..", "'end' in the first line"),
        ("2 2 1 noise=hiden(rate=0.5)\n..\n..", "unknown clue noise 'hiden' (did you mean 'hidden'?)"),
        ("2 2 1 noise=hidden(rate=5)\n..\n..", "rate 5: expected 0 to 1"),
        ("2 2 1 noise=hidden\n..\n..", "clue noise 'hidden' needs the parameter 'rate'"),
        ("2 2 1 noise=hidden(rate=[)\n..\n..", "rate has no value: expected JSON or a bare word"),
        ("2 2 1 noise=hidden(rate\n..\n..", "expected parameter=value, found 'rate'"),
        ("2 2 1 noise=mine.py\n..\n..", "a position names a noise: expected no file"),
        ("\n".join(["." * 1001] * 2), "no board of 2 x 1001"),
    ],
)
def test_a_position_is_refused_with_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(SweepstakesError, match=re.escape(message)):
        View.parse(text)


def test_the_mine_count_and_the_noise_can_be_given_beside_the_text() -> None:
    assert View.parse("..\n.1", mines=1) == View.parse("2 2 1\n..\n.1")
    assert View.parse("2 2 3\n..\n.1", mines=1).mines == 1
    own = OneMore().model("my-own")
    view = View(1, 2, 1, Rules(), own, b"\xff\x01")
    assert View.parse(str(view), noise=own) == view


class OneMore(ClueNoise):
    """Shows one more than there is."""

    def likelihood(self, count: int, neighbours: int) -> dict[ShownClue, float]:
        return {min(count + 1, 8): 1.0}


# Nothing leads from a view to the mines, and nothing done to it reaches the referee.


def reachable(thing: Any) -> list[Any]:
    """Return everything that can be reached through attributes, items and bases of arrays, except classes."""
    found: dict[int, Any] = {}
    waiting = [thing]
    while waiting:
        item = waiting.pop()
        if id(item) in found or isinstance(item, type):
            continue
        found[id(item)] = item
        if isinstance(item, np.ndarray):
            waiting.append(item.base)  # its other attributes are arrays without end, all over the same memory
        elif isinstance(item, tuple | list | dict | set):
            values = [getattr(item, name, None) for name in set(dir(item)) - {"__class__", "__doc__"}]
            waiting += [value for value in values if not callable(value)]
            waiting += list(item.values()) if isinstance(item, dict) else list(item)
    return list(found.values())


def test_nothing_that_a_view_leads_to_tells_where_the_mines_are() -> None:
    size = Size(9, 9, 10)
    one = Game(BoardRef(Uniform(), size, 1), Rules())
    two = Game(BoardRef(Uniform(), size, 2), Rules())
    assert one.board != two.board
    assert one.view() == two.view()
    things = reachable(one.view())
    assert any(thing is one.view().noise.data for thing in things)
    for thing in things:
        assert not isinstance(thing, Board | Game | BoardRef), thing
        if isinstance(thing, np.ndarray) and thing.size == 81:
            assert (thing == -1).all()
        if isinstance(thing, bytes) and len(thing) == 81:
            assert thing == b"\xff" * 81
    assert not hasattr(one.view(), "__dict__")


def test_a_views_arrays_cannot_be_written() -> None:
    game = Game(Board.parse("*..\n..."), Rules())
    game.take(Turn(open=[Cell(0, 1)]))
    view = game.view()
    before = str(view)
    for array in (view.shown, view.noise.table):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
        base = array
        while isinstance(base, np.ndarray):
            with pytest.raises(ValueError, match="WRITEABLE"):
                base.setflags(write=True)
            base = base.base  # type: ignore[assignment]
        assert isinstance(base, bytes)
    for name, value in {"data": b"", "mines": 0, "rows": 1, "extra": 1, "shown": None}.items():
        with pytest.raises((AttributeError, TypeError)):
            object.__setattr__(view, name, value)
        with pytest.raises((AttributeError, TypeError)):
            setattr(view, name, value)
    assert str(game.view()) == str(view) == before


def test_the_bytes_of_a_view_are_not_the_referees() -> None:
    game = Game(Board.parse("*..\n..."), Rules())
    view = game.view()
    game.take(Turn(open=[Cell(0, 1)]))
    assert view.is_covered(Cell(0, 1))


def vandalise(view: View) -> None:
    """Do to a view all that one can think of."""
    for array in (view.shown, view.shown.base, view.noise.table, view.noise.table.base):
        for attempt in (
            lambda a: a.setflags(write=True),
            lambda a: a.fill(0),
            lambda a: a.__setitem__(slice(None), 0),
            lambda a: a.resize(3),
            lambda a: np.copyto(a, 0),
        ):
            try:
                attempt(array)
            except (ValueError, TypeError, AttributeError):
                continue
    for thing in (view, view.rules, view.noise):
        for name in (*thing._fields, "__class__", "__dict__"):
            try:
                object.__setattr__(thing, name, 0)
            except (AttributeError, TypeError):
                continue
    memoryview(view.data).tobytes()
    view._replace(mines=0, data=b"")
    view.covered().clear()
    view.rules._asdict().clear()


class Vandal(Basic):
    """Plays like `basic`, after trying everything to change the view."""

    def act(self, view: View) -> Turn:
        vandalise(view)
        return super().act(view)


@pytest.mark.parametrize("noise", ["exact-clues", "hidden(rate=0.25)"])
def test_a_game_of_a_vandal_is_the_game_of_an_honest_agent(noise: str) -> None:
    def played(agent: type[Agent]) -> list[Played]:
        deals = [BoardRef.of(Uniform(), "uniform", Size(9, 9, 10), 5, k) for k in range(5)]
        return [play_game(Game(d, Rules(), Registry.default().noise(noise)), agent, keep_turns=True) for d in deals]

    honest, vandal = played(Basic), played(Vandal)
    assert [(game.result, game.turns) for game in honest] == [(game.result, game.turns) for game in vandal]


class Crooked(int):
    """An integer that calculates wrong."""

    def __add__(self, other: int) -> int:
        return 0

    def __sub__(self, other: int) -> int:
        return 0


def test_a_strangers_numbers_do_not_change_what_others_are_told_of_neighbours() -> None:
    neighbours.cache_clear()
    view = View.parse("4 4 1\n....\n....\n....\n....")
    view.neighbours((Crooked(2), Crooked(2)))
    assert len(view.neighbours((2, 2))) == 8
    assert Rules(first_click="opening").protected(Size(4, 4, 1), Cell(2, 2)) == (5, 6, 7, 9, 10, 11, 13, 14, 15)
