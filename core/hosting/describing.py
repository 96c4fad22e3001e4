"""What a plugin offers, told by a host that imports it: the caller never imports the plugin itself."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.errors import PluginError
from sweepstakes.game.faults import AgentFault, FaultKind
from sweepstakes.hosting import frames, sealing
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.hosted_agent import AgentSource, HostedAgents, OwnFile, ReadFile
from sweepstakes.hosting.program_identity import named_files, program_identity
from sweepstakes.limits import DEFAULT_LIMITS, DescribingLimits, Limits
from sweepstakes.registry.import_statements import imported_names
from sweepstakes.registry.loading import KINDS, check_name
from sweepstakes.registry.parameters import Description
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.spec import Spec
from sweepstakes.untrusted.files import is_file
from sweepstakes.untrusted.text import clean, clean_lines

_DESCRIBING = DescribingLimits()
_READING = Limits(memory_mb=1024, start_seconds=30.0)
"""What reading the import statements of a file may take: the tree of 256 kB of ordinary code has 200 MB."""
_lock = threading.RLock()
_hosts: Hosts | None = None


class BrokenPlugin(PluginError):  # noqa: N818 - its base has the suffix
    """A plugin that does not load, or whose hooks are not as they must be."""

    def __init__(self, text: str, *, loaded: bool, trace: str) -> None:
        super().__init__(text)
        self.loaded = loaded
        """Whether it could be imported."""
        self.trace = trace
        """The traceback of the exception that importing it raised."""


class Described(NamedTuple):
    """The offers of a plugin."""

    offers: list[tuple[str, str, Description]]
    """Kind, name and description of each."""
    observer: bool
    """Whether the plugin has the hook `sweepstakes_game_finished`."""
    file: str
    kernels: bool
    """Whether importing the plugin imports compiled code, as that of the inference engine or of built-in agents."""
    weights: dict[str, str]
    """The file that the class of an agent names as its `weights`, by the name of the agent."""
    files: tuple[ReadFile, ...] = ()
    """The data files that importing the plugin opens."""


def limits_here(isolation: str, limits: Limits = DEFAULT_LIMITS) -> DescribingLimits:
    """The limits of a tournament for its plugins; `sealed` as far as this machine can."""
    possible = isolation.startswith("sealed") and not sealing.missing()
    allowed = _DESCRIBING.limits._replace(start_seconds=limits.start_seconds)
    return DescribingLimits("sealed" if possible else "process", allowed)


def read_imports(text: str, package: str) -> list[str]:
    """The names in the import statements of a text, as `imported_names` finds them, read in a host.

    `PluginError` if reading them takes too much time or memory.
    """
    task = f"{imported_names.__module__}:{imported_names.__name__}"
    source = AgentSource(None, parameters={"text": text, "package": package}, task=task)
    try:
        names, _ = _asked(source, DescribingLimits("process" if sealing.missing() else "sealed", _READING))
    except AgentFault as fault:
        refused = fault.fault.kind is FaultKind.CANNOT_PLAY
        raise PluginError(fault.fault.detail if refused else f"its imports cannot be read: that {fault.what}") from None
    if not isinstance(names, list) or not all(type(name) is str for name in names):
        raise PluginError("its imports cannot be read")
    return names


def _asked(source: AgentSource, limits: DescribingLimits) -> tuple[Any, tuple[ReadFile, ...]]:
    """What a new host answers to its setup, and the data files that it has opened."""
    with _lock:
        agents = HostedAgents(_shared_hosts(), source, limits.limits, limits.isolation)
        try:
            return agents.answer(), agents.take_files()
        finally:
            agents.end()


def describe_plugin(
    source: PluginSource, files: Sequence[str] = (), limits: DescribingLimits = _DESCRIBING
) -> Described:
    """What the plugin offers; `PluginError` if it does not load, or not in time. `files` are those that it reads."""
    agent = AgentSource(source, files=own_files(files, source.folder))
    try:
        answer, opened = _asked(agent, limits)
    except AgentFault as fault:
        raise PluginError(f"it {fault.what}") from None
    except frames.FrameError:
        raise PluginError("it wrote into the files of its process while it was loaded") from None
    return _checked(answer)._replace(files=opened)


def describe_program(spec: Spec, limits: DescribingLimits = _DESCRIBING) -> tuple[AgentSource, str]:
    """What a host needs to play a program, and the program's version: its words, its files, and what it says itself.

    The program is started once, to check its options. `PluginError` or `ParameterError` if it cannot play.
    """
    identity = program_identity(spec.words, spec.files)
    source = program_source(spec)
    with _lock:
        agents = HostedAgents(_shared_hosts(), source, limits.limits, limits.isolation)
        try:
            ready = agents.greet(agents.limits)
        except AgentFault as fault:
            raise PluginError(f"{spec.portable}: the program {fault.what}") from None
        finally:
            agents.end()
    return source, f"{identity} {ready.version}".strip()


def program_source(spec: Spec) -> AgentSource:
    """What a host needs to start the program; `PluginError` if one of its files cannot be read."""
    named = named_files(spec.words)
    own = {word: OwnFile.of_word(word) for word in named}
    files = (*own.values(), *own_files([file for file in spec.files if file not in own]))
    words = tuple(str(Path(word).absolute()) if word in named else word for word in spec.words)
    return AgentSource(None, parameters=dict(spec.parameters), words=words, files=files)


def own_files(paths: Sequence[str], folder: Path | None = None) -> tuple[OwnFile, ...]:
    """The files that an agent reads, as they are now; `PluginError` if one cannot be read.

    `folder` is the agent's own, in which such a file must really lie unless it is listed in another one.
    """
    return tuple(OwnFile.of(path, folder) for path in dict.fromkeys(paths))


def version_with_files(version: str, files: Sequence[OwnFile]) -> str:
    """The version of an agent that reads files: it changes when one of them does."""
    if not files:
        return version
    parts = sorted((Path(file.path).name, file.digest) for file in files)
    return f"{version}+{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]}"


def with_read_files(agent: AgentSource, files: Sequence[ReadFile]) -> AgentSource:
    """The agent with data files that it was seen to open; those that it writes itself are left out."""
    folder = agent.plugin.folder if agent.plugin is not None else None
    if folder is None:
        return agent
    written = {file.place for file in files if not file.digest}
    known = {file.path for file in agent.files}
    read = sorted({os.path.realpath(folder / file.place) for file in files if file.place not in written} - known)
    found = own_files([path for path in read if is_file(Path(path))], folder)
    return agent._replace(files=(*agent.files, *(file._replace(seen=True) for file in found)))


def path_files(parameters: Mapping[str, Any]) -> list[str]:
    """The files that an agent's parameter `path` names: a path or a list of paths; other values name none."""
    value = parameters.get("path")
    paths = value if isinstance(value, list | tuple) else [value]
    return [path for path in paths if isinstance(path, str) and path and is_file(Path(path))]


