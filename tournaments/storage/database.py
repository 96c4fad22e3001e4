"""The SQLite file of a run: how it is opened, which form it has, and what is said when it is damaged."""

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
from sweepstakes.untrusted.os_errors import NO_ROOM, in_words
from sweepstakes.untrusted.text import clean

FORMAT = 3
"""Of run directories and of publications. Raised whenever the same game would be stored otherwise, or be another."""
FILE = "games.sqlite"
SCHEMA = f"""
create table if not exists meta (key text primary key, value text not null);
create table if not exists agents (
    id integer primary key, key text not null unique, label text not null unique,
    name text not null, parameters text not null, version text not null);
create table if not exists conditions (
    id integer primary key, key text not null unique, label text not null, seed integer not null,
    rows integer not null, cols integer not null, mines integer not null, rules text not null,
    source text not null, source_version text not null, noise text not null, noise_version text not null);
create table if not exists games (
    condition integer not null references conditions (id), agent integer not null references agents (id),
    number integer not null, {", ".join(f"{name} {kind} not null" for name, kind in COLUMNS.items())},
    seconds real, moves blob, limits text, primary key (condition, agent, number)) without rowid;
"""
TABLES = ("meta", "agents", "conditions", "games")
SOUND_COPY = "put a sound copy in its place, or move it away to begin anew"
"""What to do about a file that is damaged."""


@contextmanager
def run_errors(path: Path, action: str = "read") -> Iterator[None]:
    """Whatever goes wrong with a file of a run in this block becomes a `RunError` of one line.

    `action` is what was to be done with the file: `read` or `written`.
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
        raise RunError(f"{path}: damaged: what SQLite says of it is no text; {SOUND_COPY}") from None


class Database(Protocol):
    """The games of a run, to be asked in SQL, from any thread."""

    file: Path
    """What messages call it."""

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows that answer a question; `RunError` if the database is damaged."""

    def close(self) -> None:
        """Let go of it."""


class OnDisk:
    """The database of a run, also while it is being written, or where nothing can be; `RunError` if it is none.

    It is opened for each question anew: the run may begin or go on in the meantime.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        with run_errors(file), closing(self._connect()) as db:
            check_form(db, file)

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows as they stand there now."""
        with run_errors(self.file), closing(self._connect()) as db:
            for row in db.execute(sql, parameters):  # noqa: UP028 - that would close it, after the database
                yield row

    def close(self) -> None:
        """Nothing is open between two questions."""

    def _connect(self) -> sqlite3.Connection:
        """A connection that cannot write, and leaves no file beside the database unless somebody writes there."""
        busy = self.file.with_name(self.file.name + "-wal").exists()
        how = "mode=ro" if busy else "mode=ro&immutable=1"
        return sqlite3.connect(f"{self.file.resolve().as_uri()}?{how}", uri=True)


class InMemory:
    """A database that was made from another file."""

    def __init__(self, file: Path, db: sqlite3.Connection) -> None:
        self.file = file
        self._db = db
        self._lock = threading.Lock()

    @staticmethod
    def connect() -> sqlite3.Connection:
        """A new one, with empty tables."""
        db = sqlite3.connect(":memory:", check_same_thread=False)
        db.executescript(SCHEMA)
        return db

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows, one question at a time."""
        with self._lock, run_errors(self.file):
            return iter(self._db.execute(sql, parameters).fetchall())

    def close(self) -> None:
        """Forget it."""
        self._db.close()


def insert_games(*more: str, how: str = "insert") -> str:
    """SQL for the ids of condition and agent, the number of the board, the columns of a result, and `more`."""
    names = ("condition", "agent", "number", *COLUMNS, *more)
    return f"{how} into games ({', '.join(names)}) values ({','.join('?' * len(names))})"


def insert(db: sqlite3.Connection, table: str, row: Mapping[str, Any], how: str = "insert") -> None:
    """Insert a row by the names of its columns."""
    names = ", ".join(row)
    db.execute(f"{how} into {table} ({names}) values ({', '.join(':' + name for name in row)})", row)


def check_form(db: sqlite3.Connection, path: Path) -> None:
    """`RunError` if the tables are not those of this version."""
    if "meta" in _columns_of(db):
        found = db.execute("select value from meta where key = 'format'").fetchone()
        check_format(found[0] if found else "nothing", path.parent)
    for table, columns in _expected().items():
        if _columns_of(db).get(table) != columns:
            raise RunError(f"{path}: damaged: the table '{table}' is not there, or has other columns; {SOUND_COPY}")


def check_format(found: object, directory: Path) -> None:
    """`RunError` if a directory was written in another format."""
    if found not in (FORMAT, str(FORMAT)) or isinstance(found, bool):
        raise RunError(
            f"{directory}: written in format {clean(str(found), 20)}, this version reads and writes format {FORMAT}: "
            "play the tournament again, in another directory"
        )


def _columns_of(db: sqlite3.Connection) -> dict[str, list[str]]:
    found = {table: [row[1] for row in db.execute(f"pragma table_info({table})")] for table in TABLES}
    return {table: columns for table, columns in found.items() if columns}


@cache
def _expected() -> dict[str, list[str]]:
    db = sqlite3.connect(":memory:")
    db.executescript(SCHEMA)
    columns = _columns_of(db)
    db.close()
    return columns


def _describe(error: sqlite3.Error, path: Path, action: str) -> str:
    """A line on what SQLite says, which names the remedy. A sound file is never called damaged."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # what follows is a detail
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _no_room_at(path)):
        return f"{path}: cannot be written: {NO_ROOM}"
    text = clean(str(error), 100)
    if code == sqlite3.SQLITE_IOERR:
        what = "the disk may be full, or the file larger than allowed; nothing finished is lost"
        return f"{path}: cannot be {action}: {text}: {what}: see to it and give the same command again"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"{path}: cannot be {action}: another process is at it: try again when that has ended"
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
    """What the system says when the file is opened: SQLite does not pass it on. It opens up to four at once."""
    with ExitStack() as opened:
        try:
            for _ in range(4):
                opened.callback(os.close, os.open(path, how))
        except OSError as error:
            return error
    return None
