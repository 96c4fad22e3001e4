"""Agents in hosts, as the referee plays with them: stand-ins that send each view to the host and return its turn."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from sweepstakes import logs
from sweepstakes.agent import RemoteAgent
from sweepstakes.errors import HostingError, PluginError
from sweepstakes.game.faults import AgentFault, Fault, FaultKind
from sweepstakes.game.result import Ending
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.hosting import environment, frames
from sweepstakes.hosting.client import Host, HostGone, Hosts
from sweepstakes.hosting.clock import GameCredit, HostTimeout
from sweepstakes.hosting.file_watch import MAX_FILES
from sweepstakes.hosting.host import Setup
from sweepstakes.hosting.lines import Ready
from sweepstakes.hosting.program_agent import CheckedProgram, Program, ProgramAgent
from sweepstakes.hosting.written import Written
from sweepstakes.limits import NO_LIMITS, Limits, exceeded_limit
from sweepstakes.registry.agent_source import AgentSource, OwnFile, ReadFile
from sweepstakes.registry.own_data import data_in_own_folder, own_data
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.untrusted.text import clean

_LONGEST_START = frames.HEAD + frames.MAX_JSON
_MOMENT = 1e-6
_FILES_SECONDS = 5.0
"""Seconds in which a host says which files its agent has opened."""
_LOG = logs.logger(__name__)
HOST_ERRORS = (HostGone, HostTimeout, frames.FrameError)


def setup_of(source: AgentSource, isolation: str, limits: Limits) -> dict[str, Any]:
    """The setup of a host for the agent, as plain data."""
    files = [os.path.realpath(each.path) for each in source.files if not each.seen]
    plugin = source.plugin
    if plugin is not None:
        files += plugin.readable_files()
        if isolation == "sealed":
            log = os.path.realpath(logs.path() or os.devnull)
            files += [file for file in data_in_own_folder(plugin) if file != log]
    return Setup(
        None if plugin is None else list(plugin),
        source.name,
        dict(source.parameters),
        source.words,
        isolation,
        limits,
        files,
        source.task,
        {} if isolation == "sealed" else environment.of_agents(),
        str(plugin.folder or "") if plugin is not None else "",
    )._asdict()


class HostedAgents:
    """Makes stand-ins for one agent, which all live in the same host until it dies or `end` is called.

    The limits hold for each game; the first game in a host has `start_seconds` to import the plugin and to make the
    agent. `at_once` agents can be played at the same time. The log calls the agent `label`.
    """

    def __init__(
        self,
        hosts: Hosts,
        source: AgentSource,
        limits: Limits = NO_LIMITS,
        isolation: str = "process",
        at_once: int = 1,
        label: str = "",
    ) -> None:
        self._label = label or source.label
        self._hosts = hosts
        self._source = source
        self.limits = limits
        self._isolation = isolation
        self._at_once = at_once
        self._numbers = itertools.count()
        self._places: dict[int, int] = {}
        """For each of the agents that live at once, the question that made it."""
        self._host: Host | None = None
        self.fault: AgentFault | None = None
        """The last fault of the agent."""
        self._written = Written()
        """What the agent has written in earlier games."""
        self._doubtful = False
        self.starting = 0.0
        """Seconds that the starts of hosts have taken, all together."""
        self._program: Program | None = None

    @property
    def doubtful(self) -> bool:
        """Whether the last fault was a time-out in which the host computed for less than half of the time."""
        return self._doubtful or (self._program is not None and self._program.doubtful)

    def __call__(self) -> RemoteAgent:
        """A new agent for one game, under the limits of this object; `AgentFault` if there is none."""
        return self.make(self.limits)

    def make(self, limits: Limits) -> RemoteAgent:
        """A new agent for one game under these limits; `AgentFault` if there is none."""
        self.fault, self._doubtful = None, False
        logs.agent.set(self._label)
        self._keep_output()
        if self._source.plugin is None:
            if self._program is None or self._program.host.dead:
                begun = monotonic()
                self.greet(limits)
                self.starting += monotonic() - begun
            assert self._program is not None
            return ProgramAgent(self._program, limits, self._note)
        host, allowed, too_late = self._host, _least(limits.turn_seconds, limits.game_seconds), None
        started = monotonic()
        if host is None or host.dead:
            host, allowed, too_late, _ = self._start(limits)
        begun = monotonic() - host.stood_still
        before = host.cpu_seconds()
        number = next(self._numbers) % self._at_once
        host.number += 1
        self._places[number] = host.number
        frame = frames.ASK.pack(frames.ASK.size - 4, frames.CONSTRUCT, host.number, number)
        self._ask(frame, host.number, allowed, limits, too_late)
        spent = 0.0 if too_late else monotonic() - host.stood_still - begun
        self.starting += monotonic() - started if too_late else 0.0
        return HostedAgent(self, host, number, limits, before, spent)

    def start_program(self, limits: Limits) -> CheckedProgram:
        """Start the program without a word to it, for the steps that check it; each call starts another process."""
        host, frame = self._new_host(limits)
        return CheckedProgram(host, frame, limits.turn_seconds or inf)

    def greet(self, limits: Limits) -> Ready:
        """Start the program and greet it; `ParameterError` if it does not take its options."""
        host, frame = self._new_host(limits)
        self._program = Program(host)
        try:
            host.send(frame, limits.start_seconds or inf)
            return self._program.greet(self._source.parameters, limits.start_seconds or inf)
        except (HostGone, HostTimeout):  # before it began
            host.kill()
            raise self._note(AgentFault(Fault(FaultKind.NOT_STARTED))) from None
        except AgentFault as fault:
            raise self._note(fault) from None

    @property
    def alive(self) -> bool:
        """Whether there is a host, as far as the referee knows."""
        return self._host is not None and not self._host.dead

    def answer(self) -> Any:
        """What the task of the source returns; without task and name, what the plugin offers: JSON to be checked."""
        return frames.read_json(self._start(self.limits)[3], _longest(self._source))

    def take_files(self) -> tuple[ReadFile, ...]:
        """The data files below the agent's folder that it has opened since this was last called, as they are now.

        A host that does not answer at once is killed.
        """
        plugin = self._source.plugin
        if plugin is None or plugin.folder is None or not self.alive:
            return ()
        host = self._host
        assert host is not None
        host.number += 1
        frame = frames.ASK.pack(frames.ASK.size - 4, frames.FILES, host.number, 0)
        try:
            answer = host.ask(frame, _FILES_SECONDS, _LONGEST_START)
            news = frames.read_json(answer) if frames.kind_of(answer, host.number) == frames.DONE else []
            if not isinstance(news, list):
                raise frames.FrameError("no list of files")
            return tuple(self._read_files(news[:MAX_FILES], plugin))
        except (*HOST_ERRORS, AttributeError, TypeError, ValueError):
            host.kill()
            return ()

    def _read_files(self, news: list[Any], plugin: PluginSource) -> Iterator[ReadFile]:
        """The files that the host has reported, without those that do not exist or are not the agent's own.

        Those that a sealed agent may not read are left out too: it has only tried to.
        """
        known = {file.path for file in self._source.files}
        readable = set(data_in_own_folder(plugin)) if news and self._isolation == "sealed" else None
        for path, written in news:
            if type(path) is not str or "\0" in path:
                continue
            real = os.path.realpath(path)
            if real in known or not (place := own_data(real, plugin)):
                continue
            if readable is not None and real not in readable:
                continue
            if written is True:
                yield ReadFile(place, "")
            else:
                with suppress(PluginError):
                    yield ReadFile(place, OwnFile.of(real, plugin.folder).digest)

    def _start(self, limits: Limits) -> tuple[Host, float, Fault, bytes]:
        """Start a host; the seconds that are left for its start, what to say if it takes longer, and its answer."""
        host, setup = self._new_host(limits)
        seconds = limits.start_seconds or inf
        too_late = Fault(FaultKind.TASK_TIME if self._source.task else FaultKind.START_TIME, f"{seconds:g}")
        begun = monotonic() - host.stood_still
        answer = self._ask(setup, 0, seconds, limits, too_late, frames.HEAD + _longest(self._source))
        return host, max(seconds - (monotonic() - host.stood_still - begun), 0.001), too_late, answer

    def _new_host(self, limits: Limits) -> tuple[Host, bytes]:
        """A new host, and the frame that sets it up."""
        for file in self._source.files:
            if file.has_changed():  # no error, which would come again: with the right files the game ends otherwise
                raise self._note(
                    AgentFault(Fault(FaultKind.CHANGED_FILE, f"{clean(Path(file.path).name, 60)} has changed"))
                )
        logs.agent.set(self._label)
        try:
            self._host = self._hosts.start(limits)
        except (OSError, RuntimeError) as error:  # no more files or threads: no fault of the agent
            raise HostingError(f"the host of an agent cannot be started: {error}") from None
        self._host.take_output()  # of the interpreter that has just started
        program = " ".join(self._source.words)
        what = f"becomes the program {program}" if program else f"gets {self._source.task or 'the plugin'}"
        _LOG.info("host %d %s, isolation %s", self._host.pid, what, self._isolation)
        return self._host, frames.json_frame(frames.SETUP, 0, setup_of(self._source, self._isolation, limits))

    def _ask(
        self,
        frame: bytes,
        number: int,
        seconds: float,
        limits: Limits,
        too_late: Fault | None,
        longest: int = _LONGEST_START,
    ) -> bytes:
        """The answer to a question that is not answered by a turn; `AgentFault` if there is none, or a fault."""
        assert self._host is not None
        answer = b""
        try:
            answer = self._host.ask(frame, seconds, longest)
            if frames.kind_of(answer, number) == frames.DONE:
                return answer
            raise self.fault_in(answer)
        except HOST_ERRORS as error:
            raise self.fault_of(error, seconds, limits, answer, too_late=too_late) from None

    def fault_in(self, answer: bytes) -> AgentFault:
        """The fault that the host reports; `frames.FrameError` if the answer is none."""
        if frames.kind_of(answer, self._host.number if self._host is not None else 0) != frames.FAULT:
            raise frames.FrameError("an answer of another kind")
        fault = frames.read_fault(answer)
        if fault.ending is Ending.MEMORY and self._host is not None:
            self._host.kill()
        return self._note(fault)

    def fault_of(
        self,
        error: Exception,
        seconds: float,
        limits: Limits,
        answer: bytes,
        *,
        spent: float = 0.0,
        too_late: Fault | None = None,
    ) -> AgentFault:
        """The fault of an agent whose host gave no answer within `seconds`, or an unreadable one; the host is killed.

        `spent` are the seconds that the game has taken before; `too_late` is the fault of an agent that took too long,
        unless it exceeds one of the limits of a game.
        """
        host = self._host
        assert host is not None
        if isinstance(error, HostTimeout):
            self._doubtful = host.kill_for_time(error, seconds)
            fault = too_late or exceeded_limit(limits, seconds + _MOMENT, spent + seconds + _MOMENT)
            return self._note(AgentFault(fault or Fault(FaultKind.TURN_TIME, f"{seconds:g}")))
        if isinstance(error, frames.FrameError):
            _LOG.warning("unreadable answer of host %d, %s: %s", host.pid, error, logs.quote(error.data or answer))
        host.kill("its answer is unreadable")
        if isinstance(error, HostGone):
            held = Fault(FaultKind.MEMORY, f"than {limits.memory_mb} MB")
            return self._note(AgentFault(held if error.fault.kind is held.kind else error.fault))
        return self._note(AgentFault(Fault(FaultKind.WROTE_INTO_FILES)))

    def is_present(self, host: Host, number: int, made_by: int) -> bool:
        """Whether this question of the host made the agent that has this number now."""
        return host is self._host and self._places.get(number) == made_by

    def end(self) -> None:
        """End the host; the next agent gets another."""
        if self._host is not None:
            playing = logs.agent.set(self._label)
            self._host.kill("it is not needed any more")
            logs.agent.reset(playing)
            self._keep_output()
            self._host = self._program = None
            self._hosts.release()

    @property
    def output(self) -> str:
        """What the agent has written in its last game to its standard output and error; a program, to its error.

        With its first game in a host comes what it wrote while it was loaded. Call it before `end`.
        """
        return self._host.output if self._host is not None else ""

    @property
    def all_output(self) -> str:
        """What the agent has written in all its games so far."""
        self._keep_output()
        return self._written.text

    def _keep_output(self) -> None:
        if self._host is not None and (data := self._host.take_output()):
            self._written.add(data if data.endswith(b"\n") else data + b"\n")

    def _note(self, fault: AgentFault) -> AgentFault:
        self.fault = fault
        _LOG.info("a fault of the agent: it %s", fault.what)
        return fault


class HostedAgent(RemoteAgent):
    """The stand-in for one agent of a Python plugin."""

    def __init__(
        self, agents: HostedAgents, host: Host, number: int, limits: Limits, cpu_before: float, spent: float
    ) -> None:
        self._agents = agents
        self._host = host
        self._number = number
        self._made_by = host.number
        self.limit(limits)
        self._cpu_before = cpu_before
        self._spent = spent
        self._credit = GameCredit(host, self._game_seconds)
        self._started = False
        self._longest = 0

    def limit(self, limits: Limits) -> None:
        """Put the next turns under these limits."""
        self._limits = limits
        self._turn_seconds = inf if limits.turn_seconds is None else limits.turn_seconds
        self._game_seconds = inf if limits.game_seconds is None else limits.game_seconds

    @property
    def alive(self) -> bool:
        """Whether the agent can be asked: its host has not died, and no later agent has taken its place."""
        return not self._host.dead and self._agents.is_present(self._host, self._number, self._made_by)

    @property
    def cpu_seconds(self) -> float:  # type: ignore[override]  # it is never set
        """The processor time of the host since the game began."""
        return max(self._host.cpu_seconds() - self._cpu_before, 0.0)

    def act(self, view: View) -> Turn:
        """The turn of the agent in the host; `AgentFault` if it does not answer by one."""
        host = self._host
        host.number = number = host.number + 1
        if not self._started:
            self._started = True
            self._longest = frames.longest_answer(view.rows * view.cols)
            frame = frames.game_frame(number, self._number, view, self._seed or 0, self.explain)
        else:
            frame = frames.view_frame(number, self._number, view)
        seconds = self._turn_seconds
        if self._spent > self._credit.begins_at:
            self._credit.begin()
        if self._game_seconds < seconds + self._spent:
            self._spent -= self._credit.take(self._spent)
            seconds = min(seconds, max(self._game_seconds - self._spent, 0.0))
        begun, answer = monotonic() - host.stood_still, b""
        try:
            answer = host.ask(frame, seconds, self._longest)
            self._spent += monotonic() - host.stood_still - begun
            turn = frames.read_turn_frame(answer, number, view.rows, view.cols, explain=self.explain)
            if turn is not None:
                return turn
            raise self._agents.fault_in(answer)
        except HOST_ERRORS as error:
            raise self._agents.fault_of(error, seconds, self._limits, answer, spent=self._spent) from None


def _longest(source: AgentSource) -> int:
    """Bytes of JSON in the answer to the setup of a host."""
    return frames.MAX_TASK if source.task else frames.MAX_JSON


def _least(turn_seconds: float | None, game_seconds: float | None) -> float:
    return min(inf if turn_seconds is None else turn_seconds, inf if game_seconds is None else game_seconds)
