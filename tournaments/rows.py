"""The games of a run as a published file, and the start of another run from it.

`games.csv.gz` has a line for each game, under the keys that identify its condition and its agent: whoever has the same
board source, size, rules, noise, seed, agent, parameters and versions has the same keys, and need not play the game
again.
"""

from __future__ import annotations

import csv
import gzip
import io
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from sweepstakes.errors import RunError
from sweepstakes.tournaments.games import COLUMNS, Games
from sweepstakes.tournaments.store import Store

FILE = "games.csv.gz"
HEAD = ["condition", "agent", "number", *COLUMNS]


def export_rows(games: Games, path: Path) -> None:
    """Write the games of the plan, without times and moves. The same games give the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(games.rows())
    path.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def import_rows(store: Store, directory: Path) -> int:
    """Take over the games that another run, or a published leaderboard, has of this plan; how many there were."""
    if (directory / "games.sqlite").is_file():
        rows = _from_run(directory / "games.sqlite")
    elif (directory / FILE).is_file():
        rows = read_rows(directory / FILE)
    else:
        raise RunError(f"{directory}: there is neither games.sqlite nor {FILE}")
    try:
        return store.adopt_rows(rows)
    except (sqlite3.DatabaseError, OSError, EOFError, ValueError) as error:
        raise RunError(f"{directory}: its games cannot be read: {error}") from None


def _from_run(path: Path) -> Iterator[list[str | int]]:
    db = sqlite3.connect(path)
    try:
        yield from db.execute(
            f"select c.key, a.key, g.number, {', '.join('g.' + column for column in COLUMNS)} from games g "
            "join conditions c on c.id = g.condition join agents a on a.id = g.agent where g.limits is null"
        )
    finally:
        db.close()


def read_rows(path: Path) -> Iterator[list[str | int]]:
    """The games of a published file: the keys of condition and agent, the number, the result."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        if next(reader, None) != HEAD:
            raise ValueError(f"expected the columns {', '.join(HEAD)}")
        for line in reader:
            condition, agent, number, ending, *counts, fault, measures = line
            yield [condition, agent, int(number), ending, *map(int, counts), fault, measures]
