"""The formats of run directories and publications, and the steps from each to the next.

Columns are read by name. A column that a file lacks has the default of its field of `GameResult`. A column that this
version does not know is ignored. So a file of an earlier format is read as it is. A run directory is upgraded to the
current format when it is written to, in the transaction that begins the run, by the steps below and by adding the
missing columns.

To add a column, add a field with a default to `GameResult`, raise `FORMAT` and list the format in `STEPS`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sweepstakes.errors import RunError
from sweepstakes.game.result import COLUMNS, GameResult
from sweepstakes.untrusted.text import clean

FORMAT = 5
"""The format that is written. Increase it whenever the same game would be stored differently."""
OLDEST = 3
"""The oldest format that can be read."""
_FORMAT_3 = (
    *("ending", "opened", "right_flags", "wrong_flags", "detonated", "turns", "cells_clicked", "guesses", "fallbacks"),
    *("fault", "measures"),
)
"""The columns of a result in every file."""
DEFAULTS: Mapping[str, Any] = {name: GameResult._field_defaults[name] for name in COLUMNS if name not in _FORMAT_3}
"""The columns of a result added after format 3, each with its value in a file that lacks it."""
PACKED = """create table if not exists packed (
    id integer primary key, condition integer not null, agent integer not null,
    first integer not null, last integer not null, step integer not null,
    head text not null, data blob not null, limits text);
create index if not exists packed_games on packed (condition, agent, first)"""
"""The table of packed blocks."""
STEPS: Mapping[int, Sequence[str]] = {4: (), 5: PACKED.split(";")}  # 4: `clicks` and `three_bv`; 5: packed blocks
"""The SQL that upgrades a run to this format from the one before, besides adding the new columns."""


def check_format(found: object, directory: Path) -> int:
    """Return the format of a directory. Raise `RunError` if this version cannot read it."""
    number = int(found) if isinstance(found, str) and found.isdecimal() and len(found) < 10 else found
    if type(number) is int and OLDEST <= number <= FORMAT:
        return number
    reads = f"format {FORMAT}" if OLDEST == FORMAT else f"formats {OLDEST} to {FORMAT}"
    what = f"{directory}: written in format {clean(str(found), 20)}, this version reads {reads}"
    if type(number) is int and number > FORMAT:
        raise RunError(f"{what}: install a newer version of sweepstakes")
    raise RunError(f"{what}: play the tournament again, in another directory")


def column_sql(name: str) -> str:
    """Return the definition of a column of a result in SQL. A column added later has its default."""
    definition = f"{name} {COLUMNS[name]}"
    if name not in DEFAULTS:
        return f"{definition} not null"
    return definition if DEFAULTS[name] is None else f"{definition} not null default {_literal(DEFAULTS[name])}"


def missing_columns(db: sqlite3.Connection) -> list[str]:
    """Return the columns of a result that the table `games` lacks and that have a default."""
    found = {row[1] for row in db.execute("pragma main.table_info(games)")}
    return [name for name in DEFAULTS if name not in found]


def fill_in(db: sqlite3.Connection) -> None:
    """Add the missing columns and the missing table for this connection only. The file is not changed."""
    if db.execute("select 1 from sqlite_master where name = 'packed'").fetchone() is None:
        db.execute("pragma temp_store = memory")
        db.execute(PACKED.split(";")[0].replace("create table", "create temp table"))
    if missing := missing_columns(db):
        added = ", ".join(f"{_literal(DEFAULTS[name])} as {name}" for name in missing)
        db.execute("pragma temp_store = memory")
        db.execute(f"create temp view games as select *, {added} from main.games")


def upgrade(db: sqlite3.Connection) -> None:
    """Upgrade a run to the current format. Call this in a transaction, after checking the format."""
    ((found,),) = db.execute("select value from meta where key = 'format'")
    for number, statements in STEPS.items():
        for statement in statements if number > int(found) else ():
            db.execute(statement)
    for name in missing_columns(db):
        db.execute(f"alter table games add column {column_sql(name)}")
    db.execute("update meta set value = ? where key = 'format'", [str(FORMAT)])


def _literal(value: Any) -> str:
    """Return a default in SQL."""
    return "null" if value is None else f"'{value}'" if isinstance(value, str) else repr(value)
