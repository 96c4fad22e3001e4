"""Whatever an agent returns or raises, the game ends with its fault, as a sentence that can be stored and printed."""

from __future__ import annotations

import functools
import importlib.util
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweepstakes import Agent, Board, BoardRef, Cell, Ending, Game, IllegalMove, Size, Turn, View, play_game
from sweepstakes.game.result import max_named_cells
from sweepstakes.game.turn_codec import pack, unpack
from sweepstakes.game.turn_log import Log
from sweepstakes.plugins.boards.uniform import Uniform


def _load() -> Any:
    path = Path(__file__).parent.parent / "nasty" / "answers.py"
    spec = importlib.util.spec_from_file_location("nasty_answers", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


nasty = _load()
MEMORY = {"memory", "memory-in-cells"}


@pytest.fixture
def no_user() -> Iterator[None]:
    """As in a worker of a tournament, which does not listen to Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def game() -> Game:
    return Game(BoardRef(Uniform(), Size(4, 5, 6), 7, 17), agent="\x1b[31mtest\ner")


@pytest.mark.parametrize("kind", [kind for kind in nasty.ANSWERS if kind != "memory-in-cells"])
def test_it_costs_the_game_and_the_sentence_can_be_printed(no_user: None, kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a coroutine that nobody awaits
        played = play_game(game(), functools.partial(nasty.Crook, kind), keep_turns=True)
    result = played.result
    assert result.ending.is_fault, result
    assert (result.ending is Ending.MEMORY) == (kind in MEMORY)
    assert (result.turns, result.opened) in {(0, 0), (1, 0)}
    assert type(result.fault) is str
    assert result.fault.isprintable(), ascii(result.fault)
    assert result.fault.encode()
    assert result.fault.startswith("agent 'test er' ")
    assert result.fault.endswith(" in game 17 (seed 7)")
    assert len(result.fault) < 400
    assert unpack(pack(played.turns or [])) == played.turns


def test_lack_of_memory_while_a_turn_is_read_comes_through() -> None:
    with pytest.raises(MemoryError):
        play_game(game(), functools.partial(nasty.Crook, "memory-in-cells"))


@pytest.mark.parametrize("kind", ["interrupt", "interrupt-in-cells", "odd-probability", "odd-evidence"])
def test_where_ctrl_c_may_be_the_users_it_stops_the_program(kind: str) -> None:
    assert callable(signal.getsignal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        play_game(game(), functools.partial(nasty.Crook, kind))


@pytest.mark.parametrize("kind", ["interrupt-of-words", "own-interrupt"])
def test_what_the_user_cannot_have_raised_is_the_agents(kind: str) -> None:
    assert play_game(game(), functools.partial(nasty.Crook, kind)).result.ending is Ending.ERROR


@pytest.mark.parametrize("turn", [(), (1,) * 9])
def test_a_turn_with_too_few_or_too_many_parts_says_so(turn: tuple[int, ...]) -> None:
    with pytest.raises(IllegalMove, match=rf"answered a Turn of {len(turn)} parts: expected 7 in game 17"):
        game().take(tuple.__new__(Turn, turn))


def test_a_turn_may_name_four_times_the_cells_and_sixteen_more_and_is_not_read_further() -> None:
    most = 4 * 3 + 16
    read = 0

    def cells() -> Iterator[Cell]:
        nonlocal read
        while True:
            read += 1
            yield Cell(0, 1)

    small = Game(Board.parse("*.."), agent="tester")
    with pytest.raises(IllegalMove, match=rf"named more than {most} cells in a turn: expected each cell once"):
        small.take(Turn(open=cells()))  # type: ignore[arg-type]
    assert read == most + 1
    with pytest.raises(IllegalMove, match=rf"named more than {most} cells in a turn"):
        small.take(Turn(open=np.ones(most, np.int64), flag=[Cell(0, 0)]))
    small.take(Turn(open=[Cell(0, 1)] * most))
    assert small.view().is_open(Cell(0, 1))


def test_evidence_is_not_read_without_end() -> None:
    read = 0

    def clues() -> Iterator[Cell]:
        nonlocal read
        while True:
            read += 1
            yield Cell(0, 1)

    with pytest.raises(IllegalMove, match=r"gave the evidence .*: expected at most 28 cells"):
        Game(Board.parse("*..")).take(Turn(open=[Cell(0, 1)], evidence={Cell(0, 1): clues()}))  # type: ignore[dict-item]
    assert read == 29


def test_all_turns_of_a_game_name_a_bounded_number_of_cells() -> None:
    game = Game(Board.parse("...............*"))
    game.log = Log()
    cells = [(0, col) for col in range(15)] * 5
    for _ in range(max_named_cells(16) // 150):
        game.take(Turn(flag=cells))
        game.take(Turn(unflag=cells))
    with pytest.raises(IllegalMove, match=f"named more than {max_named_cells(16)} cells in all its turns in game 0"):
        game.take(Turn(flag=cells))
    assert len(game.log.numbers) <= 2 * max_named_cells(16)


def test_the_evidence_of_all_turns_is_bounded_where_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sweepstakes.game.game.max_evidence_cells", lambda cells: 5)
    proof = Turn(flag=[(0, 3)], evidence={Cell(0, 3): [Cell(0, 2), Cell(0, 2)]})
    Game(Board.parse("...*")).take(proof._replace(evidence={Cell(0, 3): [Cell(0, 2)] * 9}))
    game = Game(Board.parse("...*"))
    game.turns = []
    game.take(proof)
    with pytest.raises(IllegalMove, match="gave more than 5 cells as evidence"):
        game.take(proof._replace(flag=[(0, 2)]))


def test_a_number_of_any_length_is_an_illegal_cell_that_can_be_kept() -> None:
    class Far(Agent):
        def act(self, view: View) -> Turn:
            return Turn(open=[(nasty.HUGE, -nasty.HUGE)])

    played = play_game(game(), Far, keep_turns=True)
    assert f"opened ({2**128}, {-(2**128)}), which is not on the board," in played.result.fault
    assert played.turns == [Turn(open=(Cell(2**128, -(2**128)),))]
