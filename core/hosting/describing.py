"""Descriptions of third-party code, by hosts that run it: the caller never imports it."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sweepstakes.errors import PluginError
from sweepstakes.game.faults import AgentFault, FaultKind
from sweepstakes.hosting import sealing
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.limits import DEFAULT_LIMITS, Limits
from sweepstakes.registry.agent_source import AgentSource, ReadFile, own_files, program_source
from sweepstakes.registry.describer import Described
from sweepstakes.registry.import_statements import imported_names
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.registry.program_identity import program_identity
from sweepstakes.spec import Spec

_LIMITS = Limits(memory_mb=8192, start_seconds=DEFAULT_LIMITS.start_seconds)
"""For importing a plugin and making one agent."""
_READING = Limits(memory_mb=1024, start_seconds=30.0)
"""For reading the import statements of a file: the syntax tree of 256 kB of ordinary code has 200 MB."""
_lock = threading.RLock()
_hosts: Hosts | None = None


class HostDescriber:
    """Runs third-party code in hosts, under an isolation (`process` or `sealed`) and limits."""

    def __init__(self, isolation: str = "process", limits: Limits = _LIMITS) -> None:
        self._isolation = isolation
        self._limits = limits
        self._checked: dict[str, tuple[ReadFile, ...]] = {}
        """For each agent that a host has made, the files that it opened."""

    def read_imports(self, text: str, package: str) -> list[str]:
        """Return the names in the import statements of a text. It is parsed in a sealed host under any isolation."""
        return read_imports(text, package)

    def describe(self, source: PluginSource, files: Sequence[str] = ()) -> Described:
        """Return what the plugin offers. Raise `PluginError` if it does not load in time. It reads `files`."""
        agent = AgentSource(source, files=own_files(files, source.folder))
        try:
            with _hosted(agent, self._limits, self._isolation) as agents:
                return Described.of_plain(agents.start(self._limits))._replace(files=agents.take_files())
        except AgentFault as fault:
            during = " while it was loaded" if fault.fault.kind is FaultKind.WROTE_INTO_FILES else ""
            raise PluginError(f"it {fault.what}{during}") from None

    def check_agent(self, agent: AgentSource) -> tuple[ReadFile, ...]:
        """Return the data files that the agent opens while it is made. Raise `PluginError` if the plugin cannot make
        it."""
        assert agent.plugin is not None
        key = f"{agent.plugin.path} {agent.plugin.version} {agent.spec} {agent.files}"
        if key not in self._checked:
            self._checked[key] = self._make(agent)
        return self._checked[key]

    def _make(self, agent: AgentSource) -> tuple[ReadFile, ...]:
        try:
            with _hosted(agent, self._limits, self._isolation) as agents:
                agents()
                return agents.take_files()
        except AgentFault as fault:
            kind, detail = fault.fault.kind, fault.fault.detail
            if kind is FaultKind.BAD_PARAMETER:
                raise PluginError(detail) from None
            known = kind in (FaultKind.NO_AGENT, FaultKind.CANNOT_PLAY, FaultKind.CHANGED_FILE)
            raise PluginError(f"agent '{agent.spec}' {detail if known else fault.what}") from None

    def describe_program(self, spec: Spec) -> AgentSource:
        """Return the agent that a program is. Its version has its words, its files, and what it says itself.

        The program is started once, to check its options. Raises `PluginError` or `ParameterError` if it cannot play.
        """
        identity = program_identity(spec.words, spec.files)
        source = program_source(spec)
        try:
            with _hosted(source, self._limits, self._isolation) as agents:
                ready = agents.start(self._limits)
        except AgentFault as fault:
            raise PluginError(f"{spec.portable}: the program {fault.what}") from None
        return source._replace(version=f"{identity} {ready.version}".strip())


def describer_here(isolation: str, limits: Limits = DEFAULT_LIMITS) -> HostDescriber:
    """Return the describer for a tournament's isolation and limits; `sealed` where this machine can seal."""
    possible = isolation.startswith("sealed") and not sealing.missing()
    return HostDescriber("sealed" if possible else "process", _LIMITS._replace(start_seconds=limits.start_seconds))


def read_imports(text: str, package: str) -> list[str]:
    """Return the names in the import statements of a text, as `imported_names` finds them, read in a host.

    Raise `PluginError` if reading them takes too much time or memory.
    """
    task = f"{imported_names.__module__}:{imported_names.__name__}"
    source = AgentSource(None, parameters={"text": text, "package": package}, task=task)
    try:
        with _hosted(source, _READING, "process" if sealing.missing() else "sealed") as agents:
            names = agents.start(_READING)
    except AgentFault as fault:
        refused = fault.fault.kind is FaultKind.CANNOT_PLAY
        raise PluginError(fault.fault.detail if refused else f"its imports cannot be read: that {fault.what}") from None
    if not isinstance(names, list) or not all(type(name) is str for name in names):
        raise PluginError("its imports cannot be read")
    return names


@contextmanager
def _hosted(source: AgentSource, limits: Limits, isolation: str) -> Iterator[HostedAgents]:
    """Run the source in a host of its own; one thread at a time."""
    with _lock, HostedAgents(_shared_hosts(), source, limits, isolation) as agents:
        yield agents


def _shared_hosts() -> Hosts:
    """Return the hosts of all descriptions by this process; their server ends with this process."""
    global _hosts
    if _hosts is None:
        _hosts = Hosts()
        atexit.register(end_describing)
    return _hosts


def end_describing() -> None:
    """End the server of the hosts that describe plugins; the next description starts another."""
    global _hosts
    with _lock:
        if _hosts is not None:
            _hosts.close()
            _hosts = None
