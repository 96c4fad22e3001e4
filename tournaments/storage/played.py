"""What a run, or a publication, says of the agents and conditions that were played."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sweepstakes.errors import PositionError, RunError, SweepstakesError
from sweepstakes.game.size import Size
from sweepstakes.game.view import read_options
from sweepstakes.registry.spec import Spec
from sweepstakes.tournaments.plan import Condition, Entry
from sweepstakes.tournaments.storage import database
from sweepstakes.tournaments.storage.database import SOUND_COPY, Database, InMemory
from sweepstakes.tournaments.storage.keys import KEYS, read_keys
from sweepstakes.tournaments.storage.published_games import FILE, read_rows
from sweepstakes.untrusted.text import clean


def played_agents(games: Database) -> tuple[Entry, ...]:
    """The agents of the tournament as it was last played, in its order."""
    found: dict[Any, Entry] = {}
    for key, label, name, text, version in games.ask(
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
    for (text,) in games.ask("select value from meta where key = 'agents'"):
        try:
            keys = json.loads(text)
            return tuple(found[key] for key in keys)
        except (TypeError, ValueError, LookupError, RecursionError):
            what = "damaged: the list of agents names others than there are"
            raise RunError(f"{games.file}: {what}; {SOUND_COPY}") from None
    return tuple(found.values())


def played_conditions(games: Database) -> dict[str, Condition]:
    """The conditions that have been played, by label, as they were stored."""
    columns = "label, seed, rows, cols, mines, rules, source, source_version, noise, noise_version"
    found = {}
    for label, seed, rows, cols, mines, rules, *texts in games.ask(f"select {columns} from conditions order by id"):
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


def from_published(directory: Path) -> sqlite3.Connection:
    """The published games as a database in memory."""
    known = read_keys(directory)
    db = InMemory.connect()
    conditions = {key: i for i, key in enumerate(known.conditions, 1)}
    agents = {key: i for i, key in enumerate(known.agents, 1)}

    def identified() -> Iterator[tuple[Any, ...]]:
        for condition, agent, *row in read_rows(directory / FILE):
            if condition not in conditions or agent not in agents:
                raise RunError(f"{directory / FILE}: a game under a key that {KEYS} does not have; {SOUND_COPY}")
            yield (conditions[condition], agents[agent], *row)

    try:
        for key, c in known.conditions.items():
            database.insert(db, "conditions", {"key": key, **c.model_dump()})
        for key, a in known.agents.items():
            database.insert(db, "agents", {"key": key, **a.model_dump(), "parameters": json.dumps(a.parameters)})
        db.executemany(database.insert_games(), identified())
    except sqlite3.IntegrityError as error:
        db.close()
        raise RunError(f"{directory / FILE}: a game or a label stands there twice ({error}); {SOUND_COPY}") from None
    except BaseException:
        db.close()
        raise
    return db
