"""Programs in any language, as the referee plays with them: see `lines` and docs/protocol.md."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import Any, TypeVar

from sweepstakes import logs
from sweepstakes.agent import RemoteAgent
from sweepstakes.errors import ParameterError
from sweepstakes.game.faults import AgentFault, Fault, FaultKind
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.hosting import frames
from sweepstakes.hosting.client import Host, HostGone
from sweepstakes.hosting.clock import GameCredit, HostTimeout
from sweepstakes.hosting.forked import Death
from sweepstakes.hosting.lines import LineDialogue, ProtocolError, Ready
from sweepstakes.limits import Limits, exceeded_limit
from sweepstakes.untrusted.text import clean

_MOMENT = 1e-6
_LAST_LINE = 200
_LONGEST = 1 << 20
_LOG = logs.logger(__name__)
T = TypeVar("T")


class _HostLines:
    """The lines of a program in a host: see `Lines`."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.answer = ""
        """The last line that the program wrote."""
        self._verbose = _LOG.isEnabledFor(logging.DEBUG)

    def send(self, lines: list[str]) -> None:
        """Write lines that are not answered."""
        if self._verbose:
            for line in lines:
                _LOG.debug("> %s", line)
        self.host.send("".join(f"{line}\n" for line in lines).encode("ascii"), self.seconds_left())

    def ask(self, line: str) -> str:
        """Write a line and read the one that answers it."""
        if early := self.host.waiting:
            self.answer = early[:1000].decode("latin-1")
            raise ProtocolError(f"wrote '{clean(early[:60].decode('latin-1'), 60)}' before it was asked")
        self.send([line])
        longest = self.longest()
        try:
            self.answer = self.host.read_line(self.seconds_left(), longest).decode("latin-1")
        except frames.FrameError as error:
            self.answer = error.data.decode("latin-1")
            raise ProtocolError(f"answered by a line of more than {longest:,} characters") from None
        if self._verbose:
            _LOG.debug("< %s", self.answer)
        return self.answer

    def longest(self) -> int:
        """Characters that the next answer may have."""
        return _LONGEST

    def seconds_left(self) -> float:
        """The seconds in which the program has to read or to answer."""
        raise NotImplementedError


