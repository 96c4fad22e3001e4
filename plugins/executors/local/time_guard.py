"""The guard: tells the supervisor, through shared memory, since when an agent has been at work."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import inf
from time import monotonic, process_time
from typing import Any, cast

from sweepstakes.agent import Agent
from sweepstakes.executor import Limits, Row
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.inference.explaining import second_limits
from sweepstakes.plugins.executors.local.protocol import AGAIN, SPENT, STARTED, TURN, Slot

Act = Callable[[View], Turn]


class Late(Exception):  # noqa: N818 - it says what happened
    """Ends a game that is over its time; the worker then puts the verdict in place of the row."""


def too_long(limits: Limits, turn: float, game: float) -> str:
    """What an agent did wrong that has been at its turn and its game for so many seconds, or nothing."""
    if limits.turn_seconds is not None and turn > limits.turn_seconds:
        return f"took more than {limits.turn_seconds:g} s for a turn"
    if limits.game_seconds is not None and game > limits.game_seconds:
        return f"took more than {limits.game_seconds:g} s for a game"
    return ""


class Guard:
    """Makes the agent of each game and watches over it from its constructor on.

    The clock of a turn runs on until the next turn or the end of the game, because the referee still
    touches the agent's own objects, whose methods may hang. It stands still while numba compiles, which
    happens once in a process and is nobody's turn.

    The row of a game that is to be played again goes to `hand_over`, before any clock of the second playing runs.
    """

    def __init__(self, slot: Slot, limits: Limits, hand_over: Callable[[Row], None]) -> None:
        self._slot = slot
        self._of_game, self._of_second = limits, second_limits(limits)
        self._hand_over = hand_over
        self._compiling = Compiling(slot)
        self.begin()

    def begin(self) -> None:
        """Make ready for a game."""
        self.late = ""
        self.called = False
        self.first: Row | None = None
        self._limits = self._of_game
        self._begun = monotonic()
        self._slot[AGAIN] = 0
        self._slot[SPENT] = self._spent = process_time()

    def __call__(self, factory: Callable[[], Agent]) -> Agent:
        """An agent of the factory, watched."""
        __tracebackhide__ = True
        self.called = True
        slot = self._slot
        slot[STARTED] = slot[TURN] = monotonic()
        agent = factory()
        self._check(monotonic())
        return cast(Agent, _Watched(agent, self._watched))

    def played(self, row: Row) -> None:
        """Keep and hand over the row of a game that is about to be played again, under limits of its own."""
        self._slot[TURN] = self._slot[STARTED] = 0
        self.first = row
        self._hand_over(row)
        self._slot[AGAIN] = 1
        self._limits = self._of_second

    def seconds(self) -> float:
        """Processor time since this game began."""
        return process_time() - self._spent

    def took(self) -> float:
        """How long ago this game began."""
        return monotonic() - self._begun

    def _check(self, now: float) -> None:
        __tracebackhide__ = True
        self.late = too_long(self._limits, now - self._slot[TURN], now - self._slot[STARTED])
        if self.late:
            raise Late

    def _watched(self, act: Act) -> Act:
        """The agent's method with a time-stamp before it, and a look at the clock after it.

        The look makes limits exact: the supervisor comes round only now and then, and may be kept from it.
        """
        slot = self._slot
        turn_limit = self._limits.turn_seconds or inf
        last = slot[STARTED] + (self._limits.game_seconds or inf)

        def watched(view: View) -> Turn:
            __tracebackhide__ = True
            slot[TURN] = begun = monotonic()
            turn = act(view)
            now = monotonic()
            if now - begun > turn_limit or now > last:
                self._check(now)  # it looks into the slot, where time for compiling has been taken off
            return turn

        return watched


class _Watched:
    """Stands for the agent at the referee's table: whatever is set on it is set on the agent."""

    __slots__ = ("_agent", "act")

    def __init__(self, agent: Agent, watch: Callable[[Act], Act]) -> None:
        __tracebackhide__ = True
        put = object.__setattr__
        put(self, "_agent", agent)
        put(self, "act", watch(agent.act))

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        setattr(self._agent, name, value)  # type: ignore[attr-defined]


class Compiling:
    """Stops the clocks in the slot while numba compiles."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._deep = 0
        self._since = self._turn = 0.0
        with suppress(ImportError):
            from numba.core import event

            guard = self

            class Listener(event.Listener):
                def on_start(self, event: Any) -> None:
                    guard.start()

                def on_end(self, event: Any) -> None:
                    guard.end()

            event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]

    def start(self) -> None:
        """A function begins to compile, perhaps for the sake of another."""
        self._deep += 1
        if self._deep == 1:
            self._since = monotonic()
            self._turn = self._slot[TURN]
            self._slot[TURN] = 0

    def end(self) -> None:
        """It is compiled."""
        self._deep -= 1
        if self._deep == 0 and self._turn:
            lost = monotonic() - self._since
            self._slot[STARTED] += lost
            self._slot[TURN] = self._turn + lost