def check_agent_source(agent: AgentSource, limits: DescribingLimits = _DESCRIBING) -> tuple[ReadFile, ...]:
    """The data files that the agent opens while it is made; `PluginError` if the plugin cannot make it."""
    with _lock:
        agents = HostedAgents(_shared_hosts(), agent, limits.limits, limits.isolation)
        try:
            agents()
            return agents.take_files()
        except AgentFault as fault:
            kind, detail = fault.fault.kind, fault.fault.detail
            if kind is FaultKind.BAD_PARAMETER:
                raise PluginError(detail) from None
            what = detail if kind in (FaultKind.NO_AGENT, FaultKind.CANNOT_PLAY, FaultKind.CHANGED_FILE) else fault.what
            raise PluginError(f"agent '{Spec(agent.name, agent.parameters)}' {what}") from None
        finally:
            agents.end()


def _shared_hosts() -> Hosts:
    """The hosts by which this process has plugins described; its server ends with this process."""
    global _hosts
    if _hosts is None:
        _hosts = Hosts(spares=False)
        atexit.register(end_describing)
    return _hosts


def end_describing() -> None:
    """End the process that the describing hosts are forked from; the next description starts another."""
    global _hosts
    with _lock:
        if _hosts is not None:
            _hosts.close()
            _hosts = None


def _checked(answer: Any) -> Described:
    """The answer of a host as values; `PluginError` if it is none, since third-party code may have written it."""
    try:
        if error := answer.get("error"):
            raise BrokenPlugin(clean(error, 1000), loaded=answer["loaded"] is True, trace=clean_lines(answer["trace"]))
        offers = []
        for kind, name, summary, parameters, needs in answer["offers"]:
            check_name(KINDS[kind], name)
            described = Description(clean(summary, 400), clean(parameters, 400), tuple(clean(n, 60) for n in needs))
            offers.append((kind, name, described))
        weights = {name: file for name, file in answer["weights"].items() if type(file) is str and "\0" not in file}
        observes, kernels = bool(answer["observer"]), answer["kernels"] is True
        return Described(offers, observes, clean(answer["file"], 1000), kernels, weights)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise PluginError("it wrote into the files of its process while it was loaded") from None
