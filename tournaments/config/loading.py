"""Loads a tournament from a file or a preset: yaml in, a frozen model out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from sweepstakes.errors import ConfigError, brief, did_you_mean, located
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.error_text import describe_error, key_of
from sweepstakes.tournaments.config.model import Tournament, as_list
from sweepstakes.tournaments.config.submissions import expand, is_several
from sweepstakes.tournaments.config.yaml_lines import YamlFile
from sweepstakes.untrusted.files import exists, is_file, is_url
from sweepstakes.untrusted.plain_data import NotPlain, check_plain

PRESETS = Path(__file__).parents[1] / "presets"
"""The folder of the presets: the tournaments that come with the package."""

CLASS_KEYS = ("allow", "deadline", "grade")
"""Keys of a tournament file that only `sweepstakes classroom` reads: students may run the file of their class."""


def load(
    source: str | Path, changes: Mapping[str, Any] | None = None, agents: tuple[str, ...] = ()
) -> tuple[Tournament, YamlFile]:
    """Return the tournament in a file, or the preset of that name.

    `changes` replace top-level keys. `agents` are added to those of the file; their paths are relative to the current
    directory. Paths in the file are relative to the file.
    """
    path = find(source)
    file = YamlFile(path)
    if not isinstance(file.data, dict):
        raise ConfigError(f"{file.where(())}: expected a mapping with boards and agents")
    stem = re.sub("[^A-Za-z0-9._-]+", "-", path.stem).strip("-._") or "tournament"
    tournament = {key: value for key, value in file.data.items() if key not in CLASS_KEYS}
    data = {"name": stem, **tournament, **(changes or {})}
    home = path.parent.absolute()
    if agents:
        added = [_added_agent(agent) for agent in agents]
        written = as_list(data.get("agents", []))
        file.options.update({("agents", i): "--agent" for i in range(len(written), len(written) + len(added))})
        data["agents"] = [*written, *added]
    file.options.update({(key,): f"--{key}" for key in changes or {}})
    if any(map(_is_several, as_list(data.get("agents", [])))):
        expanded = expand(as_list(data["agents"]), home)
        where = {place: file.where(("agents", place)) for place, _ in expanded}
        file.options.update({("agents", i): where[place] for i, (place, _) in enumerate(expanded)})
        data["agents"] = [item for _, item in expanded]
    return resolve(parse(data, file), home, Path.cwd() if "executor" in (changes or {}) else home), file


def resolve(config: Tournament, home: Path, executor_home: Path) -> Tournament:
    """Return the tournament with its paths relative to the folder `home`, and the path of its executor to another
    folder. The paths in a run directory then mean the same from every folder.
    """
    items = [item.moved(lambda spec: _resolve_file(spec, home)) for item in config.agents]
    boards = [b.model_copy(update={"source": _resolve_source(b.source, home)}) for b in config.boards]
    resolved = {
        "agents": tuple(items),
        "boards": tuple(boards),
        "noise": tuple(_resolve_spec(noise, home) for noise in config.noise),
        "scores": tuple(_resolve_spec(score, home) for score in config.scores),
        "executor": _resolve_spec(config.executor, executor_home),
        "plugins": tuple(str(home / plugin) for plugin in config.plugins),
    }
    return config.model_copy(update=resolved)


def _is_several(item: Any) -> bool:
    if not isinstance(item, Mapping):
        return is_several(item)
    agent = item.get("agent")
    if not isinstance(agent, str) or (item.get("submission") is True and is_file(Path(agent))):  # as b[1].py
        return False
    return is_several(agent)


def _added_agent(text: str) -> str:
    """Return an agent of the command line with paths relative to the current directory."""
    if is_several(text):
        return str(Path.cwd() / text) + "/" * text.endswith("/")
    return str(_resolve_file(Spec.parse(text), Path.cwd()))


def _resolve_source(source: str | Mapping[str, Any], home: Path) -> str | Mapping[str, Any]:
    """Return the board source with its file and its parameter `path` relative to the folder `home`."""
    spec = Spec.of(source)
    if "path" not in spec.parameters and not spec.file:
        return source
    parameters = {key: _resolve_path(home, value) if key == "path" else value for key, value in spec.parameters.items()}
    return {str(replace(_resolve_file(spec, home), parameters={})): parameters}


def _resolve_spec(written: str | Mapping[str, Any], home: Path) -> str | Mapping[str, Any]:
    """Return a spec in the form of the tournament file, with its file relative to the folder `home`."""
    spec = Spec.of(written)
    return str(_resolve_file(spec, home)) if spec.file else written


def _resolve_file(spec: Spec, home: Path) -> Spec:
    """Return the spec with its file, or its program, and its other files relative to the folder `home`.

    The parameter `path` is relative to it too if there are such files. A program without `/` is looked up by the
    system, as in a shell; other words are paths if there is such a file.
    """
    path = spec.parameters.get("path")
    paths = [path] if isinstance(path, str) else path if isinstance(path, list | tuple) else []
    if paths and all(isinstance(each, str) and is_file(home / each) for each in paths):
        spec = replace(spec, parameters={**spec.parameters, "path": _resolve_path(home, path)})
    if not spec.file and not spec.words:
        return spec
    return replace(
        spec,
        file=str(home / spec.file) if spec.file else "",
        words=tuple(_resolve_word(word, i, home) for i, word in enumerate(spec.words)),
        files=tuple(str(home / file) for file in spec.files),
    )


def _resolve_word(word: str, place: int, home: Path) -> str:
    is_path = "/" in word if place == 0 else bool(word) and is_file(home / word)
    return str(home / word) if is_path else word


def _resolve_path(home: Path, path: Any) -> Any:
    if isinstance(path, list | tuple):
        return [_resolve_path(home, each) for each in path]
    return str(home / path) if isinstance(path, str) and not is_url(path) else path


def find(source: str | Path) -> Path:
    """Return the path of a tournament file, of that of a run or a published leaderboard, or of a preset.

    Raises `ConfigError` if it does not exist.
    """
    path = Path(source)
    if is_file(path):
        return path
    if is_file(path / "tournament.yaml"):
        return path / "tournament.yaml"
    presets = {preset.stem: preset for preset in PRESETS.glob("*.yaml")}
    if str(source) in presets:
        return presets[str(source)]
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        what = "expected a regular file" if exists(path) else "there is no such file"
        raise ConfigError(f"{located(path)}: {what}")
    hint = did_you_mean(str(source), presets)
    raise ConfigError(f"no tournament {brief(str(source))}{hint}, and no file of that name")


def parse(data: Mapping[str, Any], file: YamlFile | None = None) -> Tournament:
    """Make the model from plain data. Raise `ConfigError` with the place and what was expected there."""
    if file is None and isinstance(data, Mapping) and any(map(_is_several, as_list(data.get("agents", [])))):
        data = {**data, "agents": [item for _, item in expand(as_list(data["agents"]), Path.cwd())]}
    try:
        seed = data.get("seed") if isinstance(data, Mapping) else None
        check_plain({**data, "seed": None} if type(seed) is int else data)  # the model has its own range of seeds
        return Tournament.model_validate(data)
    except NotPlain as error:
        where = f"{file.where(error.place)}: " if file is not None else ""
        raise ConfigError(f"{where}{key_of(error.place)}{error}") from None
    except ValidationError as error:
        raise ConfigError(describe_error(error, data, file)) from None


def as_yaml(config: Tournament) -> str:
    """Return the tournament file of a model, with every default written out.

    `on_refused` and `keep_boards` are newer than the published leaderboards, whose files must come out the same: their
    defaults are left out.
    """
    data = config.model_dump(mode="json", by_alias=True)
    if config.on_refused == "stop":
        del data["on_refused"]
    if config.keep_boards is None:
        del data["keep_boards"]
    for boards in data["boards"]:
        for key in [key for key, value in boards.items() if value in (None, [])]:
            del boards[key]
    return yaml.safe_dump(data, sort_keys=False)
