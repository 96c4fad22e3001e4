from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from place_mines_twin import place_mines
from referee_twin import IllegalError, Twin

from sweepstakes import (
    PRESETS,
    Board,
    BoardRef,
    Cell,
    Ending,
    Game,
    GameResult,
    IllegalMove,
    PositionError,
    Registry,
    Rng,
    Rules,
    Size,
    Turn,
)
from sweepstakes.game import referee_kernels
from sweepstakes.game.turn import Why
from sweepstakes.noise import EXACT
from sweepstakes.plugins.boards.uniform import Uniform

NOISES = [EXACT, *map(Registry().noise, ["hidden(rate=0.4)", "liar(rate=0.5)", "liar(rate=0.5,blanks=true)"])]


def rows(game: Game) -> list[str]:
    """What is shown."""
    return str(game.view()).split("\n")[1:]


def play(board: str, *turns: Turn, **rules: Any) -> Game:
    """A game on a board after some turns."""
    game = Game(Board.parse(board), Rules(**rules), agent="tester")
    for turn in turns:
        game.take(turn)
    return game


@st.composite
def games(draw: st.DrawFn) -> tuple[Size, Rules, int, int]:
    """A size, rules, a seed and a noise."""
    height, width = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    start = draw(st.none() | st.builds(Cell, st.integers(0, height - 1), st.integers(0, width - 1)))
    rules = Rules(
        draw(st.sampled_from(["continue", "end"])),
        draw(st.sampled_from(["any", "safe", "opening"])),
        start,
        draw(st.booleans()),
    )
    protected = {"any": 0, "safe": 1, "opening": min(3, height) * min(3, width)}[rules.first_click]
    most = height * width - protected
    mines = draw(st.integers(0, most // 4) | st.integers(0, most))
    return Size(height, width, mines), rules, draw(st.integers(0, 2**64 - 1)), draw(st.integers(0, len(NOISES) - 1))


@settings(max_examples=250)
@given(games(), st.data())
def test_the_referee_agrees_with_its_slow_twin_on_every_turn(
    setting: tuple[Size, Rules, int, int], data: st.DataObject
) -> None:
    size, rules, seed, noise = setting
    game = Game(BoardRef(Uniform(), size, seed), rules, NOISES[noise])
    twin: Twin | None = None
    flagged_before: list[tuple[list[Cell], list[Cell], list[Cell], str]] = []
    for _ in range(data.draw(st.integers(1, 12))):
        if game.over:
            break
        legal = data.draw(st.integers(0, 9)) > 0
        on_board = st.builds(Cell, st.integers(0, size.rows - 1), st.integers(0, size.cols - 1))
        anywhere = on_board | st.builds(Cell, st.integers(-2, size.rows + 1), st.integers(-2, size.cols + 1))
        view = game.view()

        def some(cells: list[Cell], kind: Any = anywhere, sane: bool = legal) -> Any:
            if not sane:
                return st.lists(kind, max_size=3)
            return st.lists(st.sampled_from(cells), max_size=4) if cells else st.just([])

        unflag = data.draw(some(view.flagged()))
        flag = data.draw(some([cell for cell in view.covered() if data.draw(st.booleans())][:3]))
        opens = data.draw(some([cell for cell in view.covered() + unflag if cell not in flag]))
        reasons: list[Why] = ["proof", "guess", "random"]
        why = data.draw(st.sampled_from(reasons))
        turn = Turn(open=opens, flag=flag, unflag=unflag, why=why)
        if data.draw(st.booleans()) and all(0 <= r < size.rows and 0 <= c < size.cols for r, c in opens):
            flat = np.array([r * size.cols + c for r, c in opens], data.draw(st.sampled_from([np.int64, np.uint8])))
            turn = turn._replace(open=flat)
        if twin is None and (rules.start is not None or rules.first_click == "any" or opens):
            twin = dealt_twin(game, rules.start or (opens[0] if opens else None))
            for earlier in flagged_before:
                twin.take(*earlier)
        if twin is None:
            flagged_before.append((unflag, flag, opens, why))
            try:
                game.take(turn)
            except IllegalMove:
                return
            continue
        broken = complaint = ""
        try:
            twin.take(unflag, flag, opens, why)
        except IllegalError as error:
            broken, twin.ending = str(error), "illegal move"
        try:
            game.take(turn)
        except IllegalMove as error:
            complaint = str(error)
            game.forfeit(Ending.ILLEGAL_MOVE, complaint)
        assert broken in complaint
        assert bool(broken) == bool(complaint)
        assert rows(game) == twin.rows()
        assert (game.ending or "") == twin.ending
    if twin is not None and game.over:
        wrong = len(twin.flags) - twin.right
        counts = (
            len(twin.open),
            twin.right,
            wrong,
            len(twin.detonated),
            twin.turns,
            twin.cells_clicked,
            twin.guesses,
            0,
            twin.clicks,
            twin.three_bv if game.noise.floods else 0,
        )
        assert game.result() == GameResult(*size, Ending(twin.ending), *counts, game.fault)
        won = twin.open == twin.safe and not twin.detonated and twin.ending != "illegal move"
        assert game.result().won == won


@pytest.mark.parametrize("on_mine", ["continue", "end"])
@pytest.mark.parametrize("first_click", ["any", "safe", "opening"])
@pytest.mark.parametrize("noise", range(len(NOISES)))
def test_the_referee_agrees_with_its_slow_twin_to_the_end(on_mine: Any, first_click: Any, noise: int) -> None:
    endings = set()
    for seed in range(12):
        rng = Rng(seed)
        size = Size(4 + rng.below(4), 4 + rng.below(4), 1 + rng.below(7))
        game = Game(BoardRef(Uniform(), size, seed), Rules(on_mine, first_click), NOISES[noise])
        twin = None
        while not game.over:
            view = game.view()
            covered, flags = view.covered(), view.flagged()
            rng.shuffle(covered)
            rng.shuffle(flags)
            unflag = flags[: rng.below(2)] if covered else flags[:1]
            flag = covered[: rng.below(2)]
            opens = covered[len(flag) : len(flag) + 1 + rng.below(3)] * (1 + rng.below(2)) or unflag
            if twin is None:
                twin = dealt_twin(game, opens[0])
            game.take(Turn(open=opens, flag=flag, unflag=unflag, why="guess"))
            twin.take(unflag, flag, opens, "guess")
            assert rows(game) == twin.rows()
            assert (game.ending or "") == twin.ending
        assert twin is not None
        right, wrong = twin.right, len(twin.flags) - twin.right
        counts = (len(twin.open), right, wrong, len(twin.detonated), twin.turns, twin.cells_clicked, twin.guesses, 0)
        three_bv = twin.three_bv if game.noise.floods else 0
        assert game.result() == GameResult(*size, Ending(twin.ending), *counts, twin.clicks, three_bv)
        endings.add(twin.ending)
    assert endings <= {"won", "lost", "finished"}


def dealt_twin(game: Game, first: Cell | None) -> Twin:
    """Return the twin on the board that results from the first cell. What noise shows comes from a game that opens
    everything."""
    size, rules = game.board_ref.size, game.rules
    on_board = first is not None and 0 <= first.row < size.rows and 0 <= first.col < size.cols
    protected = rules.protected(size, first) if on_board and first is not None else ()
    board = Board(size.rows, size.cols, place_mines(game.board_ref.seed, size.cells, size.mines, protected))
    peek = Game(game.board_ref._replace(source=_Fixed(board)), Rules(flood=False), game.noise)
    shown: dict[Cell, int] = {}
    safe = [Cell(r, c) for r in range(size.rows) for c in range(size.cols) if not board.is_mine(Cell(r, c))]
    if safe:
        peek.take(Turn(open=safe))
        shown = {cell: int(peek.view().shown[cell]) for cell in safe}
    return Twin(board, rules._replace(flood=rules.flood and game.noise.floods), shown)


class _Fixed(Uniform):
    def __init__(self, board: Board) -> None:
        self.given = board

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        return self.given


# Each sentence of the specification by itself.


@pytest.mark.parametrize("first_click", ["safe", "opening"])
@given(st.integers(0, 2**64 - 1), st.integers(0, 80))
def test_first_click_is_never_a_mine(first_click: Any, seed: int, first: int) -> None:
    game = Game(BoardRef(Uniform(), Size(9, 9, 40), seed), Rules("end", first_click))
    game.take(Turn(open=np.array([first])))
    clue = game.view().clue(Cell(*divmod(first, 9)))
    assert clue is not None
    assert clue == 0 or first_click == "safe"


@given(st.integers(0, 2**64 - 1))
def test_only_the_first_cell_of_the_first_opening_turn_is_protected(seed: int) -> None:
    size = Size(3, 3, 8)
    game = Game(BoardRef(Uniform(), size, seed), Rules("continue", "safe"))
    game.take(Turn(flag=[Cell(0, 0)]))
    game.take(Turn(open=[Cell(2, 2), Cell(1, 1)]))
    assert game.view().clue(Cell(2, 2)) == 3
    assert game.view().detonated() == [Cell(1, 1)]


def test_unflag_comes_before_flag_and_flag_before_open() -> None:
    game = play("*..\n...\n...", Turn(flag=[Cell(0, 1), Cell(0, 2)]))
    game.take(Turn(unflag=[Cell(0, 1), Cell(0, 2)], flag=[Cell(0, 2), Cell(0, 0)], open=[Cell(0, 1)]))
    assert rows(game) == ["F1F", "...", "..."]


def test_a_cell_named_twice_is_skipped() -> None:
    game = play("*..", Turn(flag=[Cell(0, 0)] * 2, open=[Cell(0, 1)] * 3))
    assert rows(game) == ["F1."]
    game.take(Turn(unflag=[Cell(0, 0)] * 2, open=np.array([2, 2])))
    assert rows(game) == [".10"]
    game.take(Turn(flag=[Cell(0, 0)]))
    assert game.result() == GameResult(1, 3, 1, Ending.WON, 2, 1, 0, 0, 3, 2, 2, 0, 5, 1)


def test_a_cell_that_a_flood_of_the_same_turn_opened_is_skipped() -> None:
    game = play("...*", Turn(open=[Cell(0, 0), Cell(0, 1), Cell(0, 2)]))
    assert rows(game) == ["001."]
    game.take(Turn())
    assert game.result().cells_clicked == 1


def test_a_cell_that_a_flood_of_an_earlier_turn_opened_is_illegal() -> None:
    with pytest.raises(IllegalMove, match=r"opened \(0, 1\), which is already open,"):
        play("...*", Turn(open=[Cell(0, 0)]), Turn(open=[Cell(0, 1)]))


def test_after_a_detonation_the_remaining_opens_are_dropped() -> None:
    game = play("*...", Turn(open=[Cell(0, 2), Cell(0, 0), Cell(0, 3), Cell(7, 7)]), flood=False)
    assert rows(game) == ["*.0."]
    assert not game.over
    game.take(Turn(open=[Cell(0, 1), Cell(0, 3)]))
    assert game.result() == GameResult(1, 4, 1, Ending.FINISHED, 3, 0, 0, 1, 2, 4, 2, 0, 4, 0)


def test_a_flagged_cell_must_be_unflagged_before_it_is_opened() -> None:
    game = play("*..", Turn(flag=[Cell(0, 1)]))
    with pytest.raises(IllegalMove, match=r"opened \(0, 1\), which is flagged,"):
        game.take(Turn(open=[Cell(0, 1)]))
    game.take(Turn(unflag=[Cell(0, 1)], open=[Cell(0, 1)]))
    assert rows(game) == [".1."]


def test_a_cell_flagged_and_opened_in_one_turn_is_illegal() -> None:
    with pytest.raises(IllegalMove, match=r"opened \(0, 1\), which is flagged,"):
        play("*..", Turn(flag=[Cell(0, 1)], open=[Cell(0, 1)]))


def test_floods_pass_flags_by() -> None:
    game = play(".....", Turn(flag=[Cell(0, 2)], open=[Cell(0, 0)]))
    assert rows(game) == ["00F.."]


def test_floods_go_on_through_blanks_and_stop_at_clues() -> None:
    game = play("....\n....\n...*", Turn(open=[Cell(0, 0)]))
    assert rows(game) == ["0000", "0011", "001."]
    game.take(Turn())
    assert game.result().cells_clicked == 1


def test_nothing_floods_under_flood_no() -> None:
    assert rows(play("....", Turn(open=[Cell(0, 1)]), flood=False)) == [".0.."]


def test_an_empty_turn_gives_the_game_up_without_fault() -> None:
    for empty in (Turn(), Turn(open=[]), Turn(open=np.array([])), Turn(open=np.array([], np.int64), flag=())):
        game = play("*..", Turn(open=[Cell(0, 1)], flag=[Cell(0, 2)]), empty)
        assert game.result() == GameResult(1, 3, 1, Ending.GAVE_UP, 1, 0, 1, 0, 1, 1, 1, 0, 2, 0)
        assert not game.result().ending.is_fault
        assert not game.result().won


def test_a_game_given_up_with_every_safe_cell_open_is_won() -> None:
    game = play("*..", Turn(open=[Cell(0, 2)]), Turn())
    assert game.ending == "gave up"
    assert game.result().won


def test_one_turn_more_than_four_per_cell_and_sixteen_is_stalled() -> None:
    game = Game(BoardRef(Uniform(), Size(1, 2, 1), 3, 17), agent="slow")
    for k in range(4 * 2 + 16):
        game.take(Turn(unflag=[Cell(0, 0)]) if k % 2 else Turn(flag=[Cell(0, 0)]))
        assert not game.over
    game.take(Turn(flag=[Cell(0, 0)]))
    assert game.ending == Ending.STALLED
    assert game.fault == "agent 'slow' took more than 24 turns in game 17 (seed 3)"
    assert game.result().turns == 24


def test_under_end_the_first_mine_loses() -> None:
    game = play("*..", Turn(open=[Cell(0, 1)]), Turn(open=[Cell(0, 0)]), on_mine="end")
    assert game.result() == GameResult(1, 3, 1, Ending.LOST, 1, 0, 0, 1, 2, 2, 2, 0, 2, 0)


def test_under_end_the_game_is_won_when_every_safe_cell_is_open() -> None:
    game = play("*..", Turn(open=[Cell(0, 2), Cell(0, 0)], why="proof"), on_mine="end")
    assert game.result() == GameResult(1, 3, 1, Ending.WON, 2, 0, 0, 0, 1, 1, 0, 0, 1, 1)
    assert rows(game) == [".10"]


def test_under_end_flags_do_not_end_the_game() -> None:
    assert not play("*.", Turn(flag=[Cell(0, 0), Cell(0, 1)]), on_mine="end").over


def test_under_continue_the_game_goes_on_until_every_cell_is_open_detonated_or_flagged() -> None:
    game = play("**.", Turn(open=[Cell(0, 0)]), Turn(open=[Cell(0, 2)]))
    assert not game.over
    game.take(Turn(flag=[Cell(0, 1)]))
    assert game.result() == GameResult(1, 3, 2, Ending.FINISHED, 1, 1, 0, 1, 3, 2, 2, 0, 3, 0)


def test_under_continue_a_safe_cell_under_a_flag_is_not_won() -> None:
    game = play("*.", Turn(flag=[Cell(0, 0), Cell(0, 1)]))
    assert game.ending == Ending.FINISHED
    assert not game.result().won


def test_under_continue_flags_alone_can_end_a_game_that_has_no_board_yet() -> None:
    game = Game(BoardRef(Uniform(), Size(1, 3, 1), 8), Rules(first_click="safe"))
    game.take(Turn(flag=game.view().covered()))
    result = game.result()
    assert (result.ending, result.right_flags, result.wrong_flags) == (Ending.FINISHED, 1, 2)


@pytest.mark.parametrize("on_mine", ["continue", "end"])
def test_a_board_without_mines_is_won_by_one_cell(on_mine: Any) -> None:
    game = play("...\n...", Turn(open=[Cell(0, 0)]), on_mine=on_mine)
    assert game.result() == GameResult(2, 3, 0, Ending.WON, 6, 0, 0, 0, 1, 1, 1, 0, 1, 1)


def test_a_board_of_mines_only_is_won_untouched_under_end_and_by_flags_under_continue() -> None:
    assert play("**", on_mine="end").ending == Ending.WON
    game = play("**")
    assert not game.over
    game.take(Turn(flag=[Cell(0, 0), Cell(0, 1)]))
    assert game.ending == Ending.WON


@pytest.mark.parametrize(
    ("board", "on_mine", "ending"),
    [(".", "continue", "won"), (".", "end", "won"), ("*", "continue", "finished")],
)
def test_a_single_cell_is_a_game(board: str, on_mine: Any, ending: str) -> None:
    assert play(board, Turn(open=[Cell(0, 0)]), on_mine=on_mine).ending == ending


def test_a_fixed_start_is_opened_before_the_first_turn_and_costs_nothing() -> None:
    game = play("...*", start=Cell(0, 0))
    assert rows(game) == ["001."]
    with pytest.raises(IllegalMove, match="already open"):
        game.take(Turn(open=[Cell(0, 1)]))
    game = play("...*", Turn(flag=[Cell(0, 3)]), start=Cell(0, 0))
    assert game.result() == GameResult(1, 4, 1, Ending.WON, 3, 1, 0, 0, 1, 0, 0, 0, 1, 1)


def test_a_fixed_start_can_end_the_game() -> None:
    assert play("*.", start=Cell(0, 0), on_mine="end").ending == Ending.LOST
    assert play("..", start=Cell(0, 0), on_mine="end").ending == Ending.WON
    assert rows(play("*.", start=Cell(0, 0))) == ["*."]


@given(st.integers(0, 2**64 - 1))
def test_a_fixed_start_gives_every_agent_the_same_board(seed: int) -> None:
    boards = set()
    for first in (Cell(0, 0), Cell(4, 4)):
        game = Game(BoardRef(Uniform(), Size(5, 5, 8), seed), Rules("continue", "opening", Cell(2, 2)))
        if game.view().is_covered(first):
            game.take(Turn(open=[first]))
        boards.add(game.board)
    assert len(boards) == 1
    assert boards.pop().clues[2, 2] == 0


@pytest.mark.parametrize(
    ("size", "rules", "message"),
    [
        (Size(3, 3, 1), Rules(first_click="opening"), "1 mines on 3 x 3 leave no room .* a blank: expected at most 0"),
        (Size(9, 9, 73), Rules(first_click="opening"), "expected at most 72"),
        (Size(2, 9, 13), Rules(first_click="opening"), "expected at most 12"),
        (Size(1, 9, 7), Rules(first_click="opening"), "expected at most 6"),
        (Size(3, 3, 9), Rules(first_click="safe"), "9 mines on 3 x 3 leave no room .* safe: expected at most 8"),
        (Size(3, 3, 6), Rules(first_click="opening", start=Cell(0, 0)), "expected at most 5"),
        (Size(3, 3, 1), Rules(start=Cell(3, 0)), r"start cell \(3, 0\) is not on a board of 3 x 3"),
        (Size(3, 3, 1), Rules(start=Cell(0, -1)), r"start cell \(0, -1\) is not on a board of 3 x 3"),
        (Size(3, 3, 1), Rules(start=(0, 0)), r"start cell \(0, 0\): expected Cell"),  # type: ignore[arg-type]
        (Size(3, 3, 1), Rules("stop"), "on_mine=stop: expected continue or end"),  # type: ignore[arg-type]
        (Size(3, 3, 1), Rules(first_click="openning"), "first_click=openning: expected any"),  # type: ignore[arg-type]
    ],
)
def test_a_game_that_cannot_be_is_refused_at_set_up(size: Size, rules: Rules, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Game(BoardRef(Uniform(), size, 1), rules)


@pytest.mark.parametrize("size", [Size(9, 9, 72), Size(2, 9, 12), Size(1, 9, 6), Size(2, 2, 0)])
def test_the_fullest_board_with_an_opening_can_be_played_from_everywhere(size: Size) -> None:
    for first in range(size.cells):
        game = Game(BoardRef(Uniform(), size, first), Rules(first_click="opening"))
        game.take(Turn(open=np.array([first])))
        assert game.view().shown.flat[first] == 0


def test_a_board_is_not_there_before_the_first_cell_and_looking_for_it_does_not_make_it() -> None:
    game = Game(BoardRef(Uniform(), Size(2, 2, 3), 1), Rules(first_click="safe"))
    with pytest.raises(RuntimeError, match="no board before"):
        _ = game.board
    game.take(Turn(open=[Cell(1, 0)]))
    assert not game.board.is_mine(Cell(1, 0))


@pytest.mark.parametrize(
    ("turn", "what"),
    [
        (Turn(open=[Cell(2, 0)]), "opened (2, 0), which is not on the board,"),
        (Turn(open=[Cell(0, -1)]), "opened (0, -1), which is not on the board,"),
        (Turn(open=[(-1, 2)]), "opened (-1, 2), which is not on the board,"),
        (Turn(open=[(0, 3)]), "opened (0, 3), which is not on the board,"),
        (Turn(open=[(10**30, 0)]), f"opened ({10**30}, 0), which is not on the board,"),
        (Turn(open=np.array([6])), "opened cell 6, which is not on the board,"),
        (Turn(open=np.array([-1])), "opened cell -1, which is not on the board,"),
        (Turn(open=np.array([2**64 - 1], np.uint64)), f"opened cell {2**63 - 1}, which is not on the board,"),
        (Turn(open=[Cell(1, 2), Cell(0, 1)]), "opened (0, 1), which is already open,"),
        (Turn(open=np.array([5, 1])), "opened (0, 1), which is already open,"),
        (Turn(open=[Cell(0, 0)]), "opened (0, 0), whose mine went off before,"),
        (Turn(open=[Cell(1, 0)]), "opened (1, 0), which is flagged,"),
        (Turn(flag=[Cell(0, 1)]), "flagged (0, 1), which is already open,"),
        (Turn(flag=[Cell(0, 0)]), "flagged (0, 0), whose mine went off before,"),
        (Turn(flag=[Cell(1, 0)]), "flagged (1, 0), which is flagged,"),
        (Turn(flag=[Cell(5, 5)]), "flagged (5, 5), which is not on the board,"),
        (Turn(unflag=[Cell(0, 2)]), "unflagged (0, 2), which is not flagged,"),
        (Turn(unflag=[Cell(0, 1)]), "unflagged (0, 1), which is not flagged,"),
        (Turn(unflag=[Cell(0, 0)]), "unflagged (0, 0), which is not flagged,"),
        (Turn(unflag=np.array([99])), "unflagged cell 99, which is not on the board,"),
        (Turn(open=(cell for cell in [Cell(0, 1)])), "opened (0, 1), which is already open,"),  # type: ignore[arg-type]
        (Turn(open={Cell(0, 1)}), "opened (0, 1), which is already open,"),  # type: ignore[arg-type]
    ],
)
def test_an_illegal_cell_is_named_with_agent_game_and_seed(turn: Turn, what: str) -> None:
    game = Game(BoardRef(_Fixed(Board.parse("*.*\n...")), Size(2, 3, 2), 7, 17), agent="corner")
    game.take(Turn(open=[Cell(0, 1), Cell(0, 0)], flag=[Cell(1, 0)]))
    with pytest.raises(IllegalMove, match=re.escape(f"agent 'corner' {what} in game 17 (seed 7)")):
        game.take(turn)


class Nasty:
    """Raises whatever is done to it."""

    def __repr__(self) -> str:
        raise SystemExit(3)

    def __iter__(self) -> Any:
        raise SystemExit(3)

    def __index__(self) -> int:
        raise SystemExit(3)

    def __eq__(self, other: object) -> bool:
        raise ValueError

    def __bool__(self) -> bool:
        raise ValueError

    __hash__ = None  # type: ignore[assignment]


class NastyWord(str):
    """A string that raises when it is compared."""

    def __eq__(self, other: object) -> bool:
        raise ValueError

    __hash__ = str.__hash__


class Unnamed(type):
    """A metaclass that hides the names of its classes."""

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise ValueError


class Nameless(Nasty, metaclass=Unnamed):
    """Hides its class."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise ValueError


class NoNumber:
    """Compares like a probability, but is not one."""

    def __ge__(self, other: object) -> bool:
        return True

    __le__ = __ge__

    def __float__(self) -> float:
        return float("nan")


class SeeminglyFlat(np.ndarray[Any, Any]):
    """An array that lies about its shape."""

    ndim = 1


class PretendedArray:
    """Says that it is an array."""

    __class__ = np.ndarray  # type: ignore[assignment]
    ndim = size = 1
    dtype = np.dtype(np.int64)

    def __array__(self, *_: Any, **__: Any) -> Any:
        return np.zeros((1, 1), np.int64)


class OnlyRaises(np.ndarray[Any, Any]):
    """An array that raises on every operation."""

    def __getitem__(self, place: Any) -> Any:
        raise ValueError

    def __len__(self) -> int:
        raise ValueError

    @property
    def ndim(self) -> int:
        raise ValueError


NOT_CELLS = [
    Cell(0, 1),
    [0, 1],
    [(0.0, 1.0)],
    [(0, 1.5)],
    [("0", "1")],
    ["ab"],
    "ab",
    5,
    None,
    True,
    [(0, 1, 2)],
    [(0,)],
    [None],
    {"a": 1},
    np.array([1.0]),
    np.array([True, False]),
    np.array([[0, 1]]),
    np.array(3),
    np.array(["a"]),
    np.array([None]),
    object(),
    Nasty(),
    [Nasty()],
    [(Nasty(), 0)],
    np.zeros((1, 1), np.int64).view(SeeminglyFlat),
]


@pytest.mark.parametrize("cells", NOT_CELLS, ids=lambda cells: type(cells).__name__)
@pytest.mark.parametrize(("field", "done"), [("open", "opened"), ("flag", "flagged"), ("unflag", "unflagged")])
def test_what_are_no_cells_is_an_illegal_move_and_changes_nothing(cells: Any, field: str, done: str) -> None:
    game = play("*..")
    with pytest.raises(IllegalMove, match=f"^agent 'tester' {done} .*: expected .* in game 0 .seed 0.$"):
        game.take(Turn(**{field: cells}))
    assert rows(game) == ["..."]


@pytest.mark.parametrize(
    "answer",
    [None, 3, "open", (), [Cell(0, 0)], Cell(0, 0), object(), Nasty(), Turn, tuple(Turn())],
)
def test_what_is_no_turn_is_an_illegal_move(answer: Any) -> None:
    with pytest.raises(IllegalMove, match=r"^agent 'tester' answered .*, which is not a Turn in game 0 .seed 0.$"):
        play("*..").take(answer)


@pytest.mark.parametrize("make", [lambda: Nameless(), lambda: PretendedArray()], ids=["nameless", "pretended"])
@pytest.mark.parametrize("field", ["open", "flag", "unflag", "why", "probability", "fallback", "evidence"])
def test_what_does_not_say_what_it_is_is_an_illegal_move_wherever_it_stands(make: Any, field: str) -> None:
    with pytest.raises(IllegalMove):  # made here, since pytest would look at it
        play("*..").take(Turn(**({"open": [Cell(0, 1)]} | {field: make()})))


def test_what_does_not_say_what_it_is_is_no_turn() -> None:
    with pytest.raises(IllegalMove, match="answered a Nameless, which is not a Turn"):
        play("*..").take(Nameless())  # type: ignore[arg-type]


def test_an_array_of_an_agents_own_kind_runs_none_of_its_code() -> None:
    game = play("**.")
    with pytest.raises(IllegalMove, match="opened cell 9, which is not on the board,"):
        game.take(Turn(open=np.array([9]).view(OnlyRaises)))
    game.take(Turn(open=np.array([2]).view(OnlyRaises)))
    assert rows(game) == ["..1"]


def test_a_message_is_one_line_without_addresses() -> None:
    for answer in (object(), np.zeros((3, 3)), lambda: 3):
        with pytest.raises(IllegalMove) as caught:
            play("*..").take(answer)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)
        assert "0x" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        {"why": "because"},
        {"why": None},
        {"why": 3},
        {"why": ["proof"]},
        {"why": Nasty()},
        {"probability": NoNumber()},
        {"probability": 1.5},
        {"probability": -0.1},
        {"probability": float("nan")},
        {"probability": "0.5"},
        {"probability": np.array([0.1, 0.2])},
        {"probability": Nasty()},
        {"fallback": None},
        {"fallback": np.array([True, False])},
        {"fallback": Nasty()},
        {"evidence": 5},
        {"evidence": [Cell(0, 1)]},
        {"evidence": {Cell(0, 1): None}},
        {"evidence": {Cell(0, 9): []}},
        {"evidence": {Cell(0, 1): [Cell(-1, 0)]}},
        {"evidence": {5: [Cell(0, 0)]}},
        {"evidence": Nasty()},
    ],
)
def test_what_comes_with_a_turn_is_checked_too(given: dict[str, Any]) -> None:
    game = play("*..")
    with pytest.raises(IllegalMove, match=r"^agent 'tester' gave the .*: expected .* in game 0 .seed 0.$"):
        game.take(Turn(open=[Cell(0, 1)], **given))
    assert rows(game) == ["..."]


def test_a_reason_of_an_agents_own_kind_of_string_cannot_break_the_referee() -> None:
    game = play("*..", Turn(open=[Cell(0, 1)], why=NastyWord("proof")))  # type: ignore[arg-type]
    game.take(Turn())
    assert game.result().guesses == 0


@pytest.mark.parametrize(
    "cells",
    [
        [Cell(0, 2)],
        ((0, 2),),
        [[0, 2]],
        [np.array([0, 2])],
        [(np.int64(0), np.uint8(2))],
        {Cell(0, 2)},
        {Cell(0, 2): "why not"},
        map(Cell, [0], [2]),
        np.array([2], np.int8),
        np.array([2], np.uint64),
        np.array([2], ">i4"),
        np.array([9, 2, 9])[1::3],
        np.frombuffer(b"\2", np.uint8),
    ],
    ids=lambda cells: type(cells).__name__,
)
def test_cells_may_come_in_many_forms(cells: Any) -> None:
    assert rows(play("**.", Turn(open=cells))) == ["..1"]


def test_a_read_only_array_is_not_compiled_for_again() -> None:
    play("**.", Turn(open=np.array([2])))
    before = len(referee_kernels.take.signatures)  # type: ignore[attr-defined]
    game = play("**.")
    game.take(Turn(open=np.frombuffer(np.array([2]).tobytes(), np.int64)))
    assert len(referee_kernels.take.signatures) == before  # type: ignore[attr-defined]


def test_a_move_after_the_end_is_illegal() -> None:
    game = play("..", Turn(open=[Cell(0, 0)]))
    with pytest.raises(IllegalMove, match=r"^agent 'tester' moved after the end in game 0 \(seed 0\)$"):
        game.take(Turn(open=[Cell(0, 1)]))


def test_what_came_before_an_illegal_cell_stands() -> None:
    game = play("*..")
    with pytest.raises(IllegalMove):
        game.take(Turn(flag=[Cell(0, 0)], open=[Cell(0, 1), Cell(9, 9)]))
    assert rows(game) == ["F1."]


def test_guesses_are_turns_that_opened_a_cell_without_a_proof() -> None:
    game = play(
        "*....",
        Turn(open=[Cell(0, 1)], why="proof"),
        Turn(flag=[Cell(0, 0)], why="random"),
        Turn(open=[Cell(0, 2), Cell(0, 3)], why="guess", probability=0.25),
        Turn(open=[Cell(0, 4)], why="random", fallback=True),
        flood=False,
    )
    assert game.result() == GameResult(1, 5, 1, Ending.WON, 4, 1, 0, 0, 4, 4, 2, 1, 5, 0)


def test_a_result_is_there_only_when_the_game_is_over() -> None:
    with pytest.raises(RuntimeError, match="not over"):
        play("*.").result()


def test_a_million_blanks_flood_at_once() -> None:
    game = Game(BoardRef(Uniform(), Size(1000, 1000, 0), 1))
    game.take(Turn(open=[Cell(500, 500)]))
    assert game.ending == Ending.WON
    assert game.result().opened == 1_000_000


def test_faults_are_told_from_other_endings() -> None:
    faults = {ending.value for ending in Ending if ending.is_fault}
    answers = {"truncated answer", "empty answer", "unreadable answer"}
    assert faults == {"illegal move", "error", "stalled", "time-out", "crash", "memory"} | answers
    assert {ending.value for ending in Ending} - faults == {"won", "lost", "finished", "gave up"}


def test_the_same_deal_can_be_played_twice_alike() -> None:
    games = [Game(BoardRef.of(Uniform(), "uniform", PRESETS["beginner"], 1, 4)) for _ in range(2)]
    for game in games:
        game.take(Turn(open=[Cell(4, 4)]))
    assert games[0].view() == games[1].view()
    assert games[0].board == games[1].board
