"""Keeps transcripts in a table of their own, separate from the table `games`.

The table is created for the first transcript, so a run without language models keeps the same bytes. The table is not
part of the format: versions that do not know it ignore it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from sweepstakes.errors import RunError
from sweepstakes.executor import Fixture
from sweepstakes.game.transcript import read_transcript
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.untrusted.text import clean

_TABLE = """create table if not exists transcripts (
    condition integer not null, agent integer not null, number integer not null, texts blob not null,
    primary key (condition, agent, number)) without rowid"""
_EXISTS = "select 1 from sqlite_master where type = 'table' and name = 'transcripts'"
_FIND = "select texts from transcripts where condition = ? and agent = ? and number = ?"


def keep_transcripts(db: sqlite3.Connection, games: Iterable[tuple[Sequence[Any], bytes | None]]) -> None:
    """Store the packed transcripts of games, in the transaction that stores the games.

    A game is named by its condition, agent and number in the database. A game without a transcript loses its old one.
    """
    exists = db.execute(_EXISTS).fetchone() is not None
    for game, packed in games:
        if packed is not None:
            if not exists:
                db.execute(_TABLE)
                exists = True
            db.execute("insert or replace into transcripts values (?, ?, ?, ?)", [*game, packed])
        elif exists:
            db.execute("delete from transcripts where condition = ? and agent = ? and number = ?", list(game))


def packed_transcript(run: RunReader, fixture: Fixture) -> Any:
    """Return the packed transcript of a game, unchecked, or None."""
    if not list(run.query(_EXISTS)):
        return None
    game = [*run.block(fixture.condition, fixture.agent), fixture.number]
    return next((packed for (packed,) in run.query(_FIND, game)), None)


def transcript_of(run: RunReader, fixture: Fixture) -> list[str]:
    """Return a text for each turn of a game, or [] if none were kept. Raise `RunError` if they are damaged."""
    packed = packed_transcript(run, fixture)
    try:
        return [] if packed is None else read_transcript(packed)
    except ValueError as error:
        raise RunError(f"{run.file}: game {clean(run.name(fixture), 80)}: {error}") from None
