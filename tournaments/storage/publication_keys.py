"""`keys.json` of a publication: the conditions and agents that the keys in `games.csv.gz` identify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sweepstakes.errors import RunError
from sweepstakes.game.rng import LARGEST_SEED
from sweepstakes.game.size import MAX_SIDE
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.migrations import FORMAT, check_format
from sweepstakes.untrusted.text import clean

KEYS = "keys.json"
_Text = Annotated[str, Field(max_length=1000)]
_Side = Annotated[int, Field(ge=1, le=MAX_SIDE)]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class KnownCondition(_Model):
    """A published condition."""

    label: _Text
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)]
    rows: _Side
    cols: _Side
    mines: Annotated[int, Field(ge=0, le=MAX_SIDE**2)]
    rules: _Text
    source: _Text
    source_version: _Text
    noise: _Text
    noise_version: _Text


class KnownAgent(_Model):
    """A published agent."""

    label: _Text
    name: _Text
    parameters: dict[str, Any]
    version: _Text


class Keys(_Model):
    """The conditions and agents of a publication, by key."""

    format: int
    conditions: dict[_Text, KnownCondition]
    agents: dict[_Text, KnownAgent]


def keys(plan: Plan, form: int = FORMAT) -> dict[str, Any]:
    """Return the keys of the plan's conditions and agents as plain data.

    `form` is the format of the published games.
    """
    return {
        "format": form,
        "conditions": {condition.key: condition.plain() for condition in plan.conditions},
        "agents": {entry.key: entry.plain() for entry in plan.entries},
    }


def read_keys(directory: Path) -> Keys:
    """Read the keys of a publication. Raise `RunError` if the file is damaged or of another format."""
    path = directory / KEYS
    try:
        with run_errors(path):
            data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict):
            check_format(data.get("format", 1), directory)
        return Keys.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = clean(".".join(map(str, first["loc"])), 100) or "the whole"
        what = f"{place}: {clean(first['msg'], 100)}"
    except (ValueError, RecursionError) as error:
        what = f"not JSON: {clean(str(error), 100)}"
    raise RunError(f"{path}: {what}; replace it by an intact copy")
