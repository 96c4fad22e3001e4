"""A publication as a database: `keys.json` and `games.csv.gz`, read into the tables of a run."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sweepstakes.errors import RunError
from sweepstakes.tournaments.resolve.known_files import FILE_LISTS, MAX_LISTS, META
from sweepstakes.tournaments.storage import database
from sweepstakes.tournaments.storage.database import SOUND_COPY, InMemory
from sweepstakes.tournaments.storage.packed import store_block
from sweepstakes.tournaments.storage.publication_keys import KEYS, read_keys
from sweepstakes.tournaments.storage.published_games import FILE, read_rows
from sweepstakes.tournaments.storage.published_packed import FILE as PACKED
from sweepstakes.tournaments.storage.published_packed import read_packed_lines
from sweepstakes.untrusted.files import is_file, read_file


def load_publication(directory: Path) -> sqlite3.Connection:
    """Read a publication into a new SQLite database in memory."""
    keys = read_keys(directory)
    db = InMemory.connect()
    conditions = {key: i for i, key in enumerate(keys.conditions, 1)}
    agents = {key: i for i, key in enumerate(keys.agents, 1)}

    def with_ids() -> Iterator[tuple[Any, ...]]:
        for condition, agent, *row in read_rows(directory / FILE):
            if condition not in conditions or agent not in agents:
                raise RunError(f"{directory / FILE}: a game under a key that {KEYS} does not have; {SOUND_COPY}")
            yield (conditions[condition], agents[agent], *row)

    try:
        for key, condition in keys.conditions.items():
            database.insert(db, "conditions", {"key": key, **condition.model_dump()})
        for key, agent in keys.agents.items():
            parameters = json.dumps(agent.parameters)
            database.insert(db, "agents", {"key": key, **agent.model_dump(), "parameters": parameters})
        if is_file(directory / FILE_LISTS):
            text = read_file(directory / FILE_LISTS, MAX_LISTS, RunError).decode("utf-8", "replace")
            database.insert(db, "meta", {"key": META, "value": text})
        db.executemany(database.insert_games(), with_ids())
        for *pair, block in read_packed_lines(directory / PACKED) if is_file(directory / PACKED) else ():
            if pair[0] not in conditions or pair[1] not in agents:
                raise RunError(f"{directory / PACKED}: a block under a key that {KEYS} does not have; {SOUND_COPY}")
            store_block(db, [conditions[pair[0]], agents[pair[1]]], block, None)
    except sqlite3.IntegrityError as error:
        db.close()
        raise RunError(f"{directory / FILE}: a game or a label appears twice ({error}); {SOUND_COPY}") from None
    except BaseException:
        db.close()
        raise
    return db
