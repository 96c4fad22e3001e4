from __future__ import annotations

import hashlib
import hmac
import re
import sys
from collections.abc import Callable
from time import process_time, sleep
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import (
    Agent,
    Board,
    BoardRef,
    BoardSource,
    Cell,
    Ending,
    Game,
    IllegalMove,
    Played,
    PluginError,
    PositionError,
    Registry,
    Rng,
    Rules,
    Size,
    Turn,
    View,
    play_game,
)
from sweepstakes.game.turn_codec import pack, unpack
from sweepstakes.noise import EXACT, Noise
from sweepstakes.plugins.agents.basic import Basic
from sweepstakes.plugins.agents.random import Random
from sweepstakes.plugins.boards.uniform import Uniform


def game(rules: Rules = Rules(), seed: int = 7, number: int = 17) -> Game:
    return Game(BoardRef(Uniform(), Size(5, 5, 4), seed, number), rules, agent="tester")


def acting(act: Callable[[Any, View], Any]) -> type[Agent]:
    """An agent that acts so."""
    return type("Acting", (Agent,), {"act": act})


def raising(error: BaseException) -> type[Agent]:
    def act(self: Agent, view: View) -> Turn:
        raise error

    return acting(act)


class WrongText(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise ValueError("no text")


class OutOfTheTree(BaseException):
    pass


def too_deep(self: Agent, view: View) -> Turn:
    return too_deep(self, view)


@pytest.mark.parametrize(
    ("agent", "ending", "text"),
    [
        (raising(ValueError("no idea")), "error", "ValueError: no idea"),
        (raising(ValueError()), "error", "ValueError"),
        (raising(ValueError("first\nsecond")), "error", "ValueError: first second"),
        (raising(KeyError("x")), "error", "KeyError: 'x'"),
        (raising(SystemExit(3)), "error", "SystemExit: 3"),
        (raising(GeneratorExit()), "error", "GeneratorExit"),
        (raising(StopIteration()), "error", "StopIteration"),
        (raising(OutOfTheTree("far")), "error", "OutOfTheTree: far"),
        (raising(MemoryError()), "memory", "MemoryError"),
        (raising(SystemError("error return without exception set")), "memory", "SystemError"),
        (raising(SystemError(["a list"])), "error", "SystemError"),
        (raising(WrongText()), "error", "WrongText"),
        (acting(too_deep), "error", "RecursionError: maximum recursion depth exceeded"),
        (raising(PositionError("mine")), "error", "PositionError: mine"),
        (
            acting(lambda self, view: cast(Any, view).board),
            "error",
            "AttributeError: 'View' object has no attribute 'board'",
        ),
    ],
)
def test_an_agent_that_raises_loses_this_game_and_nothing_else(agent: type[Agent], ending: str, text: str) -> None:
    played = play_game(game(), agent)
    assert played.result.ending == ending
    pattern = rf"^agent 'tester' raised {re.escape(text)}.* \(line \d+ of test_play\.py\) in game 17 \(seed 7\)$"
    assert re.fullmatch(pattern, played.result.fault), played.result.fault
    assert (played.result.turns, played.result.opened) == (0, 0)


def test_the_line_named_is_the_agents_own_even_if_our_code_raised() -> None:
    fault = play_game(game(), acting(lambda self, view: self.rng.below(0))).result.fault
    assert "ValueError: below(0)" in fault
    assert "of test_play.py)" in fault


def test_a_fault_does_not_say_where_in_memory_a_thing_lies() -> None:
    fault = play_game(game(), raising(ValueError(f"bad {object()!r}"))).result.fault
    assert "ValueError: bad <object object> (line" in fault


def test_a_long_error_is_cut() -> None:
    assert len(play_game(game(), raising(ValueError("x" * 5000))).result.fault) < 300


def test_what_stood_before_the_error_stands() -> None:
    def act(self: Agent, view: View) -> Turn:
        if view.flagged():
            raise ValueError
        return Turn(flag=[Cell(0, 0)])

    result = play_game(game(), acting(act)).result
    assert (result.ending, result.turns, result.right_flags + result.wrong_flags) == (Ending.ERROR, 1, 1)


class BadConstructor(Agent):
    def __init__(self) -> None:
        raise SystemExit("not today")

    def act(self, view: View) -> Turn:
        raise NotImplementedError


class NoMethod(Agent):
    pass


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        (BadConstructor, "SystemExit: not today (line"),
        (NoMethod, "TypeError: Can't instantiate abstract class NoMethod"),
        (lambda: None, "AttributeError: 'NoneType' object has no attribute"),
        (lambda: 1 / 0, "ZeroDivisionError: division by zero (line"),
        (Basic.act, "TypeError"),
    ],
)
def test_an_agent_that_cannot_be_made_loses_this_game(agent: Any, text: str) -> None:
    result = play_game(game(), agent).result
    assert result.ending == Ending.ERROR
    assert result.fault.startswith(f"agent 'tester' raised {text}")
    assert result.fault.endswith(" in game 17 (seed 7)")


