"""A tournament from a file or a preset: yaml in, a frozen model out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sweepstakes.errors import ConfigError, brief, did_you_mean, located
from sweepstakes.registry.spec import Spec
from sweepstakes.tournaments.config.error_text import key_of, sentence
from sweepstakes.tournaments.config.model import Tournament, listed
from sweepstakes.tournaments.config.yaml_lines import YamlFile
from sweepstakes.untrusted.files import exists, is_file
from sweepstakes.untrusted.plain_data import NotPlain, check_plain

PRESETS = Path(__file__).parents[1] / "presets"
"""The folder of the tournaments that come with the package."""


def load(
    source: str | Path, changes: Mapping[str, Any] | None = None, agents: tuple[str, ...] = ()
) -> tuple[Tournament, YamlFile]:
    """The tournament in a file, or the preset of that name.

    `changes` replace top-level keys; `agents` join those of the file, their paths relative to where we are. Paths in
    the file are relative to it.
    """
    path = find(source)
    file = YamlFile(path)
    if not isinstance(file.data, dict):
        raise ConfigError(f"{file.where(())}: expected a mapping with boards and agents")
    stem = re.sub("[^A-Za-z0-9._-]+", "-", path.stem).strip("-._") or "tournament"
    data = {"name": stem, **file.data, **(changes or {})}
    if agents:
        more = [str(_at_home(Spec.parse(agent), Path.cwd())) for agent in agents]
        written = listed(data.get("agents", []))
        file.options.update({("agents", i): "--agent" for i in range(len(written), len(written) + len(more))})
        data["agents"] = [*written, *more]
    file.options.update({(key,): f"--{key}" for key in changes or {}})
    config = parse(data, file)
    home = path.parent.absolute()
    items = [item.model_copy(update={"agent": str(_at_home(Spec.parse(item.agent), home))}) for item in config.agents]
    boards = [b.model_copy(update={"source": _located(b.source, home)}) for b in config.boards]
    files = [str(home / plugin) for plugin in config.plugins]
    found = {
        "agents": tuple(items),
        "boards": tuple(boards),
        "noise": tuple(_found(noise, home) for noise in config.noise),
        "scores": tuple(_found(score, home) for score in config.scores),
        "executor": _found(config.executor, Path.cwd() if "executor" in (changes or {}) else home),
        "plugins": tuple(files),
    }
    return config.model_copy(update=found), file


def _located(source: str | Mapping[str, Any], home: Path) -> str | Mapping[str, Any]:
    """The board source with what it reads from files found from that folder."""
    spec = Spec.of(source)
    if "path" not in spec.parameters and not spec.file:
        return source
    parameters = {key: _at(home, value) if key == "path" else value for key, value in spec.parameters.items()}
    return {str(replace(_at_home(spec, home), parameters={})): parameters}


def _found(written: str | Mapping[str, Any], home: Path) -> str | Mapping[str, Any]:
    """A spec as it is written, with its file found from that folder."""
    spec = Spec.of(written)
    return str(_at_home(spec, home)) if spec.file else written


def _at_home(spec: Spec, home: Path) -> Spec:
    """The spec with its file found from that folder."""
    return replace(spec, file=str(home / spec.file)) if spec.file else spec


def _at(home: Path, path: Any) -> Any:
    if isinstance(path, list | tuple):
        return [_at(home, each) for each in path]
    return str(home / path) if isinstance(path, str) else path


def find(source: str | Path) -> Path:
    """The file, or the built-in preset of that name."""
    path = Path(source)
    if is_file(path):
        return path
    presets = {preset.stem: preset for preset in PRESETS.glob("*.yaml")}
    if str(source) in presets:
        return presets[str(source)]
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        what = "expected a regular file" if exists(path) else "there is no such file"
        raise ConfigError(f"{located(path)}: {what}")
    hint = did_you_mean(str(source), presets)
    raise ConfigError(f"no tournament {brief(str(source))}{hint}, and no file of that name")


def parse(data: Mapping[str, Any], file: YamlFile | None = None) -> Tournament:
    """The model of plain data; `ConfigError` says where and what was expected."""
    try:
        check_plain(data)
        return Tournament.model_validate(data)
    except NotPlain as error:
        where = f"{file.where(error.place)}: " if file is not None else ""
        raise ConfigError(f"{where}{key_of(error.place)}{error}") from None
    except ValidationError as error:
        raise ConfigError(sentence(error, data, file)) from None
