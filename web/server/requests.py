"""The bodies of POST requests: what they have in common, and how they are validated."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sweepstakes.errors import did_you_mean, expectation
from sweepstakes.game.rng import LARGEST_SEED
from sweepstakes.game.rules import FirstClick, OnMine, Rules
from sweepstakes.game.setup import EXACT_CLUES, UNIFORM, GameSetup
from sweepstakes.game.size import Size
from sweepstakes.spec import Spec
from sweepstakes.web.server.api_error import ApiError

MAX_SIDE = 100
"""The largest number of rows, and of columns, of a game in the browser."""

R = TypeVar("R", bound=BaseModel)


class StrictRequest(BaseModel):
    """A JSON object with exactly the declared keys and types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _seed(value: Any) -> Any:
    """Return the number in a decimal text. Browsers round numbers of more than 53 bits, so they send them as text."""
    if isinstance(value, str) and re.fullmatch("[0-9]{1,39}", value, re.ASCII):
        return int(value)
    if type(value) is int and value >= 1 << 53:
        raise ValueError("a number of more than 53 bits: expected its decimal text")
    return value


class BoardSetup(StrictRequest):
    """Size, rules, noise and board of a game. The defaults are those of a position without a game."""

    rows: Annotated[int, Field(ge=1, le=MAX_SIDE)]
    cols: Annotated[int, Field(ge=1, le=MAX_SIDE)]
    mines: Annotated[int, Field(ge=0)]
    seed: Annotated[int, BeforeValidator(_seed), Field(ge=0, le=LARGEST_SEED)] = 0
    number: Annotated[int, Field(ge=0, lt=1 << 31)] = 0
    on_mine: OnMine = "end"
    first_click: FirstClick = "any"
    start: Annotated[int, Field(ge=0)] | None = None
    flood: bool = True
    source: Annotated[str, Field(max_length=80)] = UNIFORM.name
    noise: Annotated[str, Field(max_length=80)] = EXACT_CLUES.name

    def setup(self) -> GameSetup:
        """Return the setup of the game. Raise `ApiError` or `SweepstakesError` if no such game is possible."""
        size = Size.of(self.rows, self.cols, mines=self.mines)
        start = divmod(self.start, size.cols) if self.start is not None else None
        rules = Rules.of(self.model_dump(include=set(Rules._fields)) | {"start": start})
        source = spec_by_name(self.source, "board source")
        return GameSetup(size, self.seed, self.number, rules, source, spec_by_name(self.noise, "noise"))


def spec_by_name(text: str, kind: str) -> Spec:
    """Parse a spec. Raise `ApiError` for a program or a file, since the server loads only the files of `--plugin`."""
    spec = Spec.parse(text)
    if spec.file or spec.words:
        raise ApiError(422, f"expected the {kind} by name: start the server with --plugin FILE to add plugins")
    return spec


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
        raise ApiError(422, f"{key}: {expectation(details['msg'])}" if key else "expected a JSON object") from None
