"""The model of a tournament: its keys, their types and what each means."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sweepstakes.errors import ParameterError, PositionError, brief, did_you_mean
from sweepstakes.game.cell import Cell
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import PRESETS, Size
from sweepstakes.registry.spec import Spec
from sweepstakes.untrusted.plain_data import LARGEST

MOST = 10_000
"""Conditions of a tournament, and so sizes of boards and numbers of a range."""


class _Model(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True, allow_inf_nan=False
    )


def listed(value: Any) -> Any:
    """A list: the value itself, or of one value."""
    return value if isinstance(value, list | tuple) else [value]


def _tuple(value: Any) -> Any:
    return tuple(listed(value))


_EXPECTED = "expected NAME, NAME(parameter=value, ...) or {NAME: {parameter: value}}"


def _spec(value: Any) -> Any:
    """The value as it is written, if it is a spec: text, or a mapping of a name to its parameters."""
    if not isinstance(value, str | Mapping):
        raise ValueError(f"{brief(value)}: {_EXPECTED}")
    try:
        Spec.of(value)
    except ParameterError as error:
        raise ValueError(str(error)) from None  # what pydantic takes for an error of the file
    return value


Named = Annotated[str | Mapping[str, Mapping[str, Any] | None], BeforeValidator(_spec)]
"""A spec as it is written in the file: `hidden(rate=0.25)` or `{hidden: {rate: 0.25}}`."""


class Range(_Model):
    """Numbers from `from` to `to`, both included, in steps of `step`."""

    from_: Annotated[int | float, Field(alias="from")]
    to: int | float
    step: Annotated[int | float, Field(gt=0)]

    @model_validator(mode="after")
    def _some(self) -> Range:
        if self.from_ > self.to:
            raise ValueError(f"no number is from {brief(self.from_)} to {brief(self.to)}: expected from <= to")
        if self.count() > MOST:
            raise ValueError(f"a range of more than {MOST:,} numbers: expected a larger step")
        return self

    def values(self) -> Iterator[int | float]:
        """The numbers, computed on the decimals as they are written."""
        kind = int if all(isinstance(n, int) for n in (self.from_, self.to, self.step)) else float
        first, _, step = self._exact()
        for i in range(self.count()):
            yield kind(first + i * step)

    def count(self) -> int:
        """How many numbers there are."""
        first, last, step = self._exact()
        return (last - first) // step + 1

    def _exact(self) -> tuple[Fraction, Fraction, Fraction]:
        first, last, step = (Fraction(Decimal(repr(n))) for n in (self.from_, self.to, self.step))
        return first, last, step


Ints = Annotated[tuple[int | Range, ...], BeforeValidator(_tuple), Field(min_length=1)]
Numbers = Annotated[tuple[int | float | Range, ...], BeforeValidator(_tuple), Field(min_length=1)]


class Boards(_Model):
    """Sizes of boards, every combination of the lists given, and the source that makes them."""

    preset: Annotated[tuple[str, ...], BeforeValidator(_tuple)] = ()
    """Standard sizes: beginner, intermediate, expert."""
    size: Ints | None = None
    """Square boards: rows = cols."""
    rows: Ints | None = None
    cols: Ints | None = None
    mines: Ints | None = None
    density: Numbers | None = None
    source: Named = "uniform"
    """A board source: name, name(parameter=value, ...), or {name: {parameters}}."""

    @model_validator(mode="after")
    def _complete(self) -> Boards:
        for name in self.preset:
            if name not in PRESETS:
                raise ValueError(f"unknown boards {brief(name)}{did_you_mean(name, PRESETS)}")
        asked = self.size or self.rows or self.cols or self.mines or self.density
        if self.preset:
            if asked:
                raise ValueError("a preset has its own size and mines: leave out size, rows, cols, mines, density")
            return self
        if self.size is not None and (self.rows or self.cols):
            raise ValueError("expected either size or rows and cols")
        if self.size is None and (self.rows is None or self.cols is None):
            raise ValueError("expected rows and cols, or size for square boards")
        if (self.mines is None) == (self.density is None):
            raise ValueError("expected either mines or density")
        try:
            if self.count() > MOST:
                raise ValueError(f"{self.count():,} sizes: expected at most {MOST:,}")
            list(self.sizes())
        except PositionError as error:
            raise ValueError(str(error)) from None  # what pydantic takes for an error of the file
        return self

    def count(self) -> int:
        """How many sizes there are."""
        shapes = _count(self.size) or _count(self.rows) * _count(self.cols)
        return len(self.preset) or shapes * (_count(self.mines) or _count(self.density))

    def sizes(self) -> Iterator[tuple[str, Size, float | None]]:
        """Every size with what it is called before it, and the density as it is written, if it is, after it."""
        for name in self.preset:
            yield name, PRESETS[name], None
        if self.preset:
            return
        shapes = (
            [(d, d) for d in _numbers(self.size)]
            if self.size is not None
            else list(product(_numbers(self.rows), _numbers(self.cols)))
        )
        for rows, cols in shapes:
            for mines in _numbers(self.mines):
                size = Size.of(rows, cols, mines=mines)
                yield str(size), size, None
            for density in _numbers(self.density):
                yield f"{rows}x{cols} at {density}", Size.of(rows, cols, density=density), density


def _numbers(values: tuple[Any, ...] | None) -> list[Any]:
    return [n for value in values or () for n in (value.values() if isinstance(value, Range) else [value])]


def _count(values: tuple[Any, ...] | None) -> int:
    return sum(value.count() if isinstance(value, Range) else 1 for value in values or ())


class RulesItem(_Model):
    """The rules of a condition."""

    on_mine: Literal["continue", "end"] = "continue"
    first_click: Literal["any", "safe", "opening"] = "any"
    start: Annotated[tuple[int, int], BeforeValidator(lambda v: tuple(v) if isinstance(v, list) else v)] | None = None
    flood: bool = True

    def rules(self) -> Rules:
        """As the referee takes them."""
        start = Cell(*self.start) if self.start is not None else None
        return Rules(self.on_mine, self.first_click, start, self.flood)


class AgentItem(BaseModel):
    """An agent by name or file, what it is called here, and its parameters."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, use_attribute_docstrings=True)

    agent: str
    """NAME or FILE.py or FILE.py:NAME, each perhaps with (parameter=value, ...)."""
    as_: Annotated[str | None, Field(alias="as", min_length=1, max_length=40)] = None

    @model_validator(mode="after")
    def _named(self) -> AgentItem:
        try:
            self.spec  # noqa: B018 - whether there is one
        except ParameterError as error:
            raise ValueError(str(error)) from None  # what pydantic takes for an error of the file
        return self

    @property
    def spec(self) -> Spec:
        """The agent; all further keys are parameters."""
        return Spec.parse(self.agent).adding(self.model_extra or {})


