"""The games of a run as a published file, and the start of another run from it.

`games.csv.gz` has a line for each game, under the keys that identify its condition and its agent: whoever has the same
board source, size, rules, noise, seed, agent, parameters and versions has the same keys, and need not play the game
again.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from sweepstakes.errors import RunError
from sweepstakes.text import clean
from sweepstakes.tournaments import database
from sweepstakes.tournaments.database import told
from sweepstakes.tournaments.games import COLUMNS, Games
from sweepstakes.tournaments.keys import read_keys
from sweepstakes.tournaments.store import Doubt, Store

FILE = "games.csv.gz"
HEAD = ["condition", "agent", "number", *COLUMNS]
LONGEST_LINE = 1 << 16
"""Characters in a line of the file."""
_NUMBER = re.compile("-?[0-9]{1,18}", re.ASCII)


def export_rows(games: Games, path: Path) -> None:
    """Write the games of the plan, without times and moves. The same games give the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(games.rows())
    with told(path, "written"):
        path.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def import_rows(store: Store, directory: Path, doubt: Doubt | None = None) -> int:
    """Take over the games that another run, or a published leaderboard, has of this plan; how many there were.

    `RunError`, and nothing is taken over, if the games cannot be read, or cannot be, or `doubt` says so of a sample.
    """
    played, published = directory / database.FILE, directory / FILE
    if played.is_file():
        return store.adopt_rows(_from_run(played), played, doubt)
    if not published.is_file():
        raise RunError(f"{directory}: there is neither {database.FILE} nor {FILE}")
    read_keys(directory)
    return store.adopt_rows(read_rows(published), published, doubt)


def _from_run(path: Path) -> Iterator[tuple[Any, ...]]:
    db = database.read_only(path)
    try:
        with told(path):
            yield from db.execute(
                f"select c.key, a.key, g.number, {', '.join('g.' + column for column in COLUMNS)} from games g "
                "join conditions c on c.id = g.condition join agents a on a.id = g.agent where g.limits is null"
            )
    finally:
        db.close()


def read_rows(path: Path) -> Iterator[list[str | int]]:
    """The games of a published file: the keys of condition and agent, the number, the result.

    `RunError` names the line that is none.
    """
    number = 0
    with told(path), gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        try:
            for number, line in enumerate(csv.reader(_lines(file)), 1):
                if number == 1:
                    if line != HEAD:
                        raise ValueError(f"expected the columns {', '.join(HEAD)}")
                    continue
                yield _row(line)
            if not number:
                raise ValueError("there is nothing in it")
        except (EOFError, gzip.BadGzipFile, zlib.error, csv.Error, ValueError) as error:
            what = clean(str(error), 250)
            raise RunError(f"{path}: after line {number}: {what}; put a sound copy in its place") from None


def _lines(file: TextIO) -> Iterator[str]:
    """The lines; `ValueError` for one that is longer than any that was published."""
    while line := file.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise ValueError(f"a line of more than {LONGEST_LINE:,} characters")
        yield line


def _row(line: list[str]) -> list[str | int]:
    if len(line) != len(HEAD):
        raise ValueError(f"{len(line)} fields, expected {len(HEAD)}")
    condition, agent, number, ending, *counts, fault, measures = line
    for text in (number, *counts):
        if not _NUMBER.fullmatch(text):
            raise ValueError(f"{clean(text, 30)!r}, expected a whole number")
    return [condition, agent, int(number), ending, *map(int, counts), fault, measures]
