"""Agents in hosts, as the referee plays with them: stand-ins that send each view to the host and return its turn."""

from __future__ import annotations

import itertools
import logging
import os
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from sweepstakes import logs, os_support
from sweepstakes.agent import RemoteAgent
from sweepstakes.errors import HostingError, ParameterError
from sweepstakes.game.faults import AgentFault, Fault, FaultKind
from sweepstakes.game.result import Ending
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.hosting import environment, frames
from sweepstakes.hosting.client import Host, HostGone, Hosts
from sweepstakes.hosting.clock import GameClock, HostTimeout
from sweepstakes.hosting.host import Setup
from sweepstakes.hosting.lines import LineDialogue, ProtocolError
from sweepstakes.hosting.written import Written
from sweepstakes.limits import NO_LIMITS, Limits
from sweepstakes.registry.agent_source import AgentSource, ReadFile
from sweepstakes.registry.opened_files import checked_files
from sweepstakes.registry.own_data import data_in_own_folder
from sweepstakes.untrusted.text import clean

_MAX_ANSWER = frames.HEAD + frames.MAX_JSON
_FILES_SECONDS = 5.0
"""Maximum seconds for a host to report which files its agent has opened."""
_END_SECONDS = 1.0
"""Maximum seconds for a program to read how its game ended."""
_MAX_LAST_LINE = 200
_LOG = logs.logger(__name__)
HOST_ERRORS = (AgentFault, HostGone, HostTimeout, frames.FrameError, ProtocolError)
"""What can happen instead of an answer. An `AgentFault` is what the host itself reports."""


def setup_of(source: AgentSource, isolation: str, limits: Limits) -> dict[str, Any]:
    """Return the setup of a host for the agent, as plain data."""
    files = [os.path.realpath(each.path) for each in source.files if not each.seen]
    plugin = source.plugin
    if plugin is not None:
        files += plugin.readable_files()
        if isolation == "sealed":
            log = os.path.realpath(logs.path() or os.devnull)
            files += [file for file in data_in_own_folder(plugin) if file != log]
    agent = source._replace(parameters=dict(source.parameters))
    return Setup(agent, isolation, limits, files, {} if isolation == "sealed" else environment.of_agents())._asdict()


class Program(LineDialogue):
    """A program in a host, as the referee talks to it (see docs/protocol.md). The clock of the host applies."""

    def __init__(self, host: Host) -> None:
        super().__init__(self)
        self.host = host
        self._verbose = _LOG.isEnabledFor(logging.DEBUG)

    def send(self, lines: list[str]) -> None:
        """Write lines that are not answered."""
        if self._verbose:
            for line in lines:
                _LOG.debug("> %s", line)
        self.host.send("".join(f"{line}\n" for line in lines).encode("ascii"))

    def ask(self, line: str) -> str:
        """Write a line and read its answer."""
        if early := self.host.waiting:
            raise ProtocolError(f"wrote '{clean(early[:60].decode('latin-1'), 60)}' before it was asked")
        self.send([line])
        try:
            answer = self.host.read_line(self.max_length).decode("latin-1")
        except frames.FrameError:
            raise ProtocolError(f"answered by a line of more than {self.max_length:,} characters") from None
        if self._verbose:
            _LOG.debug("< %s", answer)
        return answer


