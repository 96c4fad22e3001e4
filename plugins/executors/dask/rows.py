"""Rows of games as bytes: plain data, so that the client executes nothing that a node sends, and checks everything."""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from sweepstakes import GameResult
from sweepstakes.executor import Chunk, Finished, Fixture, PackedRows, Row, Workload
from sweepstakes.hosting.written import read_output
from sweepstakes.registry.opened_files import read_files
from sweepstakes.untrusted.text import clean


def encode_rows(finished: Sequence[Finished]) -> bytes:
    """Return the rows and blocks as bytes."""
    rows = [each for each in finished if isinstance(each, Row)]
    blocks = [(tuple(each.chunk), *each[1:-1], _plain(each.noted)) for each in finished if isinstance(each, PackedRows)]
    return marshal.dumps((_plain(rows), blocks))


def _plain(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    return [(*row.fixture, tuple(row.result.size), row.result.as_row(), *row[2:]) for row in rows]


def decode_rows(data: Any, chunks: Sequence[Chunk], workload: Workload) -> list[Finished]:
    """Return the rows and blocks in the bytes. Raise `ValueError` with the reason unless they are possible and of these
    games."""
    try:
        rows, blocks = marshal.loads(data)
        packed, left = [], list(chunks)
        for chunk, head, content, took, scored, total, noted in blocks:
            taken = Chunk(*chunk)
            left = _without(left, taken)
            if not (
                type(scored) is int and all(type(number) is float and isfinite(number) for number in (took, total))
            ):
                raise _ImpossibleError("a block with other numbers")
            read = _rows(noted, {game: game for game in taken.fixtures()} if noted else {})
            packed.append(PackedRows(taken, head, content, took, scored, total, tuple(read)))
        expected: dict[tuple[Any, ...], Fixture] = {game: game for chunk in left for game in chunk.fixtures()}
        finished: list[Finished] = [*_rows(rows, expected), *packed]
    except _ImpossibleError as error:
        raise ValueError(clean(str(error), 200)) from None
    except (EOFError, TypeError, ValueError, AttributeError, LookupError, RecursionError):
        raise ValueError("bytes that are not rows") from None
    if expected:
        raise ValueError(f"no row for game {workload.title(min(expected.values()))}")
    for each in (*finished, *(row for block in packed for row in block.noted)):
        try:
            workload.check(each)
        except ValueError as error:
            raise ValueError(f"for game {workload.title(each.fixture)} {error}") from None
    return finished


def _rows(data: Any, expected: dict[tuple[Any, ...], Fixture]) -> Iterator[Row]:
    """Yield the rows in plain data, and remove the game of each from the expected ones."""
    for agent, condition, number, size, columns, seconds, moves, took, output, files, said in data:
        fixture = expected.pop((agent, condition, number), None)
        if fixture is None:
            raise _ImpossibleError(f"a row of another game, or two rows of one: {agent}, {condition}, {number}")
        result = GameResult.from_row(size, columns)
        yield Row(fixture, result, seconds, moves, took, read_output(output), read_files(files), said)


def _without(chunks: Sequence[Chunk], taken: Chunk) -> list[Chunk]:
    """Return the chunks without the games of `taken`, which must all be in one chunk."""
    for i, chunk in enumerate(chunks):
        if chunk[:2] == taken[:2] and taken.numbers and all(taken.numbers[end] in chunk.numbers for end in (0, -1)):
            start, stop = (chunk.numbers.index(taken.numbers[end]) for end in (0, -1))
            if chunk.cut(start, stop + 1).numbers == taken.numbers:
                rest = chunk.cut(0, start), chunk.cut(stop + 1, len(chunk.numbers))
                return [*chunks[:i], *(each for each in rest if each.numbers), *chunks[i + 1 :]]
    raise _ImpossibleError(f"a block of other games, or two blocks of one: {tuple(taken)}")


class _ImpossibleError(Exception):
    """A row or a block that does not belong to the lease."""
