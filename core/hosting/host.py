"""The host: the process in which one agent that is not built in lives.

A host is a fork of the server, which never held a plan, a seed of a tournament or a board, or a fresh interpreter that
the server has started. It has three pipes: for questions and answers (see `frames`), and for what the agent prints. It
gets the text of the agent's plugin, its parameters, the seed of its random numbers, and views.

A program in another language replaces this process; it reads and writes lines (see `lines`) by the same pipes.
"""

from __future__ import annotations

import functools
import io
import json
import os
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from sweepstakes import os_support
from sweepstakes.agent import Agent, start_agent
from sweepstakes.errors import ParameterError, PluginError, SweepstakesError
from sweepstakes.game.faults import AgentFault, Fault, FaultKind, fault_of
from sweepstakes.game.result import max_cells_in_turn
from sweepstakes.game.size import Size
from sweepstakes.game.untrusted_turn import UnreadableTurn
from sweepstakes.game.view import View
from sweepstakes.hosting import frames, sealing
from sweepstakes.hosting.server import call
from sweepstakes.limits import Limits
from sweepstakes.registry.agent_source import AgentSource
from sweepstakes.registry.describer import describe_plugin
from sweepstakes.registry.loading import load_plugin
from sweepstakes.registry.opened_files import FileWatch
from sweepstakes.registry.own_modules import ModuleWatch
from sweepstakes.registry.parameters import check_parameters
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.untrusted.exceptions import class_name, text_of, trace_of

_RESERVE = 1 << 20
"""Bytes that are reserved for reporting that memory ran out."""
_HEAD = frames.ASK.size


EXIT_FILES_CLOSED, EXIT_UNUSABLE = 113, 114
HOW_IT_ENDED = {EXIT_FILES_CLOSED: FaultKind.FILES_CLOSED, EXIT_UNUSABLE: FaultKind.UNUSABLE}
"""By exit code of the host: what the agent did."""


class Setup(NamedTuple):
    """What a host gets before anything else, as plain data."""

    agent: Sequence[Any]
    """The `AgentSource`. One without a name describes all offers of its plugin."""
    isolation: str
    limits: Sequence[Any]
    """The `Limits`. The memory of the host is counted from here on."""
    files: Sequence[str]
    """The real paths of the agent's files: all that a sealed agent may read besides what is installed."""
    environment: Mapping[str, str]
    """Further environment variables."""


class _Pipes:
    """The host's ends of the pipes to the referee, with numbers far above those that an agent's own files get."""

    def __init__(self, question: int, answer: int) -> None:
        self._question, self._answer = question, answer
        self.read = functools.partial(os.read, question)
        """Returns some bytes that the referee has sent, none if it has closed its end."""
        self.write = functools.partial(os.write, answer)
        """Sends some of the bytes and returns how many."""

    def read_exactly(self, size: int) -> bytes:
        """Read `size` bytes. If the referee closes its end, this process exits."""
        data = bytearray()
        while len(data) < size:
            part = self.read(min(size - len(data), 1 << 20))
            if not part:
                os._exit(0)
            data += part
        return bytes(data)

    def write_all(self, frame: bytes) -> None:
        """Write a whole frame."""
        sent = self.write(frame)
        while sent < len(frame):
            sent += self.write(frame[sent:])

    def become_standard_files(self) -> None:
        """Make the pipes the standard input and output of a program."""
        os.dup2(self._question, 0)
        os.dup2(self._answer, 1)


def main(files: list[int]) -> NoReturn:
    """Serve the referee until it closes its pipes: `files`, for questions, for answers, and for what is printed."""
    try:
        question, answer, error = files
        os.dup2(error, 1)
        os.dup2(error, 2)
        os.close(error)
        serve(_Pipes(question, answer))
    except OSError:
        os._exit(EXIT_FILES_CLOSED)
    except BaseException:  # noqa: BLE001 - an agent may have left the process in any state
        os._exit(EXIT_UNUSABLE)
    os._exit(0)


