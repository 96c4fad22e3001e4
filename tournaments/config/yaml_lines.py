"""Reads yaml with the line of every key, so that an error can name the line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sweepstakes.errors import ConfigError, SweepstakesError, located
from sweepstakes.spec import CUT
from sweepstakes.untrusted.files import read_file
from sweepstakes.untrusted.plain_data import NotPlain, read_yaml

MAX_BYTES = 100_000
"""The maximum length of a tournament file: yaml reads a file of this length in about two seconds."""


class YamlFile:
    """The data of a yaml file, and the line of each key and value."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.options: dict[tuple[str | int, ...], str] = {}
        """The options of the command line that replaced or added values, by the place of the value in the data."""
        try:
            text = read_file(path, MAX_BYTES, ConfigError).decode("utf-8")
        except UnicodeDecodeError:
            raise ConfigError(f"{located(path)}: cannot be read: expected text in UTF-8") from None
        try:
            self.data: Any
            self.data, self._lines = read_yaml(text)
        except NotPlain as error:
            line = "".join(text.splitlines()[(error.line or 1) - 1 : error.line])
            hint = f"; {CUT}" if "(" in line and "=" in line else ""
            raise ConfigError(f"{located(path)}:{error.line}: {error}{hint}") from None

    def where(self, place: Sequence[str | int]) -> str:
        """`file:line` of a value, or of the nearest value around it; or the option that the value comes from."""
        key = tuple(place)
        for length in range(len(key), 0, -1):
            if option := self.options.get(key[:length]):
                return option
        while key and key not in self._lines:
            key = key[:-1]
        return f"{located(self.path)}:{self._lines.get(key, 1)}"


class Location:
    """Prefixes an error with its `file:line` in the tournament file."""

    def __init__(self, file: YamlFile | None) -> None:
        self._file = file

    @contextmanager
    def __call__(self, *place: str | int) -> Iterator[None]:
        """Return a context in which errors are prefixed with the location of a value."""
        try:
            yield
        except SweepstakesError as error:
            raise ConfigError(f"{self._file.where(place)}: {error}" if self._file is not None else error) from None