class HostedAgents:
    """Makes stand-ins for one agent, which all live in the same host until it dies or `end` is called.

    The limits hold for each game; the first game in a host has `start_seconds` to import the plugin and to make the
    agent, or to start and greet the program. `at_once` agents can be played at the same time. The log calls the agent
    `label`.
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
        self._program: Program | None = None
        self.fault: AgentFault | None = None
        """The last fault of the agent."""
        self.doubtful = False
        """Whether the last fault was a time-out in which the host computed for less than half of the time."""
        self._written = Written()
        """What the agent has written in earlier games."""
        self.starting = 0.0
        """Seconds that the starts of all hosts have taken."""

    def __enter__(self) -> HostedAgents:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def __call__(self) -> HostedAgent:
        """Make an agent for one game, under the limits of this object. Raise `AgentFault` if it cannot be made."""
        return self.make(self.limits)

    def make(self, limits: Limits) -> HostedAgent:
        """Make an agent for one game under these limits. Raise `AgentFault` if it cannot be made."""
        self.fault, self.doubtful = None, False
        logs.agent.set(self._label)
        self._keep_output()
        begun = monotonic()
        starts = not self.alive
        if starts:
            self.start(limits)
        host = self._host
        assert host is not None
        agent = HostedAgent(self, host, self._program, next(self._numbers) % self._at_once, limits)
        if self._program is None:
            self._construct(agent, self._start_fault(limits) if starts else None)
        if starts:
            self.starting += monotonic() - begun
        return agent

    def _construct(self, agent: HostedAgent, too_late: Fault | None) -> None:
        """Have the host make the agent: as a part of its start, with its fault if it is `too_late`, or of the game."""
        host, clock = agent.host, agent.clock
        number = agent.made_by = self._places[agent.number] = host.next_number()
        if too_late is None:
            clock.start_turn()
        frame = frames.ASK.pack(frames.ASK.size - 4, frames.CONSTRUCT, number, agent.number)
        try:
            frames.check_kind(host.ask(frame, _MAX_ANSWER), number, frames.DONE)
        except HOST_ERRORS as error:
            raise self.fault_of(error, too_late or clock.exceeded()) from None
        if too_late is None:
            clock.end_turn()

    def start_program(self, limits: Limits, seconds: float) -> Program:
        """Start the program without greeting it, within `seconds`. Each call starts another process."""
        self._program = Program(self._new_host(limits, seconds))
        return self._program

    def start(self, limits: Limits) -> Any:
        """Start a host; the clock of that of a plugin runs on until its first agent is made. `AgentFault` if it fails.

        Return what the host answers, as unchecked JSON: what the task of the source returns, or without task and name,
        what the plugin offers. A program is greeted, and its `Ready` returned; `ParameterError` for a wrong option.
        """
        source, seconds = self._source, limits.start_seconds or inf
        max_json = frames.MAX_TASK if source.task else frames.MAX_JSON
        try:
            if source.words:
                return self.start_program(limits, seconds).greet(source.parameters)
            answer = self._new_host(limits, seconds).read_answer(frames.HEAD + max_json)
            frames.check_kind(answer, 0, frames.DONE)
            return frames.read_json(answer, max_json) if len(answer) > frames.HEAD else None
        except ParameterError:
            self.end()
            raise
        except HOST_ERRORS as error:
            raise self.fault_of(error, self._start_fault(limits)) from None

    def _start_fault(self, limits: Limits) -> Fault:
        """Return the fault of an agent that takes too long to start."""
        source = self._source
        kind = FaultKind.TASK_TIME if source.task else FaultKind.START_TIME
        return Fault(FaultKind.GREETING_TIME if source.words else kind, f"{limits.start_seconds or inf:g}")

    @property
    def alive(self) -> bool:
        """Whether there is a host, as far as the referee knows."""
        return self._host is not None and not self._host.dead

    def take_files(self) -> tuple[ReadFile, ...]:
        """Return the data files below the agent's folder that it has opened since the last call, as they are now.

        A host that does not answer immediately is killed.
        """
        plugin = self._source.plugin
        if plugin is None or plugin.folder is None or not self.alive:
            return ()
        host = self._host
        assert host is not None
        number = host.next_number()
        host.clock.start(_FILES_SECONDS)
        try:
            answer = host.ask(frames.ASK.pack(frames.ASK.size - 4, frames.FILES, number, 0), _MAX_ANSWER)
            frames.check_kind(answer, number, frames.DONE)
            return checked_files(self._source, frames.read_json(answer), sealed=self._isolation == "sealed")
        except (*HOST_ERRORS, AttributeError, TypeError, ValueError):
            host.kill()
            return ()

    def _new_host(self, limits: Limits, seconds: float) -> Host:
        """Start a host and send it the setup, within `seconds` once it has loaded what it needs."""
        for file in self._source.files:
            if file.has_changed():  # no error, which would come again: with the right files the game ends otherwise
                raise AgentFault(Fault(FaultKind.CHANGED_FILE, f"{clean(Path(file.path).name, 60)} has changed"))
        logs.agent.set(self._label)
        try:
            host = self._host = self._hosts.start(limits)
        except (OSError, RuntimeError) as error:  # out of files or threads, which is not the agent's fault
            raise HostingError(f"the host of an agent cannot be started: {error}") from None
        host.take_output()  # of the interpreter that has just started
        program = " ".join(self._source.words)
        what = f"becomes the program {program}" if program else f"gets {self._source.task or 'the plugin'}"
        _LOG.info("host %d %s, isolation %s", host.pid, what, self._isolation)
        host.clock.start(seconds)
        host.send(frames.json_frame(frames.SETUP, 0, setup_of(self._source, self._isolation, limits)))
        return host

    def fault_of(self, error: Exception, too_late: Fault) -> AgentFault:
        """Return the fault of an agent whose host reports it, gave no readable answer, or was `too_late`.

        Only a host that reports a fault lives on, unless it has no memory left.
        """
        host = self._host
        if isinstance(error, AgentFault):
            if host is not None and error.ending is Ending.MEMORY:
                host.kill()
            return self._note(error)
        assert host is not None
        if isinstance(error, HostTimeout):
            alone = not os_support.children(host.pid)  # otherwise they may have computed
            death = host.kill(f"it did not answer within {error.seconds:g} s")
            self.doubtful = alone and death.cpu_seconds < error.busy_from
            return self._note(AgentFault(too_late))
        if isinstance(error, HostGone):
            fault = error.fault
            if self._program is not None:
                lines = [line for line in host.output.splitlines() if line.strip()]
                fault = fault._replace(last_line=clean(lines[-1], _MAX_LAST_LINE) if lines else "")
        else:
            host.kill("its answer is unreadable")
            if isinstance(error, ProtocolError):
                fault, what = Fault(error.kind, str(error)), "line of program %d, it %s: %s"
            else:
                fault, what = Fault(FaultKind.WROTE_INTO_FILES), "answer of host %d, %s: %s"
            _LOG.warning(f"unreadable {what}", host.pid, error, logs.quote(host.answer))
        return self._note(AgentFault(fault, host.output if self._program is not None else ""))

    def is_present(self, agent: HostedAgent) -> bool:
        """Whether the host still has this agent, so that no later one has replaced it."""
        return agent.host is self._host and self._places.get(agent.number) == agent.made_by

    def end(self) -> None:
        """End the host. The next agent gets a new one."""
        if self._host is not None:
            logs.agent.set(self._label)
            self._host.kill("it is not needed any more")
            self._keep_output()
            self._host = self._program = None
            self._hosts.release()
        logs.agent.set("-")

    @property
    def output(self) -> str:
        """What the agent has written in its last game to standard output and error, or a program to standard error. The
        first game in a host includes what the agent wrote while it was loaded. Read this before calling `end`.
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
    """The stand-in for an agent, of a Python plugin or a program, in one game."""

    def __init__(self, agents: HostedAgents, host: Host, program: Program | None, number: int, limits: Limits) -> None:
        self._agents = agents
        self.host = host
        self._program = program
        self.number = number
        self.made_by = 0
        """The number of the question that made the agent."""
        self.limits = limits
        self.clock = GameClock(host.clock, limits)
        self._cpu_before = host.process.cpu_seconds()
        self._started = False
        self._max_answer = 0

    def set_limits(self, limits: Limits) -> None:
        """Put the next turns under these limits."""
        self.clock.set_limits(limits)

    @property
    def alive(self) -> bool:
        """Whether the agent can be asked, because its host has not died and no later agent has replaced it."""
        return not self.host.dead and self._agents.is_present(self)

    @property
    def cpu_seconds(self) -> float:  # type: ignore[override]  # it is never set
        """The processor time of the host since the game began."""
        return max(self.host.process.cpu_seconds() - self._cpu_before, 0.0)

    def act(self, view: View) -> Turn:
        """Return the turn of the agent. Raise `AgentFault` if it does not answer with a turn."""
        self.clock.start_turn()
        try:
            return self._ask_host(view) if self._program is None else self._ask_program(view, self._program)
        except HOST_ERRORS as error:
            raise self._agents.fault_of(error, self.clock.exceeded()) from None

    def _ask_host(self, view: View) -> Turn:
        number = self.host.next_number()
        if not self._started:
            self._started = True
            self._max_answer = frames.max_answer(view.rows * view.cols)
            frame = frames.game_frame(number, self.number, view, self._seed or 0, self.explain)
        else:
            frame = frames.view_frame(number, self.number, view)
        answer = self.host.ask(frame, self._max_answer)
        self.clock.end_turn()  # reading the answer is not the agent's time
        return frames.read_turn_frame(answer, number, view.rows, view.cols, explain=self.explain)

    def _ask_program(self, view: View, program: Program) -> Turn:
        if not self._started:
            self._started = True
            program.start_game(view, self._seed or 0, self.limits)
        turn = program.act(view)
        self.clock.end_turn()
        return turn

    def game_over(self, ending: str, fault: str) -> None:
        """Report the ending to a program. A program that does not read it in time is killed, but the game counts."""
        if self._program is not None and not self.host.dead:
            self.host.clock.start(_END_SECONDS)
            try:
                self._program.end_game(ending, fault)
            except HOST_ERRORS:
                self.host.kill()
