"""The host: the process in which one agent that is not built in lives.

A host is a fork of the server, which never held a plan, a seed of a tournament or a board, or a fresh interpreter that
the server has started. It has three files: it reads questions (see `frames`) from its standard input, writes answers to
its standard output, and its standard error goes to the referee. It gets the text of the agent's plugin, its parameters,
the seed of its random numbers, and views.

A program in another language replaces this process; from then on it reads and writes lines (see `lines`).
"""

from __future__ import annotations

import functools
import importlib
import io
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, NamedTuple, NoReturn

from sweepstakes.agent import Agent, start_agent
from sweepstakes.errors import ParameterError, PluginError, SweepstakesError
from sweepstakes.game.faults import AgentFault, Fault, FaultKind, fault_of
from sweepstakes.game.result import most_cells_in_turn
from sweepstakes.game.size import Size
from sweepstakes.game.untrusted_turn import UnreadableTurn
from sweepstakes.game.view import View
from sweepstakes.hosting import frames, os_support, sealing
from sweepstakes.limits import Limits
from sweepstakes.registry.loading import explain_error, load_plugin
from sweepstakes.registry.opened_files import FileWatch
from sweepstakes.registry.own_modules import ModuleWatch
from sweepstakes.registry.parameters import check_parameters, describe_factory
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.untrusted.exceptions import class_name, describe_error, is_ours, text_of

_SIGNALS = sorted(signal.valid_signals())
_RESERVE = 1 << 20
"""Bytes that are kept back for the report that memory ran out."""
_HEAD = frames.ASK.size
_MOST_OFFERS = 200
"""Offers of a plugin that are described."""


EXIT_FILES_CLOSED, EXIT_UNUSABLE = 113, 114
HOW_IT_ENDED = {EXIT_FILES_CLOSED: FaultKind.FILES_CLOSED, EXIT_UNUSABLE: FaultKind.UNUSABLE}
"""What the agent did, by the exit code of its host."""


class Setup(NamedTuple):
    """What a host gets before anything else, as plain data."""

    source: Sequence[Any] | None
    """The `PluginSource`; None for a program."""
    name: str = ""
    """The agent that the plugin offers; empty to describe all its offers."""
    parameters: Mapping[str, Any] = {}
    words: Sequence[str] = ()
    """The command line of a program."""
    isolation: str = "process"
    limits: Sequence[Any] = ()
    """The `Limits`; of its memory, as much may be allocated from here on."""
    files: Sequence[str] = ()
    """The real paths of the agent's files: all that it may read in a sealed host besides what is installed."""
    task: str = ""
    """Instead of an agent, `module:function` of this package, which is called with the parameters. What it returns, as
    JSON, is the answer to the setup."""
    environment: Mapping[str, str] = {}
    """Further environment variables."""
    folder: str = ""
    """The folder of the agent: files that are opened below it are noted."""


class _Files:
    """By what a host talks with the referee: at first the files 0 and 1."""

    def __init__(self) -> None:
        self.read = functools.partial(os.read, 0)
        """Some bytes that the referee has sent, none if it has closed its end."""
        self.write = functools.partial(os.write, 1)
        """Send some of the bytes; how many."""

    def leave_standard_files(self) -> None:
        """Leave the numbers 0 and 1 to what the agent reads and prints."""
        question, answer = map(os_support.copy_to_high_number, (0, 1))
        self.read, self.write = functools.partial(os.read, question), functools.partial(os.write, answer)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)


def main(parent: int, files: list[int]) -> NoReturn:
    """Serve the referee until it closes the files, which become the files 0, 1 and 2.

    `parent` is the process id of the process that started this one.
    """
    try:
        isolate(parent)
        for number, file in enumerate(map(os_support.copy_to_high_number, files)):
            os.dup2(file, number)
        os.closerange(3, 1 << 16)
        serve(_Files())
    except OSError:
        os._exit(EXIT_FILES_CLOSED)
    except BaseException:  # noqa: BLE001 - an agent may have left the process in any state
        os._exit(EXIT_UNUSABLE)
    os._exit(0)


