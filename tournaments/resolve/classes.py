"""Classes in a tournament from Python: each becomes a plugin file of the run directory, and plays as any other.

The files are called by the hash of their text, so that a changed class never replaces the one whose games are stored.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from sweepstakes.agent import Agent
from sweepstakes.boards import BoardSource
from sweepstakes.errors import ConfigError, brief
from sweepstakes.noise import ClueNoise
from sweepstakes.registry.registry import Registry
from sweepstakes.score import Score
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.config.model import Tournament, as_list
from sweepstakes.tournaments.resolve.class_text import AGENTS, class_text
from sweepstakes.untrusted.plain_data import NotPlain, check_plain

AgentLike = type[Agent] | str | Mapping[str, Any]
"""An agent for `run_tournament`: a class, a name, a file, or `{"agent": ..., "as": label, parameter: value}`."""
_AGENTS, _PLUGINS = "agents", "plugins"
"""The folders of a run directory with the files of its classes."""
_KINDS: dict[str, tuple[type, str]] = {
    "clue noise": (ClueNoise, "sweepstakes_clue_noise"),
    "score": (Score, "sweepstakes_scores"),
    "board source": (BoardSource, "sweepstakes_boards"),
}
"""For each kind its base class, and the hook by which a plugin offers it."""
_NOT_GIVEN = object()


class ClassFiles:
    """Names classes as a tournament file does: by plugin files of a run directory, which the caller has to write."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory.absolute()
        self.texts: dict[Path, str] = {}
        """The files and their texts."""

    def agent(self, agent: Any) -> Any:
        """Return the agent as a tournament file names it."""
        if isinstance(agent, Mapping):
            return {key: self.agent(value) if key == "agent" else value for key, value in agent.items()}
        if not isinstance(agent, type):
            return agent
        if not issubclass(agent, Agent):
            raise ConfigError(f"agents: {brief(agent)} is not an agent: expected a subclass of Agent")
        name, file = self._file(agent, "agent", _AGENTS, AGENTS)
        return name if file is None else str(file)

    def plugins(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tournament with its noises, scores and board sources as a tournament file names them."""
        named = dict(data)
        for key, kind in (("noise", "clue noise"), ("scores", "score")):
            if isinstance(given := data.get(key), list | tuple):
                named[key] = [self._plugin(each, kind) for each in given]
            elif key in data:
                named[key] = self._plugin(given, kind)
        if "boards" in data:
            named["boards"] = [
                {**item, "source": self._plugin(item["source"], "board source")}
                if isinstance(item, Mapping) and "source" in item
                else item
                for item in as_list(data["boards"])
            ]
        return named

    def _plugin(self, thing: Any, kind: str) -> Any:
        """Return the name of a class, an instance, or `{class: {parameter: value}}` in a tournament file. Leave others
        unchanged."""
        if isinstance(thing, Mapping):
            return {self._class_name(k, kind) if isinstance(k, type) else k: value for k, value in thing.items()}
        if isinstance(thing, type):
            return self._class_name(thing, kind)
        if not isinstance(thing, _KINDS[kind][0]):
            return thing  # a name; anything else is refused with the rest of the data
        name = self._class_name(type(thing), kind)
        parameters = _parameters(thing)
        return {name: parameters} if parameters else name

    def _class_name(self, cls: type, kind: str) -> str:
        base, hook = _KINDS[kind]
        if not issubclass(cls, base):
            expected = f"expected a name, or a subclass of {base.__name__} or an instance"
            raise ConfigError(f"{kind}: {expected}, not {brief(cls)}")
        name, file = self._file(cls, kind, _PLUGINS, hook)
        return name if file is None else f"{file}:{name}"

    def _file(self, cls: type, kind: str, folder: str, offered_by: str) -> tuple[str, Path | None]:
        """Return the name of a class and the plugin file that offers it. A built-in class has only a name.

        Raises `ConfigError` if another class has the name of a built-in one.
        """
        offers = Registry.built_in().offers(kind)
        for name, offer in offers.items():
            if offer.factory is cls:
                return name, None
        name, text = class_text(cls, offered_by)
        if name in offers:
            raise ConfigError(f"class {cls.__name__}: '{name}' is a built-in {kind}: give the class another name")
        file = self._directory / folder / f"{name}-{sha256(text.encode()).hexdigest()[:8]}.py"
        self.texts[file] = text
        return name, file


def _parameters(thing: Any) -> dict[str, Any]:
    """Return the parameters that made an instance: its attributes of these names. `ConfigError` if one is not there."""
    found = {}
    for name, parameter in inspect.signature(type(thing)).parameters.items():
        value = getattr(thing, name, getattr(thing, f"_{name}", _NOT_GIVEN))
        try:
            check_plain(value)
        except NotPlain:
            raise ConfigError(
                f"{type(thing).__name__}: the value of the parameter '{name}' is unknown: store it as self.{name}, "
                "or give the class with its parameters, as in {Fog: {'rate': 0.2}}"
            ) from None
        if value != parameter.default:
            found[name] = value
    return found


def with_agents(config: Tournament, agents: Sequence[Any]) -> Tournament:
    """Return the tournament with more agents."""
    if not agents:
        return config
    added = parse({"boards": "beginner", "agents": list(agents)}).agents
    return config.model_copy(update={"agents": (*config.agents, *added)})


def beside(directory: Path, config: Tournament) -> Tournament:
    """Return the tournament with the paths of class files relative to the run directory, which can then be moved."""
    folders = {directory.absolute() / name: name for name in (_AGENTS, _PLUGINS)}

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
