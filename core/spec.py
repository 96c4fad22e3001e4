"""A name with parameters, as text and as a value: how a user names an agent, a board source, a noise or a score.

    chain                          a name
    chain(window=6)                with parameters: JSON values, or bare words as in basic(scope=last)
    my_agent.py                    a file that offers only one agent, or only one thing of the kind meant
    my_agent.py:careful(depth=2)   one of several things that a file offers
    chain@1                        an earlier version
    command:./solver --fast        a program that plays: its words, quoted as in a shell
    command:./solver --fast(window=6)        with options of the program

As in a shell, parentheses in a word of a program must be quoted. The first one without quotes begins the parameters.
The parameter `files` of a program or a file lists the files that the agent reads: mine.py(files=["weights.npz"]).

`str` writes a spec in one fixed form that `parse` reads back.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, NoReturn

from sweepstakes.errors import ParameterError, brief
from sweepstakes.untrusted.plain_data import NotPlain, check_plain
from sweepstakes.untrusted.text import clean

MAX_LENGTH = 2000
"""Maximum length of a spec, in characters."""
NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
"""The names of agents, board sources, noises, scores, executors and reports."""
CUT = "yaml splits NAME(a=1,b=2) at the comma: put it in quotes"
EXPECTED = "expected NAME, NAME(parameter=value, ...) or FILE.py"
MAX_FILES = 100
"""Maximum number of files listed in `files`."""

COMMAND = "command:"
_SHELL_WORDS = re.compile(r"""(?:[^'"\\(]|'[^']*'|"(?:[^"\\]|\\.)*"|\\.)*""", re.DOTALL)
"""Text up to the first parenthesis that is not quoted."""
_FILE = re.compile(r"(?P<file>.+?\.py)(?=$|[:@(])(?::(?P<name>[^@(]*))?", re.DOTALL)
_VERSION = re.compile(r"@([A-Za-z0-9][A-Za-z0-9._-]*)")
_KEY = re.compile(r"\s*([^\W\d]\w*)\s*=\s*")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
"""Numbers, including forms such as .5 that JSON does not allow."""
_WORD = re.compile(r"[^\s,()\[\]{}=\"']+")