def serve(files: _Files) -> None:
    """Serve the referee over the files until it closes them."""
    setup, number = _read_setup(files)
    os.environ.update(setup.environment)
    if setup.words:
        _become_program(setup)
    files.leave_standard_files()
    if isinstance(sys.stdout, io.TextIOWrapper):  # what an agent prints must be there when it is killed
        sys.stdout.reconfigure(line_buffering=True)
    try:
        _limit(setup)
        host = _Host(files, setup, number)
    except BaseException as error:  # noqa: BLE001 - third-party code may raise anything
        _write(files, _fault_frame(number, error))
        os._exit(0)
    host.serve()


def isolate(parent: int) -> None:
    """A session of its own, and the signals as they are in a new process."""
    with suppress(OSError):
        os.setsid()
    os_support.die_with_parent(parent)
    for number in _SIGNALS:
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the referee handles Ctrl-C
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _read_setup(files: _Files) -> tuple[Setup, int]:
    """Answer every ping, and return the setup, which is the first other question, and its number.

    Nothing beyond the setup is read: what follows belongs to a program.
    """
    while True:
        (length,) = frames.LENGTH.unpack(_read_exactly(files, 4))
        if length > frames.MAX_SETUP:
            os._exit(1)
        body = _read_exactly(files, length)
        _, kind, number, _ = frames.ASK.unpack(b"\0\0\0\0" + body[: frames.ASK.size - 4])
        if kind == frames.PING:
            _write(files, frames.done_frame(number))
        else:
            return Setup(**frames.load_json(body[frames.ASK.size - 4 :])), number


