"""Plain data from files, options and callers: text, numbers, true and false, null, lists and mappings.

Any input is either read within a bounded time or refused with an error that names the place.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from typing import Any

import yaml

from sweepstakes.errors import brief
from sweepstakes.untrusted.text import INVISIBLE

Place = tuple[str | int, ...]

MAX_VALUES = 100_000
"""Maximum number of values in all, counting every repetition by an alias."""
DEEPEST = 50
"""The maximum depth of nested lists and mappings."""
MAX_TEXT = 2_000
"""Maximum length of a text."""
MAX_INTEGER = 2**63 - 1
"""The largest whole number that a database can store."""

_TAG = "tag:yaml.org,2002:"
_SCALARS = frozenset(_TAG + kind for kind in ("str", "int", "float", "bool", "null"))
_EXPECTED = "expected text, a number, true or false, null, a list or a mapping"


class NotPlain(Exception):  # noqa: N818 - callers turn it into an error that names the file or the option
    """Data that is not plain: what is wrong, the place in the data, and the line if it comes from a text."""

    def __init__(self, what: str, place: Place = (), line: int | None = None) -> None:
        super().__init__(what)
        self.place = place
        self.line = line


def check_plain(data: Any) -> None:
    """Raise `NotPlain` for values of other types, too many values, too long texts or invisible characters."""
    _check(data, (), [MAX_VALUES])


def _check(value: Any, place: Place, left: list[int]) -> None:
    left[0] -= 1
    if left[0] < 0:
        raise NotPlain(f"more than {MAX_VALUES:,} values in all", place[:1])
    if len(place) > DEEPEST:
        raise NotPlain(f"nested more than {DEEPEST} levels deep", place[:1])
    if isinstance(value, str):
        _check_text(value, place)
    elif isinstance(value, bool) or value is None:
        pass
    elif isinstance(value, int):
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise NotPlain(f"{brief(value)} is too large: expected a whole number below 2^63", place)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise NotPlain(f"expected a finite number, not {value}", place)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise NotPlain(f"{brief(key)} cannot be a key: expected a word", place)
            _check_text(key, (*place, key))
            _check(item, (*place, key), left)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            _check(item, (*place, i), left)
    else:
        raise NotPlain(f"{brief(value)} is a {type(value).__name__}: {_EXPECTED}", place)


def _check_text(text: str, place: Place) -> None:
    if len(text) > MAX_TEXT:
        raise NotPlain(f"{brief(text)} has {len(text):,} characters: expected at most {MAX_TEXT:,}", place)
    if not text.isprintable() and any(unicodedata.category(mark) in INVISIBLE for mark in text):
        raise NotPlain(f"{brief(text)} has an invisible character: remove it", place)


class _Loader(yaml.SafeLoader):
    """A loader that limits the depth while composing; yaml's own recurses until Python raises."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._depth += 1
        if self._depth > DEEPEST + 1:
            raise NotPlain(f"nested more than {DEEPEST} levels deep", line=self.peek_event().start_mark.line + 1)  # type: ignore[no-untyped-call]
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


def read_yaml(text: str) -> tuple[Any, dict[Place, int]]:
    """Return the data of a yaml text, and the line of each part. Raise `NotPlain` if the text is not yaml.

    The types and the amount of the data are checked here, the values by `check_plain`.
    """
    lines: dict[Place, int] = {}
    try:
        loader = _Loader(text)
        try:
            root = loader.get_single_node()
            data = None if root is None else _Builder(loader, lines).build(root, ())
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise NotPlain(f"not yaml: {error.problem or error}", line=line) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise NotPlain(f"not yaml: unexpected character {brief(chr(error.character))}", line=line) from None
    except yaml.YAMLError as error:
        raise NotPlain(f"not yaml: {error}", line=1) from None
    return data, lines


class _Builder:
    """Converts nodes of yaml to plain data."""

    def __init__(self, loader: yaml.SafeLoader, lines: dict[Place, int]) -> None:
        self._loader = loader
        self._lines = lines
        self._left = MAX_VALUES

    def build(self, node: yaml.Node, place: Place) -> Any:
        line = node.start_mark.line + 1
        self._lines.setdefault(place, line)
        self._left -= 1
        if self._left < 0:
            raise NotPlain(f"more than {MAX_VALUES:,} values in all", line=line)
        if len(place) > DEEPEST:  # deeper than the text: an alias within the node that it repeats
            raise NotPlain(f"nested more than {DEEPEST} levels deep, by an alias", line=line)
        if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.build(item, (*place, i)) for i, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode) and node.tag in _SCALARS:
            return self._scalar(node)
        kind = node.tag.replace(_TAG, "!!")
        if kind == "!!timestamp":
            raise NotPlain(f"{brief(node.value)} is a date: put it into quotes if it is text", line=line)
        raise NotPlain(f"{brief(kind)} is not supported: {_EXPECTED}", line=line)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.tag == f"{_TAG}merge":
                raise NotPlain("'<<' is not supported: write the keys out", line=line)
            key = self.build(key_node, (*place, "?"))
            if not isinstance(key, str):
                raise NotPlain(f"{brief(key)} cannot be a key: expected a word", line=line)
            if key in data:
                raise NotPlain(f"the key {brief(key)} is given twice", line=line)
            self._lines[(*place, key)] = line
            data[key] = self.build(value_node, (*place, key))
        return data

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        try:
            return self._loader.construct_object(node, deep=True)
        except (ValueError, LookupError, ArithmeticError):
            kind = node.tag.removeprefix(_TAG)
            raise NotPlain(f"{brief(node.value)} is not a valid {kind}", line=node.start_mark.line + 1) from None