class Program(_HostLines):
    """A running program. Its faults are raised as `AgentFault`, after which it has been killed."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.dialogue = LineDialogue(self)
        self._deadline = inf
        self.doubtful = False
        """Whether it was killed because of a time limit, and had computed for less than half of the time."""

    def greet(self, parameters: Mapping[str, Any], seconds: float) -> Ready:
        """Greet the program and set its options; `ParameterError` if it does not take them."""
        too_late = Fault(FaultKind.GREETING_TIME, f"{seconds:g}")
        return self.within(seconds, lambda: too_late, lambda: self.dialogue.greet(parameters))

    def end_game(self, ending: str, fault: str) -> None:
        """Say how the game ended. A program that does not take it in time is killed, at no cost for that game."""
        if not self.host.dead:
            try:
                self.within(1.0, lambda: None, lambda: self.dialogue.end_game(ending, fault))
            except AgentFault:
                self.host.kill()

    def within(self, seconds: float, too_late: Callable[[], Fault | None], work: Callable[[], T]) -> T:
        """Do something with the program in so many seconds; `AgentFault` if the program fails."""
        host = self.host
        self._deadline = monotonic() - host.stood_still + seconds
        try:
            return work()
        except HostTimeout as timeout:
            self.doubtful = host.kill_for_time(timeout, seconds)
            raise AgentFault(too_late() or Fault(FaultKind.TURN_TIME, f"{seconds:g}")) from None
        except HostGone as gone:
            raise AgentFault(gone.fault._replace(last_line=self._last_line()), host.output) from None
        except ProtocolError as error:
            _LOG.warning("unreadable line of program %d, it %s: %s", host.pid, error, logs.quote(self.answer))
            host.kill("its line is unreadable")
            raise AgentFault(Fault(error.kind, str(error)), host.output) from None
        except ParameterError:
            host.kill()
            raise

    def seconds_left(self) -> float:
        """The seconds until the deadline; those in which the machine stood still do not count."""
        return self._deadline - (monotonic() - self.host.stood_still)

    def longest(self) -> int:
        """Characters that the next answer may have."""
        return self.dialogue.longest

    def _last_line(self) -> str:
        """The last line of its standard error."""
        lines = [line for line in self.host.output.splitlines() if line.strip()]
        return clean(lines[-1], _LAST_LINE) if lines else ""


class CheckedProgram(_HostLines):
    """A running program for the steps of `sweepstakes.testing.programs`: it raises what those expect."""

    def __init__(self, host: Host, setup: bytes, seconds: float) -> None:
        super().__init__(host)
        self._seconds = seconds
        self._death: Death | None = None
        with _as_files_raise():
            host.send(setup, seconds)

    def send(self, lines: list[str]) -> None:
        """Write lines that are not answered."""
        with _as_files_raise():
            super().send(lines)

    def ask(self, line: str) -> str:
        """Write a line and read the one that answers it."""
        with _as_files_raise():
            return super().ask(line)

    def seconds_left(self) -> float:
        """The seconds in which the program has to read or to answer."""
        return self._seconds

    def close(self) -> None:
        """Close its standard input."""
        self.host.close_input()

    def wait(self, seconds: float) -> bool:
        """Wait for its end, at most that long; whether it has ended."""
        if self._death is None and not self.host.dead:
            self._death = self.host.wait(seconds)
        return self.host.dead

    def children(self) -> int:
        """How many processes it left behind at its end."""
        return self._death.left if self._death is not None else 0

    def errors(self) -> str:
        """What it wrote to standard error, or the beginning and the end of it."""
        return self.host.output

    def kill(self) -> None:
        """End it, with all that it started."""
        self.host.kill()


@contextmanager
def _as_files_raise() -> Iterator[None]:
    """Raise `TimeoutError` for a program that is too slow, and `EOFError` for one that has ended."""
    try:
        yield
    except HostTimeout:
        raise TimeoutError from None
    except HostGone:
        raise EOFError from None


class ProgramAgent(RemoteAgent):
    """The stand-in for a program in one game."""

    def __init__(self, program: Program, limits: Limits, note: Callable[[AgentFault], AgentFault]) -> None:
        self._program = program
        self._limits = limits
        self._turn_seconds, self._game_seconds = limits.turn_seconds or inf, limits.game_seconds or inf
        self._note = note
        self._cpu_before = program.host.cpu_seconds()
        self._spent = 0.0
        self._credit = GameCredit(program.host, self._game_seconds)
        self._started = False

    @property
    def cpu_seconds(self) -> float:  # type: ignore[override]  # it is never set
        """The processor time of the program since the game began."""
        return max(self._program.host.cpu_seconds() - self._cpu_before, 0.0)

    def act(self, view: View) -> Turn:
        """The turn of the program; `AgentFault` if it does not answer by one."""
        program, host, limits = self._program, self._program.host, self._limits
        if self._spent > self._credit.begins_at:
            self._credit.begin()
        if self._game_seconds < self._spent + self._turn_seconds:
            self._spent -= self._credit.take(self._spent)
        spent = self._spent
        seconds = min(self._turn_seconds, max(self._game_seconds - spent, 0.0))

        def ask() -> Turn:
            if not self._started:
                self._started = True
                program.dialogue.start_game(view, self._seed or 0, limits)
            return program.dialogue.act(view)

        def too_late() -> Fault | None:
            return exceeded_limit(limits, seconds + _MOMENT, spent + seconds + _MOMENT)

        begun = monotonic() - host.stood_still
        try:
            return program.within(seconds, too_late, ask)
        except AgentFault as fault:
            raise self._note(fault) from None
        finally:
            self._spent += monotonic() - host.stood_still - begun

    def game_over(self, ending: str, fault: str) -> None:
        """Tell the program."""
        self._program.end_game(ending, fault)
