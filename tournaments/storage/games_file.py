"""The games of a run as a file for other programs: csv, JSON lines or parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import Any

import numpy.typing as npt

from sweepstakes.errors import ConfigError, RunError, located
from sweepstakes.tournaments.storage.atomic_file import replacing

Table = Mapping[str, npt.NDArray[Any]]
_AT_ONCE = 10_000
"""Number of games that are converted to text at once."""


def games_writer(path: Path) -> Callable[[Table], None]:
    """Return the function that writes a table of games to the file. Raise `ConfigError` for an unknown suffix.

    In csv a missing number is empty, in JSON it is null.
    """
    writers = {".csv": lambda: _write_csv, ".jsonl": lambda: _write_jsonl, ".parquet": _parquet_writer}
    if path.suffix.lower() not in writers:
        raise ConfigError(f"--games {located(path)}: expected a name that ends in {', '.join(writers)}")
    write = writers[path.suffix.lower()]()

    def write_file(table: Table) -> None:
        with replacing(path) as part:
            write(table, part)

    return write_file


def _write_csv(table: Table, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        for rows in _rows(table):
            writer.writerows([_csv(value) for value in row] for row in rows)


def _write_jsonl(table: Table, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for rows in _rows(table):
            file.writelines(f"{json.dumps(dict(zip(table, map(_json, row), strict=True)))}\n" for row in rows)


def _parquet_writer() -> Callable[[Table, Path], None]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise RunError("parquet needs pyarrow: install it, or sweepstakes with the extra [parquet]") from None

    def write(table: Table, path: Path) -> None:
        nan_is_missing = {name: pyarrow.array(column, from_pandas=True) for name, column in table.items()}
        pyarrow.parquet.write_table(pyarrow.table(nan_is_missing), path)

    return write


def _rows(table: Table) -> Iterator[Iterable[tuple[Any, ...]]]:
    """Yield the rows as Python values, in portions."""
    games = len(next(iter(table.values())))
    for first in range(0, games, _AT_ONCE):
        yield zip(*(column[first : first + _AT_ONCE].tolist() for column in table.values()), strict=True)


def _csv(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if isinstance(value, float) and isnan(value) else value


def _json(value: Any) -> Any:
    return None if isinstance(value, float) and isnan(value) else value
