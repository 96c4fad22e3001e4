"""The agents and conditions of a run or a publication, read from its database."""

from __future__ import annotations

import json
from typing import Any

from sweepstakes.errors import PositionError, RunError, SweepstakesError
from sweepstakes.game.size import Size
from sweepstakes.game.view import read_options
from sweepstakes.registry.spec import Spec
from sweepstakes.tournaments.plan import Condition, Entry
from sweepstakes.tournaments.storage.database import SOUND_COPY, Database
from sweepstakes.untrusted.text import clean


def stored_agents(games: Database) -> tuple[Entry, ...]:
    """The agents of the tournament as it was last played, in its order."""
    found: dict[Any, Entry] = {}
    for key, label, name, text, version in games.query(
        "select key, label, name, parameters, version from agents order by id"
    ):
        try:
            parameters = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            parameters = None
        if not (all(type(part) is str for part in (label, name, version)) and isinstance(parameters, dict)):
            what = "damaged: an agent is not called by texts, or its parameters are none"
            raise RunError(f"{games.file}: {what}; {SOUND_COPY}")
        found[key] = Entry(label, Spec(name, parameters), version)
    for (text,) in games.query("select value from meta where key = 'agents'"):
        try:
            keys = json.loads(text)
            return tuple(found[key] for key in keys)
        except (TypeError, ValueError, LookupError, RecursionError):
            what = "damaged: the list of agents names others than there are"
            raise RunError(f"{games.file}: {what}; {SOUND_COPY}") from None
    return tuple(found.values())


def stored_conditions(games: Database) -> dict[str, Condition]:
    """The conditions that have been played, by label, as they were stored."""
    columns = "label, seed, rows, cols, mines, rules, source, source_version, noise, noise_version"
    found = {}
    for label, seed, rows, cols, mines, rules, *texts in games.query(f"select {columns} from conditions order by id"):
        try:
            if type(seed) is not int or not all(type(text) is str for text in (label, rules, *texts)):
                raise PositionError("it is not called by texts, or has no seed")
            source, source_version, noise, noise_version = texts
            size = Size.of(rows, cols, mines=mines)
            found[label] = Condition(
                label, size, None, read_options(rules)[0], Spec.parse(source), source_version, Spec.parse(noise),
                noise_version, seed,
            )  # fmt: skip
            found[label].rules.check(size)
        except SweepstakesError as error:
            what = f"damaged: condition '{clean(str(label), 60)}': {clean(str(error), 100)}"
            raise RunError(f"{games.file}: {what}; {SOUND_COPY}") from None
    return found