@pytest.mark.parametrize("answer", [None, 3, "open", [Cell(0, 0)], Turn, object(), np.zeros(3)])
def test_an_answer_that_is_no_turn_is_an_illegal_move(answer: Any) -> None:
    result = play_game(game(), acting(lambda self, view: answer)).result
    assert result.ending == Ending.ILLEGAL_MOVE
    assert re.fullmatch(r"agent 'tester' answered .*, which is not a Turn in game 17 \(seed 7\)", result.fault), (
        result.fault
    )


def test_an_illegal_cell_is_an_illegal_move() -> None:
    result = play_game(game(), acting(lambda self, view: Turn(open=[Cell(5, 5)]))).result
    assert result.ending == Ending.ILLEGAL_MOVE
    assert result.fault == "agent 'tester' opened (5, 5), which is not on the board, in game 17 (seed 7)"


def test_an_agent_that_never_gets_on_is_stalled() -> None:
    def act(self: Agent, view: View) -> Turn:
        return Turn(unflag=[Cell(0, 0)]) if view.flagged() else Turn(flag=[Cell(0, 0)])

    result = play_game(game(), acting(act)).result
    assert (result.ending, result.turns) == (Ending.STALLED, 4 * 25 + 16)


def test_the_users_interrupt_is_not_the_agents_fault() -> None:
    with pytest.raises(KeyboardInterrupt):
        play_game(game(), raising(KeyboardInterrupt()))


class Broken(BoardSource):
    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        raise ZeroDivisionError("a source that does not work")


def test_our_own_errors_are_not_blamed_on_the_agent() -> None:
    board_ref = BoardRef(Broken(), Size(5, 5, 4), 7)
    with pytest.raises(PluginError, match="board source 'given' raised ZeroDivisionError: a source that does not work"):
        play_game(Game(board_ref, Rules(first_click="safe")), Random)


def test_an_error_leaves_no_agent_behind_in_the_next_game() -> None:
    assert play_game(game(), raising(ValueError())).result.ending == Ending.ERROR
    assert play_game(game(), Random).result == play_game(game(), Random).result


# Random numbers.


class Numbers(Agent):
    """Remembers the numbers it drew, and gives up."""

    drawn: list[list[int]] = []  # noqa: RUF012

    def act(self, view: View) -> Turn:
        assert self._rng is None, "made only when used"
        self.drawn.append([self.rng.below(1000) for _ in range(5)])
        assert self.rng is self.rng
        return Turn()


def test_the_agents_numbers_are_the_same_each_time_and_tell_nothing_of_the_board() -> None:
    Numbers.drawn = []
    for number in (17, 17, 18):
        play_game(game(number=number), Numbers)
    own = Rng(game().agent_seed)
    assert Numbers.drawn[0] == Numbers.drawn[1] == [own.below(1000) for _ in range(5)]
    assert Numbers.drawn[2] != Numbers.drawn[0]
    board = Rng(7)
    assert Numbers.drawn[0] != [board.below(1000) for _ in range(5)]


def test_the_agents_seed_is_keyed_by_the_tournaments_seed_and_depends_on_all_that_names_the_game() -> None:
    def seed(
        *,
        label: str = "uniform",
        mines: int = 10,
        tournament: int = 2026,
        number: int = 3,
        rules: Rules = Rules(),
        noise: Noise = EXACT,
        agent: str = "one",
    ) -> int:
        return Game(
            BoardRef.of(Uniform(), label, Size(9, 9, mines), tournament, number), rules, noise, agent
        ).agent_seed

    message = "agent\x1funiform\x1f9\x1f9\x1f10\x1fon_mine=continue first_click=any\x1fexact-clues\x1f3"
    expected = int.from_bytes(hmac.new(b"2026", message.encode(), hashlib.sha256).digest()[:8], "big")
    assert seed() == seed(agent="another") == expected == 313469495645610957
    others = [
        seed(label="clustered(group=4)"),
        seed(mines=11),
        seed(tournament=2027),
        seed(number=4),
        seed(rules=Rules("end")),
        seed(noise=Registry.default().noise("hidden(rate=0.25)")),
    ]
    assert len({expected, *others}) == 7


def test_an_agent_that_wants_numbers_in_its_constructor_is_told() -> None:
    class Early(Random):
        def __init__(self) -> None:
            self.first = self.rng.below(3)

    fault = play_game(game(), Early).result.fault
    assert "RuntimeError: an agent's rng is available from the first turn on, not in its constructor" in fault


