"""Classes of agents in a tournament: each becomes a plugin file in the run directory, and plays as any other.

The files are called by the hash of their text, so that a changed class never replaces the one whose games are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sweepstakes.agent import Agent
from sweepstakes.errors import ConfigError, brief
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.tournaments.running.class_source import AGENTS, write_class
from sweepstakes.tournaments.running.plugin_classes import FOLDER as PLUGINS

AgentLike = type[Agent] | str | Mapping[str, Any]
"""How `run_tournament` takes an agent: a class, a name, a file, or `{"agent": ..., "as": label, parameter: value}`."""
FOLDER = "agents"
"""The folder of a run directory with the files of its classes."""


def name_agent(agent: Any, directory: Path) -> Any:
    """The agent as a tournament file names it; a class is written to a file in the run directory."""
    if isinstance(agent, Mapping):
        return {key: name_agent(value, directory) if key == "agent" else value for key, value in agent.items()}
    if not isinstance(agent, type):
        return agent
    if not issubclass(agent, Agent):
        raise ConfigError(f"agents: {brief(agent)} is a class, but none of agents: expected a subclass of Agent")
    name, file = write_class(agent, "agent", directory.absolute() / FOLDER, AGENTS)
    return name if file is None else str(file)


def with_agents(config: Tournament, agents: Sequence[Any]) -> Tournament:
    """The tournament with more agents."""
    if not agents:
        return config
    added = parse({"boards": "beginner", "agents": list(agents)}).agents
    return config.model_copy(update={"agents": (*config.agents, *added)})


def beside(directory: Path, config: Tournament) -> Tournament:
    """The tournament with the files of classes named as its file in the run directory does, so that it can be moved."""
    folders = {directory.absolute() / name: name for name in (FOLDER, PLUGINS)}

    def move(spec: Spec) -> Spec:
        file = Path(spec.file)
        folder = folders.get(file.parent) if spec.file else None
        return spec if folder is None else replace(spec, file=f"{folder}/{file.name}")

    def moved(written: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
        spec = Spec.of(written)
        if move(spec) == spec:
            return written
        parameters = dict(spec.parameters)
        name = str(replace(move(spec), parameters={}))
        return {name: parameters} if parameters else name

    return config.model_copy(
        update={
            "agents": tuple(item.moved(move) for item in config.agents),
            "boards": tuple(b.model_copy(update={"source": moved(b.source)}) for b in config.boards),
            "noise": tuple(map(moved, config.noise)),
            "scores": tuple(map(moved, config.scores)),
        }
    )
