"""Rows of games as bytes: plain data, so that the client executes nothing that a node sends, and checks everything."""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from typing import Any

from sweepstakes import GameResult
from sweepstakes.executor import Chunk, Fixture, Row, Workload
from sweepstakes.game.size import Size


def encode_rows(rows: Sequence[Row]) -> bytes:
    """The rows as bytes."""
    return marshal.dumps(
        [(*row.fixture, tuple(row.result.size), row.result.as_row(), row.seconds, row.moves, row.took) for row in rows]
    )


def decode_rows(data: Any, chunks: Sequence[Chunk], workload: Workload) -> list[Row]:
    """The rows in the bytes; `ValueError`, with a sentence, unless they are possible rows of exactly these games."""
    try:
        games: list[Any] = marshal.loads(data)
        rows = [_decode(*game) for game in games]
    except (EOFError, TypeError, ValueError, AttributeError, LookupError, RecursionError):
        raise ValueError("bytes that are no rows") from None
    expected = {fixture for chunk in chunks for fixture in chunk.fixtures()}
    for row in rows:
        if row.fixture not in expected:
            raise ValueError(f"a row of another game, or two rows of one: {tuple(row.fixture)}")
        expected.remove(row.fixture)
        try:
            workload.check(row)
        except ValueError as error:
            raise ValueError(f"for game {workload.title(row.fixture)} {error}") from None
    if expected:
        raise ValueError(f"no row for game {workload.title(min(expected))}")
    return rows


def _decode(agent: int, condition: int, number: int, size: Any, result: Any, *rest: Any) -> Row:
    fixture = Fixture(agent, condition, number)
    if not all(type(part) is int for part in fixture):
        raise TypeError
    seconds, moves, took = rest
    return Row(fixture, GameResult.from_row(Size(*size), result), seconds, moves, took)
