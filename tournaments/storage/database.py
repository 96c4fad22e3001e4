"""The SQLite database of a run: its schema, how it is opened, and the messages for its errors."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from sweepstakes.errors import RunError
from sweepstakes.game.result import COLUMNS
from sweepstakes.tournaments.storage.migrations import DEFAULTS, PACKED, check_format, column_sql, fill_in
from sweepstakes.untrusted.os_errors import NO_ROOM, in_words
from sweepstakes.untrusted.plain_data import MAX_INTEGER
from sweepstakes.untrusted.text import clean

FILE = "games.sqlite"
SCHEMA = f"""
create table if not exists meta (key text primary key, value text not null);
create table if not exists agents (
    id integer primary key, key text not null unique, label text not null unique,
    name text not null, parameters text not null, version text not null);
create table if not exists conditions (
    id integer primary key, key text not null unique, label text not null, seed not null,
    rows integer not null, cols integer not null, mines integer not null, rules text not null,
    source text not null, source_version text not null, noise text not null, noise_version text not null);
create table if not exists games (
    condition integer not null references conditions (id), agent integer not null references agents (id),
    number integer not null, {", ".join(map(column_sql, COLUMNS))},
    seconds real, moves blob, limits text, primary key (condition, agent, number)) without rowid;
{PACKED};
"""
TABLES = ("meta", "agents", "conditions", "games")
SOUND_COPY = "replace it by an intact copy, or move it away to start from scratch"
"""The advice in a message about a damaged file."""


@contextmanager
def run_errors(path: Path, action: str = "read") -> Iterator[None]:
    """Turn errors of SQLite and of the operating system in this block into a `RunError` of one line.

    `action` is what the block does with the file: `read` or `written`.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise RunError(_describe(error, path, action)) from None
    except OSError as error:
        raise RunError(in_words(error, path, action)) from None
    except UnicodeDecodeError:
        if path.name != FILE:
            raise
        raise RunError(f"{path}: damaged: the error message of SQLite is not text; {SOUND_COPY}") from None


class Database(Protocol):
    """A read-only database with the games of a run; queries may come from any thread."""

    file: Path
    """The file that error messages name."""

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a query and return its rows. Raise `RunError` if the database is damaged."""

    def close(self) -> None:
        """Close the database."""


class OnDisk:
    """The database of a run on disk, which another process may be writing. Raises `RunError` if it is not a database.

    Each query opens a connection of its own: between two queries a run may start or resume.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        with run_errors(file), closing(self._connect()) as db:
            check_form(db, file)

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a query on the current state of the file and yield its rows."""
        with run_errors(self.file), closing(self._connect()) as db:
            for row in db.execute(sql, parameters):  # noqa: UP028 - `yield from` would close the cursor after the connection
                yield row

    def close(self) -> None:
        """Nothing to close: no connection is open between two queries."""

    def _connect(self) -> sqlite3.Connection:
        """Return a read-only connection that adds the columns an earlier format lacks.

        It creates no file next to the database unless another process is writing.
        """
        busy = self.file.with_name(self.file.name + "-wal").exists()
        how = "mode=ro" if busy else "mode=ro&immutable=1"
        db = sqlite3.connect(f"{self.file.resolve().as_uri()}?{how}", uri=True)
        try:
            fill_in(db)
        except sqlite3.Error:
            db.close()
            raise
        return db


class InMemory:
    """A database in memory, read from a publication."""

    def __init__(self, file: Path, db: sqlite3.Connection) -> None:
        self.file = file
        self._db = db
        self._lock = threading.Lock()

    @staticmethod
    def connect() -> sqlite3.Connection:
        """Connect to a new database in memory, with empty tables."""
        db = sqlite3.connect(":memory:", check_same_thread=False)
        db.executescript(SCHEMA)
        return db

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a query, one at a time, and return its rows."""
        with self._lock, run_errors(self.file):
            return iter(self._db.execute(sql, parameters).fetchall())

    def close(self) -> None:
        """Close the connection, which discards the database."""
        self._db.close()


def insert_games(*more: str, how: str = "insert") -> str:
    """Return the SQL that inserts a game: condition id, agent id, board number, columns of a result, and `more`."""
    names = ("condition", "agent", "number", *COLUMNS, *more)
    return f"{how} into games ({', '.join(names)}) values ({','.join('?' * len(names))})"


def insert(db: sqlite3.Connection, table: str, row: Mapping[str, Any], how: str = "insert") -> None:
    """Insert a row by the names of its columns. An integer of more than 64 bits is stored as its decimal text."""
    names = ", ".join(row)
    values = {name: str(value) if type(value) is int and value > MAX_INTEGER else value for name, value in row.items()}
    db.execute(f"{how} into {table} ({names}) values ({', '.join(':' + name for name in row)})", values)


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    """Set a value of the table `meta`."""
    insert(db, "meta", {"key": key, "value": value}, "insert or replace")


def check_form(db: sqlite3.Connection, path: Path) -> None:
    """Raise `RunError` if the format is one that this version cannot read, or if a column is missing."""
    stored = _columns_of(db)
    if "meta" in stored:
        found = db.execute("select value from meta where key = 'format'").fetchone()
        check_format(found[0] if found else "nothing", path.parent)
    for table, columns in _expected().items():
        if lacking := columns - stored.get(table, set()) - DEFAULTS.keys():
            what = f"the table '{table}' has no column '{min(lacking)}'" if table in stored else f"no table '{table}'"
            raise RunError(f"{path}: damaged: {what}; {SOUND_COPY}")


def _columns_of(db: sqlite3.Connection) -> dict[str, set[str]]:
    found = {table: {row[1] for row in db.execute(f"pragma main.table_info({table})")} for table in TABLES}
    return {table: columns for table, columns in found.items() if columns}


@cache
def _expected() -> dict[str, set[str]]:
    db = sqlite3.connect(":memory:")
    db.executescript(SCHEMA)
    columns = _columns_of(db)
    db.close()
    return columns


def _describe(error: sqlite3.Error, path: Path, action: str) -> str:
    """Describe an error of SQLite in one line, with a remedy. Never call an intact file damaged."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # the primary error code
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _no_room_at(path)):
        return f"{path}: cannot be written: {NO_ROOM}"
    text = clean(str(error), 100)
    if code == sqlite3.SQLITE_IOERR:
        what = "the disk may be full, or the file larger than allowed; nothing finished is lost"
        return f"{path}: cannot be {action}: {text}: {what}: solve this and run the same command again"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"{path}: cannot be {action}: another process is using it: try again when that has ended"
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        refused = _refusal(path, os.O_RDONLY if action == "read" else os.O_RDWR)
        return in_words(refused, path, action) if refused else f"{path}: cannot be {action}: {text}"
    return f"{path}: damaged: {text}; {SOUND_COPY}"


def _no_room_at(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < 1 << 20
    except OSError:
        return False


def _refusal(path: Path, how: int) -> OSError | None:
    """Return the operating system's error for opening the file, or None. SQLite does not pass this error on.

    The file is opened four times, because SQLite has that many files open at once.
    """
    with ExitStack() as handles:
        try:
            for _ in range(4):
                handles.callback(os.close, os.open(path, how))
        except OSError as error:
            return error
    return None