@dataclass(frozen=True, eq=False)
class Spec:
    """A name with its parameters, a version, and the file that offers it if it is not a loaded plugin; or a program.

    Two specs are equal if their texts are equal: `hidden(rate=1)` and `hidden(rate=1.0)` are not.
    """

    name: str = ""
    """Empty for a program, and for a file if its only offer is meant."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    version: str = ""
    words: tuple[str, ...] = ()
    """The words of the command that starts a program. Name, file and version are then empty."""
    files: tuple[str, ...] = ()
    """The files that a program, or the agent of a file, reads."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        object.__setattr__(self, "words", tuple(self.words))
        object.__setattr__(self, "files", tuple(self.files))

    @property
    def command(self) -> str:
        """The words of a program as a shell reads them, or "" if the spec is not a program."""
        return shlex.join(self.words)

    @classmethod
    def parse(cls, text: str) -> Spec:
        """Read a spec from a text. Raise `ParameterError` with the reason if the text is not valid."""
        if len(text) > MAX_LENGTH:
            _refuse(text, f"it has {len(text):,} characters, at most {MAX_LENGTH:,} are read")
        text = text.strip()
        if text.startswith(COMMAND):
            return cls._parse_command(text)
        if path := _FILE.match(text):
            file, name, rest = path["file"], path["name"], text[path.end() :]
            if name is not None and not NAME.fullmatch(name.strip()):
                _refuse(text, f"{_quoted(name)} is not a valid name: expected FILE.py:NAME of a-z, 0-9, '-', '_', '.'")
            name = (name or "").strip()
        else:
            end = re.search(r"[@(]|$", text)
            assert end is not None
            file, name, rest = "", text[: end.start()].strip(), text[end.start() :]
            if not NAME.fullmatch(name):
                _refuse(text, _why_no_name(text, name))
        version = ""
        if rest.startswith("@"):
            match = _VERSION.match(rest)
            if match is None:
                _refuse(text, f"expected a version after '@', as in {name or file}@1")
            version, rest = match[1], rest[match.end() :].lstrip()
        return cls(name, {}, file, version)._taking(text, _parameters(text, rest))

    @classmethod
    def _parse_command(cls, text: str) -> Spec:
        command = text.removeprefix(COMMAND)
        words = _SHELL_WORDS.match(command)
        assert words is not None
        rest = command[words.end() :]
        if rest and not rest.startswith("("):
            _refuse(text, f"{_quoted(rest)} has unbalanced quotes")
        return cls.program(shlex.split(words[0]))._taking(text, _parameters(text, rest))

    @classmethod
    def program(cls, words: Sequence[str]) -> Spec:
        """Return the spec of the program that `words` start. Raise `ParameterError` if they cannot."""
        spec = cls(words=tuple(words))
        if not spec.words or not spec.words[0].strip():
            _refuse(COMMAND + spec.command, "the program is missing: expected command:PROGRAM ARGUMENTS")
        for word in spec.words:
            if not word.isprintable():
                _refuse(COMMAND + spec.command, f"{_quoted(word)} has a character that cannot be printed")
        return spec

    @classmethod
    def of(cls, value: Spec | str | Mapping[str, Any]) -> Spec:
        """Return a spec from a spec, from a text, or from a mapping `{name: {parameter: value}}`."""
        if isinstance(value, Spec):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        if len(value) != 1:
            hint = f": {CUT}" if any(str(key).rstrip().endswith(")") for key in value) else ""
            raise ParameterError(
                f"expected one name with its parameters, as in {{name: {{...}}}}, found {len(value)} keys{hint}"
            )
        ((text, parameters),) = value.items()
        if not isinstance(text, str):
            raise ParameterError(f"expected one name with its parameters, as in {{name: {{...}}}}, found {brief(text)}")
        if parameters is not None and not isinstance(parameters, Mapping):
            raise ParameterError(
                f"{clean(str(text), 40)}: expected its parameters as a mapping, as in {{name: {{parameter: value}}}}"
            )
        return cls.parse(text).adding(parameters or {})

    def adding(self, parameters: Mapping[str, Any]) -> Spec:
        """Return the spec with more parameters. Raise `ParameterError` for a parameter that it already has."""
        if not parameters:
            return self
        twice = sorted(self.parameters.keys() & parameters.keys()) or ["files"] * bool(
            self.files and "files" in parameters
        )
        if twice:
            _refuse(str(self), f"parameter '{twice[0]}' is given twice")
        return self._taking(str(self), parameters)

    def _taking(self, text: str, parameters: Mapping[str, Any]) -> Spec:
        """Return the spec with these parameters added. In a program or a file, the parameter `files` sets its files."""
        if "files" in parameters and (self.file or self.words):
            parameters = dict(parameters)
            return replace(self, files=_files(text, parameters.pop("files")))._taking(text, parameters)
        return replace(self, parameters={**self.parameters, **parameters}) if parameters else self

    @cached_property
    def portable(self) -> Spec:
        """The spec with only the last part of every path, so that it is the same on every machine.

        The first word of a program is a path if it contains a `/`; in the result it begins with `./`. Any other word
        is a path if it is absolute.
        """
        if "path" not in self.parameters and not self.file and not self.words:
            return self
        shorter = {key: _last(value) if key == "path" else value for key, value in self.parameters.items()}
        words = [_last(word) if PurePath(word).is_absolute() else word for word in self.words]
        if words and "/" in self.words[0]:
            words[0] = f"./{_last(words[0])}"
        return replace(
            self, parameters=shorter, file=_last(self.file), words=tuple(words), files=tuple(_last(list(self.files)))
        )

    @cached_property
    def _text(self) -> str:
        head = f"{self.file}:{self.name}" if self.file and self.name else self.file or self.name
        if self.words:
            head = COMMAND + self.command
        if self.version:
            head += f"@{self.version}"
        values = {**self.parameters, "files": list(self.files)} if self.files else self.parameters
        if not values:
            return head
        inside = ",".join(f"{key}={_json(values[key])}" for key in sorted(values))
        return f"{head}({inside})"

    def __str__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, Spec) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Spec, (self.name, dict(self.parameters), self.file, self.version, self.words, self.files)


