"""The model of a tournament file: its keys, their types and what each means."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    SerializerFunctionWrapHandler,
    create_model,
    model_serializer,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from sweepstakes.errors import ParameterError, PositionError, brief, did_you_mean
from sweepstakes.game.rng import LARGEST_SEED
from sweepstakes.game.rules import FirstClick, OnMine, Rules
from sweepstakes.game.size import PRESETS, Size
from sweepstakes.limits import DEFAULT_LIMITS, Limit, Limits
from sweepstakes.limits import declared as declared_limits
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.submissions import check_submission, is_alone

EARLIER = re.compile(r"(.+)@([0-9]+)")
"""The label of an earlier version of an agent, and its number."""
MAX_ITEMS = 10_000
"""The maximum of conditions in a tournament, of sizes in an item of `boards` and of numbers in a range."""


class _Model(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True, allow_inf_nan=False
    )


def as_list(value: Any) -> Any:
    """Return the value itself if it is a list or a tuple, otherwise a list of this one value."""
    return value if isinstance(value, list | tuple) else [value]


def _tuple(value: Any) -> Any:
    return tuple(as_list(value))


_EXPECTED = "expected NAME, NAME(parameter=value, ...) or {NAME: {parameter: value}}"


def _spec(value: Any) -> Any:
    """Return the value unchanged if it is a spec: text, or a mapping of a name to its parameters. Else raise
    `ValueError`."""
    if not isinstance(value, str | Mapping):
        raise ValueError(f"{brief(value)}: {_EXPECTED}")
    try:
        Spec.of(value)
    except ParameterError as error:
        raise ValueError(str(error)) from None  # which pydantic reports as an error of the file
    return value


Named = Annotated[str | Mapping[str, Mapping[str, Any] | None], BeforeValidator(_spec)]
"""A spec in the form of the tournament file: `hidden(rate=0.25)` or `{hidden: {rate: 0.25}}`."""


class Range(_Model):
    """Numbers from `from` to `to`, both included, in steps of `step`."""

    from_: Annotated[int | float, Field(alias="from")]
    to: int | float
    step: Annotated[int | float, Field(gt=0)]

    @model_validator(mode="after")
    def _check_order(self) -> Range:
        if self.from_ > self.to:
            raise ValueError(f"the range from {brief(self.from_)} to {brief(self.to)} is empty: expected from <= to")
        if self.count() > MAX_ITEMS:
            raise ValueError(f"a range of more than {MAX_ITEMS:,} numbers: expected a larger step")
        return self

    def values(self) -> Iterator[int | float]:
        """Yield the numbers of the range, computed exactly from their decimal notation."""
        kind = int if all(isinstance(n, int) for n in (self.from_, self.to, self.step)) else float
        first, _, step = self._exact()
        for i in range(self.count()):
            yield kind(first + i * step)

    def count(self) -> int:
        """Return the count of the numbers in the range."""
        first, last, step = self._exact()
        return (last - first) // step + 1

    def _exact(self) -> tuple[Fraction, Fraction, Fraction]:
        first, last, step = (Fraction(Decimal(repr(n))) for n in (self.from_, self.to, self.step))
        return first, last, step


Ints = Annotated[tuple[int | Range, ...], BeforeValidator(_tuple), Field(min_length=1)]
Numbers = Annotated[tuple[int | float | Range, ...], BeforeValidator(_tuple), Field(min_length=1)]


class Boards(_Model):
    """Sizes of boards, every combination of the lists, and the source that makes the boards."""

    preset: Annotated[tuple[str, ...], BeforeValidator(_tuple)] = ()
    """Standard sizes: beginner, intermediate, expert."""
    size: Ints | None = None
    """Square boards: rows = cols."""
    rows: Ints | None = None
    """Rows: a number, a list or a range."""
    cols: Ints | None = None
    """Columns: a number, a list or a range."""
    mines: Ints | None = None
    """Mines: a number, a list or a range."""
    density: Numbers | None = None
    """Mines as a share of the cells, instead of `mines`: a number, a list or a range."""
    source: Named = "uniform"
    """A board source: name, name(parameter=value, ...), or {name: {parameters}}."""

    @model_validator(mode="after")
    def _check_keys(self) -> Boards:
        for name in self.preset:
            if name not in PRESETS:
                raise ValueError(f"unknown boards {brief(name)}{did_you_mean(name, PRESETS)}")
        dimensions = self.size or self.rows or self.cols or self.mines or self.density
        if self.preset:
            if dimensions:
                raise ValueError("a preset has its own size and mines: leave out size, rows, cols, mines, density")
            return self
        if self.size is not None and (self.rows or self.cols):
            raise ValueError("expected either size or rows and cols")
        if self.size is None and (self.rows is None or self.cols is None):
            raise ValueError("expected rows and cols, or size for square boards")
        if (self.mines is None) == (self.density is None):
            raise ValueError("expected either mines or density")
        try:
            if self.count() > MAX_ITEMS:
                raise ValueError(f"{self.count():,} sizes: expected at most {MAX_ITEMS:,}")
            list(self.sizes())
        except PositionError as error:
            raise ValueError(str(error)) from None  # which pydantic reports as an error of the file
        return self

    def count(self) -> int:
        """Return the count of the sizes."""
        shapes = _count(self.size) or _count(self.rows) * _count(self.cols)
        return len(self.preset) or shapes * (_count(self.mines) or _count(self.density))

    def sizes(self) -> Iterator[tuple[str, Size, float | None]]:
        """Yield every size as (label, size, density); the density is None unless the file has one."""
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

    on_mine: OnMine = Rules().on_mine
    """Whether the game continues after a mine detonates, or ends."""
    first_click: FirstClick = Rules().first_click
    """Which cells have no mine for the first click: none, the cell (safe), or the cell and its neighbours (opening)."""
    start: Annotated[tuple[int, int], BeforeValidator(lambda v: tuple(v) if isinstance(v, list) else v)] | None = None
    """A cell [row, col] that the referee opens before the first turn."""
    flood: bool = Rules().flood
    """Whether opening a blank opens its neighbours too."""

    def rules(self) -> Rules:
        """Return the rules as the referee's value."""
        return Rules.of(self.model_dump())


