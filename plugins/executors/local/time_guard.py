"""The time guard: runs in a worker, writes into its heartbeat when an agent began to play, and checks time limits."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import inf
from time import monotonic, process_time
from typing import Any, cast

from sweepstakes.agent import Agent
from sweepstakes.executor import Limits, Row, exceeded_limit
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.inference.explaining import second_limits
from sweepstakes.plugins.executors.local.protocol import (
    CPU_BEFORE,
    GAME_STARTED,
    SECOND_PLAYING,
    TURN_STARTED,
    HeartbeatBlock,
)

Act = Callable[[View], Turn]


class TimeLimitError(Exception):
    """Ends a game that exceeded a time limit; the worker then reports the time-out instead of the game's row."""


class TimeGuard:
    """Makes the agents of each game and times them from their constructors on.

    The clock of a turn keeps running until the next turn or the end of the game, because the referee still touches
    the agent's own objects, whose methods may hang. The clock stops while numba compiles, which happens once in a
    process and belongs to no turn.

    `limit_memory` is called before every constructor. The row of a game that is to be played a second time goes to
    `send_first_row` before any clock of the second playing runs.
    """

    def __init__(
        self,
        block: HeartbeatBlock,
        limits: Limits,
        limit_memory: Callable[[], None],
        send_first_row: Callable[[Row], None],
    ) -> None:
        self._block = block
        self._first_limits, self._second_limits = limits, second_limits(limits)
        self._limit_memory = limit_memory
        self._send_first_row = send_first_row
        self._pause = CompilationPause(block)
        self.start_game()

    def start_game(self) -> None:
        """Reset the guard for the next game."""
        self.exceeded = ""
        """What `exceeded_limit` says of the game."""
        self.agent_called = False
        self.first_row: Row | None = None
        """The row of the game, once it is being played a second time."""
        self._limits = self._first_limits
        self._wall_start = monotonic()
        self._block[SECOND_PLAYING] = 0
        self._block[CPU_BEFORE] = self._cpu_start = process_time()

    def __call__(self, factory: Callable[[], Agent]) -> Agent:
        """An agent of the factory, timed."""
        __tracebackhide__ = True
        self._limit_memory()
        self.agent_called = True
        block = self._block
        block[GAME_STARTED] = block[TURN_STARTED] = monotonic()
        agent = factory()
        self._check_limits(monotonic())
        return cast(Agent, _TimedAgent(agent, self._timed))

    def played(self, row: Row) -> None:
        """Keep and send the row of a game that is about to be played a second time, under limits of its own."""
        self._block[TURN_STARTED] = self._block[GAME_STARTED] = 0
        self.first_row = row
        self._send_first_row(row)
        self._block[SECOND_PLAYING] = 1
        self._limits = self._second_limits

    def cpu_seconds(self) -> float:
        """The processor time that this game has used so far."""
        return process_time() - self._cpu_start

    def wall_seconds(self) -> float:
        """How long ago this game began."""
        return monotonic() - self._wall_start

    def _check_limits(self, now: float) -> None:
        __tracebackhide__ = True
        fault = exceeded_limit(self._limits, now - self._block[TURN_STARTED], now - self._block[GAME_STARTED])
        self.exceeded = fault.what if fault is not None else ""
        if self.exceeded:
            raise TimeLimitError

    def _timed(self, act: Act) -> Act:
        """The agent's method `act`, which writes the heartbeat before each call and checks the limits after it.

        The check makes limits exact: the supervisor reads the heartbeat only now and then, and may be late.
        """
        block = self._block
        turn_limit = self._limits.turn_seconds or inf
        game_deadline = block[GAME_STARTED] + (self._limits.game_seconds or inf)

        def timed(view: View) -> Turn:
            __tracebackhide__ = True
            block[TURN_STARTED] = turn_started = monotonic()
            turn = act(view)
            now = monotonic()
            if now - turn_started > turn_limit or now > game_deadline:
                self._check_limits(now)  # this reads the block, from which the time of compiling has been deducted
            return turn

        return timed


class _TimedAgent:
    """A proxy that the referee plays with: the agent with its `act` timed; attributes are set on the agent itself."""

    __slots__ = ("_agent", "act")

    def __init__(self, agent: Agent, timed: Callable[[Act], Act]) -> None:
        __tracebackhide__ = True
        put = object.__setattr__
        put(self, "_agent", agent)
        put(self, "act", timed(agent.act))

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        setattr(self._agent, name, value)  # type: ignore[attr-defined]


class CompilationPause:
    """Stops the clocks in a heartbeat block while numba compiles."""

    def __init__(self, block: HeartbeatBlock) -> None:
        self._block = block
        self._depth = 0
        self._paused_at = self._turn_started = 0.0
        with suppress(ImportError):
            from numba.core import event

            pause = self

            class Listener(event.Listener):
                def on_start(self, event: Any) -> None:
                    pause.start()

                def on_end(self, event: Any) -> None:
                    pause.end()

            event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]

    def start(self) -> None:
        """Numba begins to compile a function, perhaps while it compiles another that calls it."""
        self._depth += 1
        if self._depth == 1:
            self._paused_at = monotonic()
            self._turn_started = self._block[TURN_STARTED]
            self._block[TURN_STARTED] = 0

    def end(self) -> None:
        """Numba has compiled a function; the clocks resume after the outermost one."""
        self._depth -= 1
        if self._depth == 0 and self._turn_started:
            paused = monotonic() - self._paused_at
            self._block[GAME_STARTED] += paused
            self._block[TURN_STARTED] = self._turn_started + paused
