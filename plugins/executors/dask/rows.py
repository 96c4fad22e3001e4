"""Rows of games as bytes: plain data, so that the client executes nothing that a node sends, and checks everything."""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from typing import Any

from sweepstakes import GameResult
from sweepstakes.executor import Chunk, Fixture, Row, Workload
from sweepstakes.hosting.written import read_output
from sweepstakes.registry.opened_files import read_files
from sweepstakes.untrusted.text import clean


def encode_rows(rows: Sequence[Row]) -> bytes:
    """The rows as bytes."""
    return marshal.dumps([(*row.fixture, tuple(row.result.size), row.result.as_row(), *row[2:]) for row in rows])


def decode_rows(data: Any, chunks: Sequence[Chunk], workload: Workload) -> list[Row]:
    """The rows in the bytes; `ValueError`, with a sentence, unless they are possible rows of exactly these games."""
    expected: dict[tuple[Any, ...], Fixture] = {game: game for chunk in chunks for game in chunk.fixtures()}
    rows: list[Row] = []
    try:
        for agent, condition, number, size, columns, seconds, moves, took, output, files, said in marshal.loads(data):
            fixture = expected.pop((agent, condition, number), None)
            if fixture is None:
                raise _ImpossibleError(f"a row of another game, or two rows of one: {agent}, {condition}, {number}")
            result = GameResult.from_row(size, columns)
            rows.append(Row(fixture, result, seconds, moves, took, read_output(output), read_files(files), said))
    except _ImpossibleError as error:
        raise ValueError(clean(str(error), 200)) from None
    except (EOFError, TypeError, ValueError, AttributeError, LookupError, RecursionError):
        raise ValueError("bytes that are no rows") from None
    if expected:
        raise ValueError(f"no row for game {workload.title(min(expected.values()))}")
    for row in rows:
        try:
            workload.check(row)
        except ValueError as error:
            raise ValueError(f"for game {workload.title(row.fixture)} {error}") from None
    return rows


class _ImpossibleError(Exception):
    """A row that is none of the lease's."""