def test_nobody_is_asked_to_explain_while_playing() -> None:
    asked: list[bool] = []

    def act(self: Agent, view: View) -> Turn:
        asked.append(self.explain)
        return Turn()

    play_game(game(), acting(act))
    play_game(game(), acting(act), keep_turns=True)
    assert asked == [False, False]


def test_the_agents_time_includes_its_constructor() -> None:
    class Slow(Random):
        def __init__(self) -> None:
            self.until = process_time() + 0.02
            while process_time() < self.until:
                pass

    assert play_game(game(), Slow).seconds >= 0.02


def test_the_agents_time_is_the_processors_and_not_the_clocks() -> None:
    class Sleepy(Random):
        def __init__(self) -> None:
            sleep(0.5)

    before = process_time()
    seconds = play_game(game(), Sleepy).seconds
    assert seconds <= process_time() - before


# Keeping turns.

NOISES = {name: Registry().noise(name) for name in ("exact-clues", "hidden(rate=0.25)", "liar(rate=0.25)")}


class Unsteady(Agent):
    """Flags, unflags and opens at random, by cells or by arrays, and sometimes gives up or breaks a rule."""

    def act(self, view: View) -> Turn:
        covered, flagged = view.covered(), view.flagged()
        self.rng.shuffle(covered)
        kind = self.rng.below(40)
        if kind == 0:
            return Turn()
        if kind == 1:
            return Turn(open=[*covered[1:2], Cell(99, 99)], flag=covered[:1])
        if kind < 15 and covered:
            return Turn(open=np.array([r * view.cols + c for r, c in covered[:2]]), why="guess", probability=0.25)
        flag = covered[:1] if kind < 30 else []
        opens = covered[len(flag) : 3]
        return Turn(opens, flag, flagged[:1] if not (opens or flag) or kind % 2 else (), "proof", fallback=kind > 35)


@given(
    st.integers(0, 2**64 - 1),
    st.sampled_from(["continue", "end"]),
    st.sampled_from(["any", "safe", "opening"]),
    st.sampled_from(sorted(NOISES)),
    st.sampled_from([Unsteady, Basic, Random]),
)
def test_replaying_the_turns_gives_the_same_end(
    seed: int, on_mine: Any, first_click: Any, noise: str, agent: type[Agent]
) -> None:
    def fresh() -> Game:
        return Game(BoardRef(Uniform(), Size(5, 6, 7), seed), Rules(on_mine, first_click), NOISES[noise], "tester")

    first = fresh()
    played = play_game(first, agent, keep_turns=True)
    assert played.turns is not None
    back = unpack(pack(played.turns))
    assert back == played.turns
    again = fresh()
    try:
        for turn in back:
            again.take(turn)
    except IllegalMove as broken:
        again.forfeit(Ending.ILLEGAL_MOVE, str(broken))
    assert again.view() == first.view()
    assert again.result() == played.result
    assert play_game(fresh(), agent).result == played.result


def test_turns_are_kept_only_if_asked_for() -> None:
    assert play_game(game(), Random).turns is None


def test_kept_turns_do_not_change_when_the_agent_uses_its_arrays_again() -> None:
    class Thrifty(Random):
        def __init__(self) -> None:
            self.buffer = np.zeros(1, np.int64)
            self.cells: list[Cell] = []

        def act(self, view: View) -> Turn:
            covered = view.covered()
            self.buffer[0] = covered[0].row * view.cols + covered[0].col
            self.cells[:] = covered[1:2]
            return Turn(open=self.buffer, flag=self.cells)

    played = play_game(game(), Thrifty, keep_turns=True)
    assert played.turns is not None
    opened = [int(np.asarray(turn.open)[0]) for turn in played.turns]
    assert len(set(opened)) == len(opened) > 1
    assert len({turn.flag[0] for turn in played.turns if len(turn.flag)}) > 1


def test_turns_of_one_time_iterators_are_kept_too() -> None:
    def act(self: Agent, view: View) -> Any:
        return Turn(open=(cell for cell in view.covered()[:1]), evidence={Cell(0, 0): iter([Cell(1, 1)])})  # type: ignore

    played = play_game(game(), acting(act), keep_turns=True)
    assert played.turns is not None
    assert played.turns[0] == Turn(open=[Cell(0, 0)])  # evidence that nobody has asked for is not kept


def test_a_turn_that_gives_up_is_kept() -> None:
    played: Played = play_game(game(), acting(lambda self, view: Turn(why="proof")), keep_turns=True)
    assert played.turns == [Turn(why="proof")]


def test_deep_recursion_leaves_the_interpreter_as_it_was() -> None:
    limit = sys.getrecursionlimit()
    assert play_game(game(), acting(too_deep)).result.ending == Ending.ERROR
    assert sys.getrecursionlimit() == limit
