"""Reading yaml with the line of every key, so that an error can say where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from sweepstakes.errors import ConfigError

Place = tuple[str | int, ...]


class YamlFile:
    """The data of a yaml file, and the line on which each part of it stands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[Place, int] = {}
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
        try:
            loader = yaml.SafeLoader(text)
            try:
                root = loader.get_single_node()
                self.data: Any = self._build(loader, root, ()) if root is not None else None
            finally:
                loader.dispose()
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise ConfigError(f"{path}:{line}: not yaml: {error.problem or error}") from None
        except yaml.YAMLError as error:
            raise ConfigError(f"{path}: not yaml: {' '.join(str(error).split())}") from None

    def where(self, place: Sequence[str | int]) -> str:
        """`file:line` of a part of the data, or of the nearest part around it."""
        key = tuple(place)
        while key and key not in self._lines:
            key = key[:-1]
        return f"{self.path}:{self._lines.get(key, 1)}"

    def _build(self, loader: yaml.SafeLoader, node: yaml.Node, place: Place) -> Any:
        self._lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            found: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key = loader.construct_object(key_node, deep=True)
                line = key_node.start_mark.line + 1
                if not isinstance(key, str):
                    raise ConfigError(f"{self.path}:{line}: {key!r} cannot be a key: expected a word")
                if key in found:
                    raise ConfigError(f"{self.path}:{line}: the key '{key}' stands here twice")
                self._lines[(*place, key)] = line
                found[key] = self._build(loader, value_node, (*place, key))
            return found
        if isinstance(node, yaml.SequenceNode):
            return [self._build(loader, item, (*place, i)) for i, item in enumerate(node.value)]
        return loader.construct_object(node, deep=True)
