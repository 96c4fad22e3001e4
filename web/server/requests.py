"""The bodies of the POST requests: a new game, or an action in a game."""

from __future__ import annotations

import re
import secrets
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sweepstakes.errors import did_you_mean
from sweepstakes.game.rng import LARGEST_SEED
from sweepstakes.game.rules import FirstClick, OnMine, Rules
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.spec import Spec
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.saved_game import SavedTurn

MAX_SIDE = 100
"""The largest number of rows, and of columns, of a game in the browser."""

R = TypeVar("R", bound=BaseModel)


class StrictRequest(BaseModel):
    """A JSON object with exactly the declared keys and types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _seed(value: Any) -> Any:
    """The number of a decimal text: a browser rounds numbers of more than 53 bits, and sends them as text."""
    if isinstance(value, str) and re.fullmatch("[0-9]{1,39}", value, re.ASCII):
        return int(value)
    if type(value) is int and value >= 1 << 53:
        raise ValueError("a number of more than 53 bits: expected its decimal text")
    return value


class SavedGame(StrictRequest):
    """What the browser kept of a game that the server no longer has."""

    turns: str
    """The turns so far, as words (see `saved_game.py`)."""
    undone: Annotated[int, Field(ge=0, lt=1 << 31)] = 0
    seconds: Annotated[float, Field(ge=0, le=1e9)] | None = None
    """The time on the clock of the game."""

    def saved_turns(self) -> list[SavedTurn]:
        """The turns; `ApiError` if one is not valid."""
        try:
            return [SavedTurn.parse(word) for word in self.turns.split()]
        except ValueError as error:
            raise ApiError(422, f"saved.turns: {error}") from None


class NewGame(StrictRequest):
    """The body of `POST /api/games`.

    The size is a preset, a text such as 16x16/40, or rows and cols with mines or a density. All other keys but `agent`
    have defaults. With `saved`, the game is played up to where the browser left it.
    """

    preset: str | None = None
    rows: Annotated[int, Field(ge=1, le=MAX_SIDE)] | None = None
    cols: Annotated[int, Field(ge=1, le=MAX_SIDE)] | None = None
    mines: Annotated[int, Field(ge=0)] | None = None
    density: Annotated[float, Field(ge=0, le=1)] | None = None
    seed: Annotated[int, BeforeValidator(_seed), Field(ge=0, le=LARGEST_SEED)] | None = None
    number: Annotated[int, Field(ge=0, lt=1 << 31)] = 0
    on_mine: OnMine = "continue"
    first_click: FirstClick = "opening"
    start: Annotated[int, Field(ge=0)] | None = None
    flood: bool = True
    source: Annotated[str, Field(max_length=80)] = "uniform"
    noise: Annotated[str, Field(max_length=80)] = "exact-clues"
    agent: Annotated[str, Field(max_length=80)]
    saved: SavedGame | None = None

    def setup(self) -> GameSetup:
        """The setup of the game, with a random seed if the body has none.

        Raises `ApiError` or `SweepstakesError` if no such game is possible.
        """
        size = self._size()
        start = divmod(self.start, size.cols) if self.start is not None else None
        rules = Rules.of(self.model_dump(include=set(Rules._fields)) | {"start": start})
        rules.check(size)
        seed = self.seed if self.seed is not None else secrets.randbelow(1_000_000)
        source = spec_by_name(self.source, "board source")
        return GameSetup(size, seed, self.number, rules, source, spec_by_name(self.noise, "noise"))

    def _size(self) -> Size:
        if self.preset is not None:
            size = Size.parse(self.preset)
            if max(size.rows, size.cols) > MAX_SIDE:
                raise ApiError(422, f"a board of {size}: expected at most {MAX_SIDE} rows and columns")
            return size
        if self.rows is None or self.cols is None:
            raise ApiError(422, "expected a preset, or rows and cols")
        return Size.of(self.rows, self.cols, mines=self.mines, density=self.density)


def spec_by_name(text: str, kind: str) -> Spec:
    """Parse a spec; raise `ApiError` for a program and a file: the server loads only the files of `--plugin`."""
    spec = Spec.parse(text)
    if spec.file or spec.words:
        raise ApiError(422, f"expected the {kind} by name: start the server with --plugin FILE to add plugins")
    return spec


class Action(StrictRequest):
    """The body of an action that takes no other arguments."""

    version: Annotated[int, Field(ge=0)] | None = None
    """The `version` of the state that the page shows: the game may have gone on in another tab since."""


class Move(Action):
    """The body of `POST /api/games/{id}/moves`: open a cell, set or remove its flag, or open all cells around its clue.

    The cell is a flat index.
    """

    action: Literal["open", "flag", "chord"]
    cell: Annotated[int, Field(ge=0)]
    hints: bool = False
    """Whether hints were on when the person clicked."""
    odds: bool = False
    """Whether mine probabilities were on when the person clicked."""


class Adviser(StrictRequest):
    """The body of `POST /api/games/{id}/adviser`: the agent that gives the hints from now on."""

    agent: Annotated[str, Field(max_length=80)]


def parse_body(model: type[R], data: Any) -> R:
    """Validate the JSON of a request body; raise `ApiError` with the first error in it."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        details = error.errors()[0]
        key = ".".join(map(str, details["loc"]))
        if details["type"] == "extra_forbidden":
            raise ApiError(422, f"unknown key '{key}'{did_you_mean(key, model.model_fields)}") from None
        if details["type"] == "missing":
            raise ApiError(422, f"the key '{key}' is missing") from None
        message = details["msg"][0].lower() + details["msg"][1:]
        raise ApiError(422, f"{key}: {message}" if key else "expected a JSON object") from None
