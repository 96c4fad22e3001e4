"""The time guard: checks how long agents take that live in the worker itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from time import monotonic
from typing import Any, cast

from sweepstakes import logs
from sweepstakes.agent import Agent
from sweepstakes.executor import Row
from sweepstakes.game.faults import AgentFault
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.limits import Limits, exceeded_limit, second_limits

_LOG = logs.logger(__name__)
Act = Callable[[View], Turn]


class TimeGuard:
    """Makes the agents of each game, and checks the limits after the constructor and after each turn.

    Compilation, which happens once per process, does not count. `alive` is called with the time after each turn and
    whenever numba starts or ends compiling a function. `keep_row` is called with the row of a game before the game is
    played a second time, and with None afterwards.
    """

    def __init__(
        self,
        limits: Limits,
        alive: Callable[[float], None],
        keep_row: Callable[[Row | None], None],
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._first_limits, self._second_limits = limits, second_limits(limits)
        self._limits = limits
        self._alive = alive
        self._keep_row = keep_row
        self._now = now
        self._compiling = CompilationTime(alive, now)

    def __call__(self, factory: Callable[[], Agent]) -> Agent:
        """Make an agent whose time is limited."""
        __tracebackhide__ = True
        begun, compiled = self._now(), self._compiling.seconds
        agent = factory()
        self._check(begun, begun, compiled, compiled)
        if agent.turn_seconds is not None:
            return cast(Agent, _TimedAgent(agent, self._waiting(agent)))
        return cast(Agent, _TimedAgent(agent, self._timed(agent.act, begun, compiled)))

    @contextmanager
    def second_playing(self, row: Row) -> Iterator[None]:
        """Apply separate limits to the second playing of a game; `row` counts if this process dies during it."""
        self._keep_row(row)
        self._limits = self._second_limits
        try:
            yield
        finally:
            self._limits = self._first_limits
            self._keep_row(None)

    def _timed(self, act: Act, game_begun: float, game_compiled: float) -> Act:
        """Return the agent's method `act` with a check of the limits after each call."""
        turn_limit, game_deadline = self._limits.turn_seconds or inf, game_begun + (self._limits.game_seconds or inf)
        now, compiling, alive = self._now, self._compiling, self._alive

        def timed(view: View) -> Turn:
            __tracebackhide__ = True
            begun, compiled = now(), compiling.seconds
            turn = act(view)
            ended = now()
            alive(ended)
            if ended - begun > turn_limit or ended > game_deadline:
                self._check(begun, game_begun, compiled, game_compiled)
            return turn

        return timed

    def _waiting(self, agent: Agent) -> Act:
        """Return the method `act` of an agent with its own limit, and report this process as alive while it waits."""
        act, limits = agent.act, Limits(turn_seconds=agent.turn_seconds)

        def waiting(view: View) -> Turn:
            __tracebackhide__ = True
            begun, lost = self._now(), agent.lost_seconds
            with _ticking(lambda: self._alive(self._now())):
                turn = act(view)
            seconds = self._now() - begun - (agent.lost_seconds - lost)
            if fault := exceeded_limit(limits, seconds, seconds):
                raise AgentFault(fault)
            return turn

        return waiting

    def _check(self, turn_begun: float, game_begun: float, turn_compiled: float, game_compiled: float) -> None:
        """Raise `AgentFault` if the agent took too long, not counting compilation."""
        now, compiled = self._now(), self._compiling.seconds
        turn, game = now - turn_begun - (compiled - turn_compiled), now - game_begun - (compiled - game_compiled)
        if fault := exceeded_limit(self._limits, turn, game):
            _LOG.info("a fault of the agent: it %s", fault.what)
            raise AgentFault(fault)


@contextmanager
def _ticking(tick: Callable[[], None]) -> Iterator[None]:
    """Call `tick` every second in a thread until the block ends."""
    done = threading.Event()

    def run() -> None:
        while not done.wait(1.0):
            with suppress(Exception):  # the supervisor is gone; this process notices when it sends a row
                tick()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class _TimedAgent:
    """A proxy for the referee: the agent with a timed `act`. Attributes are set on the agent itself."""

    __slots__ = ("_agent", "act")

    def __init__(self, agent: Agent, act: Act) -> None:
        put = object.__setattr__
        put(self, "_agent", agent)
        put(self, "act", act)

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        setattr(self._agent, name, value)  # type: ignore[attr-defined]


class CompilationTime:
    """Counts the seconds that numba has spent compiling in this process."""

    def __init__(self, alive: Callable[[float], None], now: Callable[[], float] = monotonic) -> None:
        self.seconds = 0.0
        self._alive = alive
        self._now = now
        self._depth = 0
        self._begun = 0.0
        with suppress(ImportError):
            from numba.core import event

            counter = self

            class Listener(event.Listener):
                def on_start(self, event: Any) -> None:
                    counter.start()

                def on_end(self, event: Any) -> None:
                    counter.end()

            event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]

    def start(self) -> None:
        """Note that numba starts compiling a function, perhaps while compiling another that calls it."""
        self._alive(self._now())
        self._depth += 1
        if self._depth == 1:
            self._begun = self._now()

    def end(self) -> None:
        """Note that numba has compiled a function; add the time when the outermost one ends."""
        self._alive(self._now())
        self._depth -= 1
        if self._depth == 0:
            self.seconds += self._now() - self._begun
