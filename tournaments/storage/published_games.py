"""The games of a run as a published file.

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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from sweepstakes.errors import RunError
from sweepstakes.game.result import COLUMNS
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.untrusted.text import clean

FILE = "games.csv.gz"
HEAD = ["condition", "agent", "number", *COLUMNS]
LONGEST_LINE = 1 << 16
"""Characters in a line of the file."""
_WHOLE = [place for place, name in enumerate(HEAD) if name == "number" or COLUMNS.get(name) == "integer"]
"""Which fields are numbers."""
_NUMBER = re.compile("-?[0-9]{1,18}", re.ASCII)


def write_rows(rows: Iterable[Sequence[Any]], path: Path) -> None:
    """Write games, without times and moves. The same games give the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(rows)
    with run_errors(path, "written"):
        path.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def read_rows(path: Path) -> Iterator[list[str | int]]:
    """The games of a published file: the keys of condition and agent, the number, the result.

    `RunError` names the line that is none.
    """
    number = 0
    with run_errors(path), gzip.open(path, "rt", encoding="utf-8", newline="") as file:
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
    row: list[str | int] = list(line)
    for place in _WHOLE:
        if not _NUMBER.fullmatch(line[place]):
            raise ValueError(f"{clean(line[place], 30)!r}, expected a whole number")
        row[place] = int(line[place])
    return row
