"""Finds the agents that a spec names. Agents that are not built in are made and played by hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sweepstakes import os_support
from sweepstakes.agent import Agent
from sweepstakes.errors import PluginError, located
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.limits import NO_LIMITS, Limits
from sweepstakes.registry.agent_source import AgentSource, own_files, path_files
from sweepstakes.registry.own_data import own_data
from sweepstakes.registry.registry import Offer, Registry
from sweepstakes.spec import Spec
from sweepstakes.untrusted.files import is_file


def find_agents(registry: Registry, spec: Spec | str, *, check: bool = True, alone: bool = False) -> list[AgentSource]:
    """Find the agents that a spec names: one offer, all agents of its file, or a program.

    Unless `check` is false, each agent is made once, to check its parameters. A program is always started. If `alone`
    is true, the plugin of a file cannot import modules from its folder.
    """
    spec = Spec.of(spec)
    if spec.words:
        return [registry.describer.describe_program(spec)]
    return [_found(registry, offer, spec, check) for offer in registry.named("agent", spec, alone=alone)]


def find_agent(registry: Registry, spec: Spec | str, *, check: bool = True, alone: bool = False) -> AgentSource:
    """Find the agent that a spec names. Raise `PluginError` if a file has several."""
    spec = Spec.of(spec)
    if spec.words:
        return registry.describer.describe_program(spec)
    return _found(registry, registry.the_named("agent", spec, alone=alone), spec, check)


def _found(registry: Registry, offer: Offer, spec: Spec, check: bool) -> AgentSource:
    """Return the agent of an offer, with the parameters and files of the spec."""
    if offer.factory is not None:
        if check:
            registry.agent(Spec(offer.name, spec.parameters))
        return AgentSource(None, offer.name, dict(spec.parameters), version=offer.version, repeatable=offer.repeatable)
    agent = _source(offer, spec)
    if check:
        agent = agent.with_read_files(registry.describer.check_agent(agent))
    return agent.with_version(offer.version)


def _source(offer: Offer, spec: Spec) -> AgentSource:
    """Return what a host needs to play the agent of an offer as the spec says."""
    plugin = offer.plugin
    folder = plugin.source.folder if plugin.source is not None else None
    files = own_files([*spec.files, *path_files(spec.parameters)], folder)
    if folder is not None and is_file(weights := folder / plugin.weights.get(offer.name, "")):
        (named,) = own_files([str(weights)], folder)
        if plugin.source is None or (named not in files and not own_data(named.path, plugin.source)):
            where = "a file in its folder, which is neither hidden nor part of a run"
            raise PluginError(f"agent '{offer.name}' names {located(weights)} as its `weights`: expected {where}")
        files = tuple(dict.fromkeys([*files, named]))
    source = AgentSource(
        plugin.source,
        offer.name,
        dict(spec.parameters),
        files=files,
        kernels=plugin.kernels,
        repeatable=offer.repeatable,
    )
    return source.with_read_files(plugin.read_files)


@contextmanager
def playing_agent(
    registry: Registry, spec: Spec | str, limits: Limits = NO_LIMITS, isolation: str = "process"
) -> Iterator[Callable[[], Agent]]:
    """Yield a factory of the agent. A built-in agent is made in this process, any other agent in a host."""
    found = find_agent(registry, spec)
    if not found.hosted:
        yield registry.agent(found.spec)
        return
    os_support.check_memory(limits.memory_mb)
    warm = tuple(Registry.built_in().self_contained_agents()) if found.kernels else ()
    with Hosts(warm=warm) as hosts, HostedAgents(hosts, found, limits, isolation) as agents:
        yield agents