def parse_value(text: str) -> Any:
    """Return the JSON value or number in a text, or the text itself if it is neither."""
    try:
        value = _JSON.decode(text)
        check_plain(value)
    except (ValueError, RecursionError):
        return _bare(text.strip())
    except NotPlain as error:
        _refuse(text, str(error))
    return value


def _parameters(text: str, rest: str) -> Mapping[str, Any]:
    """Return the parameters in `rest`, the part of the text after the name: `(key=value, ...)`."""
    values: dict[str, Any] = {}
    if not rest or re.fullmatch(r"\(\s*\)", rest):
        return values
    if not rest.startswith("("):
        _refuse(text, f"{_quoted(rest)} after the name: {EXPECTED}")
    place = 1
    while True:
        key = _KEY.match(rest, place)
        if key is None:
            what = _quoted(rest[place:].rstrip(")")) if rest[place:].strip(" )") else "nothing"
            _refuse(text, f"expected parameter=value, found {what}")
        if key[1] in values:
            _refuse(text, f"parameter '{key[1]}' is given twice")
        values[key[1]], place = _value(text, rest, key.end(), key[1])
        after = rest[place : place + 1]
        if after == ")" and not rest[place + 1 :].strip():
            return values
        if after != ",":
            if place >= len(rest):
                _refuse(text, f"the closing ')' is missing; {CUT}")
            _refuse(text, f"expected ',' or ')' at the end of {key[1]}, found {_quoted(rest[place:])}")
        place += 1


def _value(text: str, rest: str, start: int, key: str) -> tuple[Any, int]:
    """Return the JSON value or bare word at `start`, and the index after it and the white space behind it."""
    try:
        value, end = _JSON.raw_decode(rest, start)
    except (ValueError, RecursionError):
        pass
    else:
        end = _skip(rest, end)
        if rest[end : end + 1] in ("", ",", ")"):
            try:
                check_plain(value)
            except NotPlain as error:
                _refuse(text, f"{key}: {error}")
            return value, end
    word = _WORD.match(rest, start)
    if word is None:
        quotes = "; put text with special characters in double quotes" if rest[start : start + 1] == "'" else ""
        _refuse(text, f"{key} has no value: expected JSON or a bare word{quotes}")
    return _bare(word[0]), _skip(rest, word.end())


def _files(text: str, value: Any) -> tuple[str, ...]:
    """Return the value of the parameter `files`: a path or a list of paths."""
    paths = [value] if isinstance(value, str) else value
    if not isinstance(paths, list | tuple) or not all(isinstance(path, str) for path in paths):
        _refuse(text, f"files: {brief(value)}: expected a list of paths")
    if not all(path.strip() and path.isprintable() for path in paths):
        _refuse(text, f"files: {brief(value)}: expected paths that can be printed")
    if len(paths) > MAX_FILES:
        _refuse(text, f"files: {len(paths):,} paths: expected at most {MAX_FILES}")
    return tuple(paths)


def _bare(word: str) -> Any:
    """Return the value of a word that is not JSON: a number, or the word itself."""
    if not _NUMBER.fullmatch(word):
        return word
    return float(word) if re.search(r"[.eE]", word) else int(word)


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


_JSON = json.JSONDecoder(parse_constant=_no_constant)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _last(path: Any) -> Any:
    if isinstance(path, list | tuple):
        return [_last(each) for each in path]
    return PurePath(path).name if isinstance(path, str) else path


def _why_no_name(text: str, name: str) -> str:
    """Describe what is wrong with the name at the beginning of a text."""
    if not name:
        return f"the name is missing: {EXPECTED}"
    if text.endswith(")") and "(" not in text:
        return f"this looks like the end of a name with parameters: {CUT}"
    if NAME.fullmatch(name.lower()):
        return f"names must be lower-case: did you mean '{name.lower()}'?"
    return f"{_quoted(name)} is not a valid name: {EXPECTED}"


def _quoted(text: str) -> str:
    return f"'{clean(text, 40)}'"


def _refuse(text: str, why: str) -> NoReturn:
    raise ParameterError(f"{_quoted(text)}: {why}")