def _limit(setup: Setup, *, program: bool = False) -> None:
    """Limit memory, and seal the process off as its isolation says."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    allowed = Limits(*setup.limits).memory_mb
    if allowed is not None and (memory := os_support.memory()) is not None:
        most = allowed * os_support.MB + (0 if program else memory.data)
        sealing.limit_resource("DATA", most)  # unless a batch system has set a lower one
    if setup.isolation == "sealed":
        if program:
            sealing.seal([], program=list(setup.words), exact=setup.files)
        else:
            sealing.without_numba_cache()
            sealing.seal(sealing.python_paths(), exact=setup.files)
    elif setup.isolation == "process":
        sealing.contain()


def _become_program(setup: Setup) -> NoReturn:
    words = list(setup.words)
    try:
        _limit(setup, program=True)
        os.execvp(words[0], words)
    except OSError as error:
        os.write(2, f"{words[0]} cannot be started: {error.strerror}\n".encode())
    except SweepstakesError as error:
        os.write(2, f"{error}\n".encode())
    os._exit(127)


class _Host:
    def __init__(self, files: _Files, setup: Setup, number: int) -> None:
        self._files = files
        self._pid = os.getpid()
        self._agents: dict[int, Agent] = {}
        self._games: dict[int, tuple[tuple[Any, ...], Size, int]] = {}
        """For each agent what stays the same in all views of its game, the size, and how many cells a turn may name."""
        self._reserve: bytearray | None = bytearray(_RESERVE)
        self._factory: Callable[..., Agent] | None = None
        self._parameters = dict(setup.parameters)
        source = PluginSource.of_plain(setup.source) if setup.source is not None else None
        self._opened = FileWatch(setup.folder) if setup.folder else None
        self._modules = ModuleWatch(source.path, source.text) if source is not None else ModuleWatch("", "")
        answer: Any = None
        if setup.task:
            module, _, name = setup.task.partition(":")
            answer = getattr(importlib.import_module(module), name)(**self._parameters)
        elif setup.name:
            assert source is not None
            self._factory = _find(source, setup.name, self._parameters, self._modules)
        else:
            assert source is not None
            answer = describe(source, self._modules)
        self._answer(frames.done_frame(number, answer))

    def serve(self) -> None:
        __tracebackhide__ = True
        head, turn_frame, new_view = frames.ASK, frames.turn_frame, tuple.__new__
        construct, game, view_kind = frames.CONSTRUCT, frames.GAME, frames.VIEW
        read = self._files.read
        modules, loaded = self._modules, sys.modules
        stdout = sys.stdout  # agents may put something else in its place
        while True:
            frame = read(65536)
            if len(frame) < 4:
                if not frame:
                    return
                frame += _read_exactly(self._files, 4 - len(frame))
            length, kind, number, agent = head.unpack_from(frame)
            if len(frame) < 4 + length:
                frame += _read_exactly(self._files, 4 + length - len(frame))
            try:
                if kind == view_kind:
                    constant, size, most = self._games[agent]
                    turn = self._agents[agent].act(new_view(View, (*constant, frame[_HEAD:])))
                    answer = turn_frame(number, turn, size, most)
                elif kind == construct:
                    self._agents.pop(agent, None)
                    player = self._construct()
                    if any(player is other for other in self._agents.values()):
                        raise _no_agent("gave the same object twice: every game needs a fresh agent")
                    self._agents[agent] = player
                    answer = frames.done_frame(number)
                elif kind == game:
                    view, seed, explain = frames.read_game(frame[_HEAD:])
                    size, most = Size(view.rows, view.cols, view.mines), most_cells_in_turn(view.rows * view.cols)
                    self._games[agent] = view[:-1], size, most
                    player = self._agents[agent]
                    start_agent(lambda: player, seed, explain=explain)  # noqa: B023 - called at once
                    answer = turn_frame(number, player.act(view), size, most)
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
        write = self._files.write
        sent = write(frame)
        while sent < len(frame):
            sent += write(frame[sent:])


def _find(source: PluginSource, name: str, parameters: Mapping[str, Any], modules: ModuleWatch) -> Callable[..., Agent]:
    """The factory of the agent; `PluginError` if the plugin does not offer it."""
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


def describe(source: PluginSource, modules: ModuleWatch) -> dict[str, Any]:
    """What a plugin offers, as plain data: for each offer its kind, name, docstring and parameters; or its error."""
    module = None
    try:
        module = source.load()
        loaded = load_plugin(source, module)
        modules.check()
    except BaseException as caught:  # noqa: BLE001 - third-party code may raise anything
        error = modules.missing(caught) or caught
        text = text_of(error, 1000) if isinstance(error, PluginError) else explain_error(error, source.path)
        return {"error": text, "loaded": module is not None, "trace": "" if module is not None else trace_of(error)}
    offers = [[kind, name, *describe_factory(factory)] for kind, name, factory in loaded.offers[:_MOST_OFFERS]]
    weights = {}
    for kind, name, factory in loaded.offers[:_MOST_OFFERS]:
        named = getattr(factory, "weights", "") if kind == "agent" and isinstance(factory, type) else ""
        if type(named) is str and named:
            weights[name] = named[:1000]
    kernels = "numba" in sys.modules
    observes = loaded.observer is not None
    return {"offers": offers, "observer": observes, "file": loaded.file, "kernels": kernels, "weights": weights}


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


def trace_of(error: BaseException) -> str:
    """The traceback from the agent's first frame on; only the error's text if there is no readable traceback."""
    try:
        trace: TracebackType | None = error.__traceback__
        while trace is not None and is_ours(trace.tb_frame.f_code.co_filename):
            trace = trace.tb_next
        return "".join(traceback.format_exception(type(error), error, trace, chain=False))
    except BaseException:  # noqa: BLE001 - an exception's text and traceback may raise anything
        return describe_error(error)


def _read_exactly(files: _Files, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = files.read(min(size - len(data), 1 << 20))
        if not part:
            os._exit(0)
        data += part
    return bytes(data)


def _write(files: _Files, frame: bytes) -> None:
    sent = 0
    while sent < len(frame):
        sent += files.write(frame[sent:])