def serve(pipes: _Pipes) -> None:
    """Serve the referee until it closes its end."""
    setup, number = _read_setup(pipes)
    os.environ.update(setup.environment)
    agent = AgentSource.of_plain(setup.agent)
    if agent.words:
        pipes.become_standard_files()
        _become_program(setup, list(agent.words))
    if isinstance(sys.stdout, io.TextIOWrapper):  # what an agent prints must be there when it is killed
        sys.stdout.reconfigure(line_buffering=True)
    try:
        _limit(setup)
        host = _Host(pipes, agent, number)
    except BaseException as error:  # noqa: BLE001 - third-party code may raise anything
        pipes.write_all(_fault_frame(number, error))
        os._exit(0)
    host.serve()


def _read_setup(pipes: _Pipes) -> tuple[Setup, int]:
    """Answer every ping, and return the setup, which is the first other question, and its number.

    Nothing after the setup is read: it belongs to a program.
    """
    while True:
        (length,) = frames.LENGTH.unpack(pipes.read_exactly(4))
        if length > frames.MAX_SETUP:
            os._exit(1)
        body = pipes.read_exactly(length)
        _, kind, number, _ = frames.ASK.unpack(b"\0\0\0\0" + body[: frames.ASK.size - 4])
        if kind == frames.PING:
            pipes.write_all(frames.done_frame(number))
        else:
            return Setup(**json.loads(body[frames.ASK.size - 4 :])), number


