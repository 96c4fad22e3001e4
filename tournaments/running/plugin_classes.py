"""Noises, scores and board sources that are given as classes or instances: each becomes a plugin file of the run."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sweepstakes.boards import BoardSource
from sweepstakes.errors import ConfigError, brief
from sweepstakes.noise import ClueNoise
from sweepstakes.score import Score
from sweepstakes.tournaments.config.model import as_list
from sweepstakes.tournaments.running.class_source import write_class
from sweepstakes.untrusted.plain_data import NotPlain, check_plain

FOLDER = "plugins"
"""The folder of a run directory with the files of such classes."""
_KINDS: dict[str, tuple[type, str]] = {
    "clue noise": (ClueNoise, "sweepstakes_clue_noise"),
    "score": (Score, "sweepstakes_scores"),
    "board source": (BoardSource, "sweepstakes_boards"),
}
"""For each kind its base class, and the hook by which a plugin offers it."""
_NOT_GIVEN = object()


def name_plugins(data: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    """The tournament as plain data: classes and instances are written to files in the run directory."""
    named = dict(data)
    for key, kind in (("noise", "clue noise"), ("scores", "score")):
        if isinstance(given := data.get(key), list | tuple):
            named[key] = [_named(each, kind, directory) for each in given]
        elif key in data:
            named[key] = _named(given, kind, directory)
    if "boards" in data:
        named["boards"] = [
            {**item, "source": _named(item["source"], "board source", directory)}
            if isinstance(item, Mapping) and "source" in item
            else item
            for item in as_list(data["boards"])
        ]
    return named


def _named(thing: Any, kind: str, directory: Path) -> Any:
    """A class, an instance, or `{class: {parameter: value}}` as a tournament file names it; others as they are."""
    if isinstance(thing, Mapping):
        return {_class_name(k, kind, directory) if isinstance(k, type) else k: value for k, value in thing.items()}
    if isinstance(thing, type):
        return _class_name(thing, kind, directory)
    if not isinstance(thing, _KINDS[kind][0]):
        return thing  # a name; anything else is refused with the rest of the data
    name = _class_name(type(thing), kind, directory)
    parameters = _parameters(thing)
    return {name: parameters} if parameters else name


def _class_name(cls: type, kind: str, directory: Path) -> str:
    """A class as a tournament file names it: a built-in one by name, another by its file in the run directory."""
    base, hook = _KINDS[kind]
    if not issubclass(cls, base):
        raise ConfigError(f"{kind}: expected a name, or a subclass of {base.__name__} or an instance, not {brief(cls)}")
    name, file = write_class(cls, kind, directory.absolute() / FOLDER, hook)
    return name if file is None else f"{file}:{name}"


def _parameters(thing: Any) -> dict[str, Any]:
    """The parameters that made an instance: its attributes of these names. `ConfigError` if one is not there."""
    found = {}
    for name, parameter in inspect.signature(type(thing)).parameters.items():
        value = getattr(thing, name, getattr(thing, f"_{name}", _NOT_GIVEN))
        try:
            check_plain(value)
        except NotPlain:
            raise ConfigError(
                f"{type(thing).__name__}: cannot tell the parameter '{name}' of this instance: keep it as self.{name}, "
                "or give the class with its parameters, as in {Fog: {'rate': 0.2}}"
            ) from None
        if value != parameter.default:
            found[name] = value
    return found
