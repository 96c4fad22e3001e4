"""The games of a run as a published file, `games.csv.gz`.

The file has a line for each game, with the keys that identify its condition and its agent. The same board source, size,
rules, noise, seed, agent, parameters and versions have the same keys, so a run with these keys can import the game.
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
"""The maximum number of characters in a line of the file."""
_WHOLE = [place for place, name in enumerate(HEAD) if name == "number" or COLUMNS.get(name) == "integer"]
"""The indices of the fields that are integers."""
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
    """Read the games of a published file: the keys of condition and agent, the number, the result.

    `RunError` names the first invalid line.
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
                raise ValueError("the file is empty")
        except (EOFError, gzip.BadGzipFile, zlib.error, csv.Error, ValueError) as error:
            what = clean(str(error), 250)
            raise RunError(f"{path}: after line {number}: {what}; replace it by an intact copy") from None


def _lines(file: TextIO) -> Iterator[str]:
    """The lines of the file; `ValueError` for a line that is too long."""
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
