"""What a person asks for: a new game, or a move in one."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sweepstakes.errors import did_you_mean
from sweepstakes.game.cell import Cell
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.registry.spec import Spec
from sweepstakes.web.server.api_error import Refused

LARGEST = 100
"""Most rows and columns of a game in the browser."""

W = TypeVar("W", bound=BaseModel)


class _Wish(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class NewGame(_Wish):
    """A preset or a size as in 16x16/40, or rows and columns with mines or a density; the rest has defaults."""

    preset: str | None = None
    rows: Annotated[int, Field(ge=1, le=LARGEST)] | None = None
    cols: Annotated[int, Field(ge=1, le=LARGEST)] | None = None
    mines: Annotated[int, Field(ge=0)] | None = None
    density: Annotated[float, Field(ge=0, le=1)] | None = None
    seed: Annotated[int, Field(ge=0, lt=1 << 53)] | None = None
    number: Annotated[int, Field(ge=0, lt=1 << 31)] = 0
    on_mine: Literal["continue", "end"] = "continue"
    first_click: Literal["any", "safe", "opening"] = "opening"
    start: Annotated[int, Field(ge=0)] | None = None
    flood: bool = True
    noise: Annotated[str, Field(max_length=80)] = "exact-clues"
    agent: Annotated[str, Field(max_length=80)]

    def player(self) -> Spec:
        """The agent that gives hints."""
        return _by_name(self.agent, "agent")

    def setup(self) -> GameSetup:
        """The game it means; without a seed, one at random. `Refused` or `SweepstakesError` if there is none."""
        size = self._size()
        start = Cell(*divmod(self.start, size.cols)) if self.start is not None else None
        rules = Rules(self.on_mine, self.first_click, start, self.flood)
        rules.check(size)
        seed = self.seed if self.seed is not None else secrets.randbelow(1_000_000)
        return GameSetup(size, seed, self.number, rules, noise=_by_name(self.noise, "noise"))

    def _size(self) -> Size:
        if self.preset is not None:
            size = Size.parse(self.preset)
            if max(size.rows, size.cols) > LARGEST:
                raise Refused(422, f"a board of {size}: expected at most {LARGEST} rows and columns")
            return size
        if self.rows is None or self.cols is None:
            raise Refused(422, "expected a preset, or rows and cols")
        return Size.of(self.rows, self.cols, mines=self.mines, density=self.density)


def _by_name(text: str, kind: str) -> Spec:
    """A spec by name; `Refused` for a file: the server loads those that it was started with, and no others."""
    spec = Spec.parse(text)
    if spec.file:
        raise Refused(422, f"expected the {kind} by name: start the server with --plugin FILE to add those of a file")
    return spec


class Move(_Wish):
    """One thing done to one cell, by its flat index: open it, set or lift its flag, or open all around its clue."""

    action: Literal["open", "flag", "chord"]
    cell: Annotated[int, Field(ge=0)]


class Nothing(_Wish):
    """A request that needs no words."""


def read(model: type[W], data: Any) -> W:
    """The wish in plain data; `Refused` with the first thing that is wrong."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        details = error.errors()[0]
        key = ".".join(map(str, details["loc"]))
        if details["type"] == "extra_forbidden":
            raise Refused(422, f"unknown key '{key}'{did_you_mean(key, model.model_fields)}") from None
        if details["type"] == "missing":
            raise Refused(422, f"the key '{key}' is missing") from None
        message = details["msg"][0].lower() + details["msg"][1:]
        raise Refused(422, f"{key}: {message}" if key else "expected a JSON object") from None
