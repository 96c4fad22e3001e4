"""The games of a run as a published file, `games.csv.gz`.

The file has a line for each game, with the keys that identify its condition and its agent. The same board source, size,
rules, noise, seed, agent, parameters and versions give the same keys, so a run with these keys can import the game.
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
from sweepstakes.tournaments.storage.migrations import DEFAULTS
from sweepstakes.untrusted.text import clean

FILE = "games.csv.gz"
HEAD = ["condition", "agent", "number", *COLUMNS]
LONGEST_LINE = 1 << 16
"""The maximum number of characters in a line of the file."""
_WHOLE = [place for place, name in enumerate(HEAD) if name == "number" or COLUMNS.get(name) == "integer"]
"""The indices of the fields that are integers."""
_DEFAULTS = [DEFAULTS.get(name, "") for name in HEAD]
_NUMBER = re.compile("-?[0-9]{1,18}", re.ASCII)


def write_rows(rows: Iterable[Sequence[Any]], path: Path) -> None:
    """Write games, without times and moves. The same games give the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(rows)
    with run_errors(path, "written"):
        path.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def read_rows(path: Path) -> Iterator[list[Any]]:
    """Read the games of a published file: the keys of condition and agent, the number, the result.

    Columns are read by name, so that files of earlier formats can be read. Raise `RunError` for the first invalid line.
    """
    number = 0
    places: list[int] = []
    fields = 0
    with run_errors(path), gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        try:
            for number, line in enumerate(csv.reader(_lines(file)), 1):
                if number == 1:
                    places, fields = _places(line), len(line)
                    continue
                if len(line) != fields:
                    raise ValueError(f"{len(line)} fields, expected {fields}")
                yield _row(places, line)
            if not number:
                raise ValueError("the file is empty")
        except (EOFError, gzip.BadGzipFile, zlib.error, csv.Error, ValueError) as error:
            what = clean(str(error), 250)
            raise RunError(f"{path}: after line {number}: {what}; replace it by an intact copy") from None


def _lines(file: TextIO) -> Iterator[str]:
    """Yield the lines of the file. Raise `ValueError` for a line that is too long."""
    while line := file.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise ValueError(f"a line of more than {LONGEST_LINE:,} characters")
        yield line


def _places(head: list[str]) -> list[int]:
    """Return the index of each column of `HEAD` in a line, -1 if it is missing and has a default.

    Raise `ValueError` if a column without a default is missing.
    """
    if len(set(head)) < len(head) or not set(HEAD) <= {*head, *DEFAULTS}:
        raise ValueError(f"expected the columns {', '.join(name for name in HEAD if name not in DEFAULTS)}")
    return [head.index(name) if name in head else -1 for name in HEAD]


def _row(places: list[int], line: list[str]) -> list[Any]:
    """Return the values of a line in the order of `HEAD`."""
    row: list[Any] = [line[place] if place >= 0 else _DEFAULTS[i] for i, place in enumerate(places)]
    for place in _WHOLE:
        text = row[place]
        if text == "" and _DEFAULTS[place] is None:
            row[place] = None
        elif isinstance(text, str):
            if not _NUMBER.fullmatch(text):
                raise ValueError(f"{clean(text, 30)!r}, expected a whole number")
            row[place] = int(text)
    return row