def _limit(setup: Setup, program: list[str] | None = None) -> None:
    """Limit the memory of this process, and contain or seal it as its isolation requires."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    allowed = Limits(*setup.limits).memory_mb
    if allowed is not None and (memory := os_support.memory()) is not None:
        data = allowed * os_support.MB + (0 if program else memory.data)
        sealing.limit_resource("DATA", data)  # unless a batch system has set a lower limit
    if setup.isolation == "sealed":
        if program:
            sealing.seal([], program=program, exact=setup.files)
        else:
            sealing.without_numba_cache()
            sealing.seal(sealing.python_paths(), exact=setup.files)
    elif setup.isolation == "process":
        sealing.contain()


def _become_program(setup: Setup, words: list[str]) -> NoReturn:
    try:
        _limit(setup, words)
        os.execvp(words[0], words)
    except OSError as error:
        os.write(2, f"{words[0]} cannot be started: {error.strerror}\n".encode())
    except SweepstakesError as error:
        os.write(2, f"{error}\n".encode())
    os._exit(127)


class _Host:
    def __init__(self, pipes: _Pipes, agent: AgentSource, number: int) -> None:
        self._pipes = pipes
        self._pid = os.getpid()
        self._agents: dict[int, Agent] = {}
        self._games: dict[int, tuple[tuple[Any, ...], Size, int]] = {}
        """For each agent the constant part of the views of its game, the size, and how many cells a turn may name."""
        self._reserve: bytearray | None = bytearray(_RESERVE)
        self._factory: Callable[..., Agent] | None = None
        self._parameters = agent.parameters
        plugin = agent.plugin
        self._opened = FileWatch(str(plugin.folder)) if plugin is not None and plugin.folder is not None else None
        self._modules = ModuleWatch(plugin.path, plugin.text) if plugin is not None else ModuleWatch("", "")
        answer: Any = None
        if plugin is None:
            answer = call(agent.task, **agent.parameters)
        elif agent.name:
            self._factory = _find(plugin, agent.name, agent.parameters, self._modules)
        else:
            answer = describe_plugin(plugin, self._modules)
        self._answer(frames.done_frame(number, answer))

    def serve(self) -> None:
        __tracebackhide__ = True
        head, turn_frame, new_view = frames.ASK, frames.turn_frame, tuple.__new__
        construct, game, view_kind = frames.CONSTRUCT, frames.GAME, frames.VIEW
        read, read_exactly = self._pipes.read, self._pipes.read_exactly
        modules, loaded = self._modules, sys.modules
        stdout = sys.stdout  # agents may replace it
        while True:
            frame = read(65536)
            if len(frame) < 4:
                if not frame:
                    return
                frame += read_exactly(4 - len(frame))
            length, kind, number, agent = head.unpack_from(frame)
            if len(frame) < 4 + length:
                frame += read_exactly(4 + length - len(frame))
            try:
                if kind == view_kind:
                    constant, size, max_cells = self._games[agent]
                    turn = self._agents[agent].act(new_view(View, (*constant, frame[_HEAD:])))
                    answer = turn_frame(number, turn, size, max_cells)
                elif kind == construct:
                    self._agents.pop(agent, None)
                    player = self._construct()
                    if any(player is other for other in self._agents.values()):
                        raise _no_agent("gave the same object twice: every game needs a fresh agent")
                    self._agents[agent] = player
                    answer = frames.done_frame(number)
                elif kind == game:
                    view, seed, explain = frames.read_game(frame[_HEAD:])
                    size, max_cells = Size(view.rows, view.cols, view.mines), max_cells_in_turn(view.rows * view.cols)
                    self._games[agent] = view[:-1], size, max_cells
                    player = self._agents[agent]
                    start_agent(lambda: player, seed, explain=explain)  # noqa: B023 - called at once
                    answer = turn_frame(number, player.act(view), size, max_cells)
                elif kind == frames.FILES:
                    answer = frames.done_frame(number, self._opened.news() if self._opened is not None else [])
                else:
                    answer = frames.done_frame(number)
                if len(loaded) != modules.count:
                    modules.check()
            except BaseException as error:  # noqa: BLE001 - third-party code may raise anything
                self._reserve = None
                answer = _fault_frame(number, modules.missing(error) or error)
            try:  # noqa: SIM105 - `suppress` takes longer, and this is done in every turn
                stdout.flush()  # half a line belongs to this turn
            except Exception:  # noqa: BLE001 - agents may have closed it
                pass
            self._answer(answer)

    def _construct(self) -> Agent:
        __tracebackhide__ = True
        assert self._factory is not None
        agent = self._factory(**self._parameters)
        if not isinstance(agent, Agent):
            raise _no_agent(f"makes a {class_name(agent)}, expected an Agent")
        return agent

    def _answer(self, frame: bytes) -> None:
        if os.getpid() != self._pid:  # a child process that the agent started, and that returned from its turn
            os._exit(0)
        self._pipes.write_all(frame)


def _find(source: PluginSource, name: str, parameters: Mapping[str, Any], modules: ModuleWatch) -> Callable[..., Agent]:
    """Return the factory of the agent. Raise `PluginError` if the plugin does not offer it."""
    loaded = load_plugin(source)
    modules.check()
    for kind, offered, factory in loaded.offers:
        if (kind, offered) == ("agent", name):
            try:
                check_parameters(factory, parameters, f"agent '{name}'")
            except ParameterError as error:
                raise AgentFault(Fault(FaultKind.BAD_PARAMETER, str(error))) from None
            return factory
    raise PluginError(f"{source.name} offers no agent '{name}'")


def _no_agent(what: str) -> AgentFault:
    return AgentFault(Fault(FaultKind.NO_AGENT, what))


def _fault_frame(number: int, error: BaseException) -> bytes:
    kind = type(error)  # isinstance would run third-party code
    if kind is AgentFault:
        return frames.fault_frame(number, error.fault)  # type: ignore[attr-defined]
    if issubclass(kind, UnreadableTurn):
        return frames.fault_frame(number, Fault(FaultKind.UNREADABLE_ANSWER, text_of(error)))
    if issubclass(kind, SweepstakesError):
        return frames.fault_frame(number, Fault(FaultKind.CANNOT_PLAY, text_of(error)))
    return frames.fault_frame(number, fault_of(error), trace_of(error))