class LimitsItem(_Model):
    """What a game may cost before it counts as a fault. Null means no limit."""

    turn_seconds: Annotated[int | float, Field(gt=0, le=1_000_000)] | None = 10
    game_seconds: Annotated[int | float, Field(gt=0, le=1_000_000)] | None = 60
    memory_mb: Annotated[int, Field(gt=0, le=1_000_000_000)] | None = 1024


def _board_entry(value: Any) -> Any:
    """A preset or a size, as in `16x30/99`, as the keys that it stands for."""
    if not isinstance(value, str):
        return value
    value = value.strip()
    if value in PRESETS or not re.match(r"[0-9]", value):
        return {"preset": value}
    try:
        rows, cols, mines = Size.parse(value)
    except PositionError as error:
        raise ValueError(str(error)) from None  # what pydantic takes for an error of the file
    _, at, density = value.replace("@", " at ").partition(" at ")  # which `Size.parse` has checked
    return {"rows": rows, "cols": cols} | ({"density": float(density)} if at else {"mines": mines})


def _agent_entry(value: Any) -> Any:
    """A name, or a name with its parameters `{name: {...}, as: label}`, as the keys that it stands for."""
    if isinstance(value, str):
        return {"agent": value}
    if not isinstance(value, Mapping):
        raise ValueError(f"{brief(value)}: {_EXPECTED}")
    if "agent" not in value:
        named = [key for key in value if key != "as"]
        if len(named) == 1 and isinstance(named[0], str) and isinstance(value[named[0]], Mapping | None):
            parameters = value[named[0]] or {}
            reserved = sorted(parameters.keys() & {"agent", "as"})
            if reserved:
                raise ValueError(f"'{reserved[0]}' is no parameter: it stands beside the agent's name")
            return {"agent": named[0], **{key: value[key] for key in value if key == "as"}, **parameters}
        near = difflib.get_close_matches("agent", [key for key in named if isinstance(key, str)], 1)
        hint = f" ('{near[0]}' for 'agent'?)" if near else ""
        raise ValueError(f"expected {{agent: NAME, parameter: value}} or {{NAME: {{parameter: value}}}}{hint}")
    return value


class Tournament(_Model):
    """Everything that a tournament file can say."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)] = "tournament"
    """What the run directory is called; the file's own name unless given."""
    seed: Annotated[int, Field(ge=0, le=LARGEST)] = 0
    """Decides every board."""
    games: Annotated[int, Field(ge=1, le=10_000_000)] = 100
    """Boards for each condition; every agent plays each of them once."""
    boards: Annotated[
        tuple[Annotated[Boards, BeforeValidator(_board_entry)], ...],
        BeforeValidator(_tuple),
        Field(min_length=1),
    ]
    rules: Annotated[tuple[RulesItem, ...], BeforeValidator(_tuple), Field(min_length=1)] = (RulesItem(),)
    """One set of rules, or a list, which makes conditions."""
    noise: Annotated[tuple[Named, ...], BeforeValidator(_tuple), Field(min_length=1)] = ("exact-clues",)
    """One clue noise, or a list, which makes conditions: name, name(parameter=value, ...), {name: {parameters}}."""
    agents: Annotated[
        tuple[Annotated[AgentItem, BeforeValidator(_agent_entry)], ...],
        BeforeValidator(_tuple),
        Field(min_length=1),
    ]
    """Names, names(parameter=value, ...), files, or {agent: name, as: label, parameter: value, ...}."""
    scores: Annotated[tuple[Named, ...], BeforeValidator(_tuple)] = ()
    """The first one ranks. By default identified, win, safe-opened, detonated, turns and guesses; without identified
    where a mine ends the game under every set of rules."""
    limits: LimitsItem = LimitsItem()
    executor: Named = "local"
    """How games get played: local, in processes of this machine; serial, in this process; or a plugin's."""
    workers: Annotated[int, Field(ge=1, le=256)] | None = None
    """Processes; by default one for each core."""
    moves: Literal["none", "sample", "all"] = "sample"
    """Which games keep their moves: none, the first 10 boards of each condition, or all."""
    plugins: Annotated[tuple[str, ...], BeforeValidator(_tuple)] = ()
    """Files to load plugins from, relative to this file."""

    @model_validator(mode="after")
    def _bounded(self) -> Tournament:
        conditions = sum(boards.count() for boards in self.boards) * len(self.rules) * len(self.noise)
        if conditions > MOST:
            raise ValueError(f"{conditions:,} conditions (sizes x rules x noises): expected at most {MOST:,}")
        return self