def _words(value: Any) -> Any:
    """Return the words of a command, which a text holds as in a shell."""
    if isinstance(value, str):
        try:
            value = shlex.split(value)
        except ValueError:
            raise ValueError(f"{brief(value)}: unbalanced quotes") from None
    return _texts(value, "expected [PROGRAM, ARGUMENT, ...] or a text of these words")


def _paths(value: Any) -> Any:
    return _texts([value] if isinstance(value, str) else value, "expected a list of paths")


def _texts(value: Any, expected: str) -> Any:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise ValueError(f"{brief(value)}: {expected}")
    for each in value:
        if not isinstance(each, str):
            raise ValueError(f"{brief(each)} is not text: put it in quotes")
    return tuple(value)


class AgentItem(BaseModel):
    """An agent by name, file or command, its label in this tournament, and its parameters."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, use_attribute_docstrings=True)

    agent: str = ""
    """NAME or FILE.py or FILE.py:NAME, each with or without (parameter=value, ...)."""
    command: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()
    """Instead of `agent`, a program in any language and its arguments, as in [./solver, --fast]; paths are relative to
    the tournament file. Its options are parameters."""
    files: Annotated[tuple[str, ...], BeforeValidator(_paths)] = ()
    """Files that the agent reads, for a FILE.py or a command; paths are relative to the tournament file."""
    as_: Annotated[str | None, Field(alias="as", min_length=1, max_length=40)] = None
    """The agent's label in tables; by default its spec. It does not end in @ and a number, as earlier versions do."""
    submission: bool = False
    """Whether the file is one of many that others handed in: if it cannot play, it forfeits its games, and the others
    are played. Set for every file of a folder."""

    @model_validator(mode="after")
    def _check_spec(self) -> AgentItem:
        if not self.agent and not self.command and "command" not in self.model_fields_set:
            raise ValueError("expected agent: NAME or command: [PROGRAM, ARGUMENT, ...]")
        if self.agent and self.command:
            raise ValueError("expected either agent or command")
        if self.as_ is not None and EARLIER.fullmatch(self.as_):
            raise ValueError(f"as: {brief(self.as_)} means an earlier version: expected a label without @ and a number")
        try:
            spec = self.spec
        except ParameterError as error:
            raise ValueError(str(error)) from None  # which pydantic reports as an error of the file
        if self.submission and not spec.file:
            raise ValueError(f"submission: '{spec.name}' is not a file: expected agent: FILE.py")
        if self.files and not spec.file and not spec.words:
            raise ValueError(
                f"files: '{spec.name}' cannot have files: expected agent: FILE.py or command: [PROGRAM, ...]"
            )
        return self

    @model_serializer(mode="wrap")
    def _without_empty_keys(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = dump(self)
        return {
            key: value for key, value in data.items() if value or key not in ("agent", "command", "files", "submission")
        }

    def is_alone(self, items: Iterable[AgentItem]) -> bool:
        """Return whether this is a submission that is a single file among these items, so that no file next to it is
        its own. Raise `PluginError` if it is a link.
        """
        if not self.submission:
            return False
        alone = is_alone(self.spec.file, [item.spec.file for item in items if item.submission])
        check_submission(self.spec.file, alone=alone)
        return alone

    @property
    def spec(self) -> Spec:
        """The agent's spec; keys other than `agent`, `command`, `files`, `submission` and `as` are parameters."""
        files = {"files": list(self.files)} if self.files else {}
        return self._named().adding({**(self.model_extra or {}), **files})

    def _named(self) -> Spec:
        return Spec.parse(self.agent) if self.agent else Spec.program(self.command)

    def moved(self, move: Callable[[Spec], Spec]) -> AgentItem:
        """Return the item with other paths. `move` changes only the paths of a spec."""
        named = self._named()
        changes: dict[str, Any] = {"agent": str(move(named))} if self.agent else {"command": move(named).words}
        if self.files:
            changes["files"] = move(replace(named, files=self.files)).files
        path = (self.model_extra or {}).get("path")
        if path is not None:
            changes["path"] = move(replace(named, parameters={"path": path})).parameters["path"]
        return self.model_copy(update=changes)


def _limit_key(name: str, limit: Limit) -> tuple[Any, Any]:
    """Return the type of a key of `limits`, and its default."""
    number: Any = int | float if name.endswith(("_seconds", "_cost")) else int
    value = Annotated[number, Field(gt=0, le=limit.largest)] | None
    return value, Field(default=limit.default, description=limit.meaning)


_LIMIT_KEYS: Any = {name: _limit_key(name, limit) for name, limit in declared_limits().items()}
LimitsItem: Any = create_model(
    "LimitsItem",
    __base__=_Model,
    __doc__="The limits of a game; a game that exceeds one ends with a fault. Null means no limit.",
    **_LIMIT_KEYS,
)
"""The keys of `limits`, which are those of `Limits`."""


def _plain_limits(limits: Limits) -> dict[str, Any]:
    """Return the limits as they are stored. Limits of a run are left out if not set, since earlier versions do not know
    them."""
    named = limits._asdict().items()
    return {name: value for name, value in named if value is not None or not name.startswith("run_")}


def _limits_schema(_: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    """Reads and writes `Limits` as the keys of `LimitsItem`."""
    return core_schema.no_info_after_validator_function(
        lambda item: Limits(**item.model_dump()),
        handler.generate_schema(LimitsItem),
        serialization=core_schema.plain_serializer_function_ser_schema(_plain_limits),
    )


def _board_entry(value: Any) -> Any:
    """Return the keys of `Boards` for a text: a preset or a size, as in `16x30/99`."""
    if not isinstance(value, str):
        return value
    value = value.strip()
    if value in PRESETS or not re.match(r"[0-9]", value):
        return {"preset": value}
    try:
        rows, cols, mines = Size.parse(value)
    except PositionError as error:
        raise ValueError(str(error)) from None  # which pydantic reports as an error of the file
    _, at, density = value.replace("@", " at ").partition(" at ")  # `Size.parse` has checked it
    return {"rows": rows, "cols": cols} | ({"density": float(density)} if at else {"mines": mines})


def _agent_entry(value: Any) -> Any:
    """Return the keys of `AgentItem` for a name, or for a name with its parameters `{name: {...}, as: label}`."""
    if isinstance(value, str):
        return {"agent": value}
    if not isinstance(value, Mapping):
        raise ValueError(f"{brief(value)}: {_EXPECTED}")
    if "agent" not in value and "command" not in value:
        beside = {"as", "files", "submission"}
        named = [key for key in value if key not in beside]
        if len(named) == 1 and isinstance(named[0], str) and isinstance(value[named[0]], Mapping | None):
            parameters = value[named[0]] or {}
            reserved = sorted(parameters.keys() & {"agent", "command", *beside})
            if reserved:
                raise ValueError(f"'{reserved[0]}' is not a parameter: write it next to the agent's name")
            return {"agent": named[0], **{key: value[key] for key in value if key in beside}, **parameters}
        near = difflib.get_close_matches("agent", [key for key in named if isinstance(key, str)], 1)
        hint = f" ('{near[0]}' for 'agent'?)" if near else ""
        raise ValueError(f"expected {{agent: NAME, parameter: value}} or {{NAME: {{parameter: value}}}}{hint}")
    return value


def _seed(value: Any) -> Any:
    """Return the value unchanged if it can be the seed of a tournament, else `ValueError`."""
    if value == "secret" or (type(value) is int and 0 <= value <= LARGEST_SEED):
        return value
    raise ValueError(f"{brief(value)} is invalid: expected a whole number from 0 to 2^128 - 1, or the word secret")


class Tournament(_Model):
    """A tournament file: all its keys."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)] = "tournament"
    """The name of the run directory; by default the name of the file without its ending."""
    seed: Annotated[
        Annotated[int, Field(ge=0, le=LARGEST_SEED)] | Literal["secret"],
        BeforeValidator(_seed),
    ] = 0
    """The seed of all boards: a whole number below 2^128; or secret: drawn at random when the run begins, and published
    when its last game has been played. The SHA-256 of the seed is printed before the first game."""
    games: Annotated[int, Field(ge=1, le=10_000_000)] = 100
    """Boards for each condition; every agent plays each board once."""
    boards: Annotated[
        tuple[Annotated[Boards, BeforeValidator(_board_entry)], ...],
        BeforeValidator(_tuple),
        Field(min_length=1),
    ]
    """One item of boards, or a list of them: beginner, 16x30/99, 16x30@0.2, or the keys below."""
    rules: Annotated[tuple[RulesItem, ...], BeforeValidator(_tuple), Field(min_length=1)] = (RulesItem(),)
    """One set of rules, or a list of them; each set makes conditions of its own."""
    noise: Annotated[tuple[Named, ...], BeforeValidator(_tuple), Field(min_length=1)] = ("exact-clues",)
    """One clue noise, or a list of them; each makes conditions of its own. A noise is name, name(parameter=value, ...)
    or {name: {parameters}}."""
    agents: Annotated[
        tuple[Annotated[AgentItem, BeforeValidator(_agent_entry)], ...],
        BeforeValidator(_tuple),
        Field(min_length=1),
    ]
    """Names, names(parameter=value, ...), files, command:PROGRAM ARGUMENTS, or {agent: name, as: label, parameter:
    value, ...}. A folder, as in `./submissions/`, or a pattern, as in `./submissions/*.py`, stands for the files in
    it."""
    on_refused: Literal["stop", "forfeit"] = "stop"
    """What happens if an agent cannot be created, for example because its file raises on import: the tournament is not
    played (stop), or the agent forfeits its games and the others play (forfeit). A submission always forfeits."""
    scores: Annotated[tuple[Named, ...], BeforeValidator(_tuple)] = ()
    """The scores; the first one ranks the agents. By default identified, win, safe-opened, detonated, turns and
    guesses; without identified where a mine ends the game under every set of rules."""
    limits: Annotated[Limits, GetPydanticSchema(_limits_schema)] = Field(
        default=DEFAULT_LIMITS._asdict(), validate_default=True
    )
    """Limits on turns, games and the whole run."""
    isolation: Literal["none", "process", "sealed", "sealed-if-possible"] = "process"
    """Where agents that are not built in run: in the process of the referee (none), in processes of their own
    (process), or in processes that are also cut off from files, network and other processes (sealed). SECURITY.md says
    what each of them prevents. sealed-if-possible means sealed if the machine supports it, otherwise process."""
    executor: Named = "local"
    """The executor, which plays the games: local, in worker processes; serial, in this process; or a plugin's."""
    workers: Annotated[int, Field(ge=1, le=256)] | None = None
    """The number of worker processes; by default one for each core."""
    moves: Literal["none", "sample", "all"] = "sample"
    """Which games keep their moves: none; sample, those on the first 10 boards of each condition, or on the boards of
    keep_boards; or all."""
    keep_boards: Annotated[int, Field(ge=1)] | None = None
    """The games on the first `keep_boards` boards of each condition keep rows and turns. All others keep only
    their scores and faults, in packed blocks, and the tables are the same. By default every game keeps its row. Agents
    whose games cannot be played again keep all their rows."""
    plugins: Annotated[tuple[str, ...], BeforeValidator(_tuple)] = ()
    """Plugin files to load; paths are relative to the tournament file."""

    @model_validator(mode="after")
    def _check_count(self) -> Tournament:
        conditions = sum(boards.count() for boards in self.boards) * len(self.rules) * len(self.noise)
        if conditions > MAX_ITEMS:
            raise ValueError(f"{conditions:,} conditions (sizes x rules x noises): expected at most {MAX_ITEMS:,}")
        return self
