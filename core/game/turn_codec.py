"""The turns of a game as bytes, and back.

A log of turns is written as numbers, little-endian:

    form            1 byte: 2, or 3 if all that follows is compressed by zlib
    widths          2 bytes: the widths of marks and of numbers, as the letters of `struct`
    turns           4 bytes: the number of turns
    marks           for each turn its head, and how many cells it opens, flags and unflags
    probabilities   4 bytes for each turn that has one: millionths
    numbers         all cells in that order: a flat index each, or row and column

Turns with evidence or with numbers beyond 64 bits are written as JSON compressed by zlib. Older versions wrote only
this form; it begins with the byte 0x78, as zlib does.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from sweepstakes.game.cell import Cell
from sweepstakes.game.referee_kernels import FALLBACK, MARKS, REASON
from sweepstakes.game.result import max_named_cells, max_turns
from sweepstakes.game.size import MAX_SIDE
from sweepstakes.game.turn import REASONS, Cells, Named, Turn
from sweepstakes.game.turn_log import ALL_FLAT, CHANCE, Log, head_of, make_turns
from sweepstakes.untrusted.text import clean

MAX_BYTES = 1 << 28
"""Maximum size of unpacked turns. Larger ones are not read."""
_MAX_TURNS = max_turns(MAX_SIDE * MAX_SIDE)
_MAX_NUMBERS = 2 * max_named_cells(MAX_SIDE * MAX_SIDE)
"""Two numbers for each cell that turns may name. Limited because in Python they take many times their bytes."""
_FURTHEST = 2**128
"""The referee stores no larger number."""

_NUMBERS, _SQUEEZED = b"\2", b"\3"
_LONG, _MANY = 4000, 100
"""Turns are compressed if they have `_LONG` bytes, or `_MANY` bytes of marks and fewer bytes of numbers."""
_START = struct.Struct("<ccI")
_WIDTHS = {letter.encode(): (struct.calcsize("<" + letter), np.dtype("<" + letter)) for letter in "BHIq"}
"""The size and type of a mark or number. Only the widest type has negative numbers."""
_HIGHEST = len(REASONS) - 1 + FALLBACK + CHANCE + ALL_FLAT
"""The largest head."""
_MILLION = 10**6


def pack(turns: Iterable[Turn]) -> bytes:
    """Pack the turns into few bytes. Together with the board, the rules and the noise they determine the whole game."""
    if not isinstance(turns, Log):
        turns = list(turns)
    try:
        return _as_numbers(turns if isinstance(turns, Log) else _log(turns))
    except (KeyError, TypeError, ValueError):
        return _as_json(turns)


def unpack(data: bytes) -> list[Turn]:
    """Return the turns packed by `pack`, with probabilities rounded to six digits."""
    form = data[:1]
    if form == _NUMBERS:
        return _from_numbers(memoryview(data)[1:])
    if form == _SQUEEZED:
        return _from_numbers(memoryview(_inflated(data[1:])))
    return _from_json(_inflated(data))


def same(turn: Turn, other: Turn) -> bool:
    """Return whether two turns are equal apart from evidence, with probabilities rounded to six digits."""
    return _without_evidence(turn) == _without_evidence(other)


def read_turns(data: Any) -> list[Turn]:
    """Return the turns in bytes that may be damaged or forged. Raise `ValueError` with the reason if they are."""
    try:
        turns = unpack(data)
        if not all(map(_plausible, turns)):
            raise ValueError("they contain invalid cells, reasons or probabilities")
        return turns
    except (zlib.error, struct.error, TypeError, ValueError, LookupError, OverflowError, RecursionError) as error:
        raise ValueError(f"the turns cannot be read: {clean(str(error), 100)}") from None


def _log(turns: Sequence[Turn]) -> Log:
    """Return the turns as a log. Raise KeyError, TypeError or ValueError if a log cannot hold one of them."""
    log = Log()
    for opens, flag, unflag, why, chance, evidence, fallback in turns:
        if evidence is not None:
            raise ValueError("a log has no place for evidence")
        chance = None if chance is None else float(chance)
        if chance is not None:
            log.chances.append(chance)
        log.add(_read(opens), _read(flag), _read(unflag), head_of(why, bool(fallback), chance), chance)
    return log


def _read(cells: Cells) -> Named:
    if not isinstance(cells, np.ndarray):
        return tuple(Cell(index(row), index(col)) for row, col in cells)
    if cells.ndim != 1 or not np.can_cast(cells.dtype, np.int64):
        raise ValueError(f"{cells.dtype} {cells.shape}: expected flat integers")
    return np.asarray(cells, np.int64)


def _as_numbers(log: Log) -> bytes:
    """Return the turns in the form of numbers. Raise `ValueError` if that form cannot hold them."""
    if log.odd:
        raise ValueError("numbers beyond 64 bits")
    mark_width, marks = _narrow(log.marks)
    number_width, numbers = _narrow(log.numbers)
    chances = struct.pack(f"<{len(log.chances)}I", *map(_millionths, log.chances))
    data = b"".join((_NUMBERS, _START.pack(mark_width, number_width, len(log)), marks, chances, numbers))
    if len(data) < _LONG and len(marks) < max(_MANY, len(numbers)):
        return data
    return _SQUEEZED + zlib.compress(data[1:], 1)


def _narrow(numbers: npt.NDArray[np.int64]) -> tuple[bytes, bytes]:
    """Return the letter of the smallest width that holds all numbers, and the numbers in that width."""
    bits = int(np.bitwise_or.reduce(numbers))  # negative if one of the numbers is
    width = b"B" if 0 <= bits < 1 << 8 else b"H" if 0 <= bits < 1 << 16 else b"I" if 0 <= bits < 1 << 32 else b"q"
    return width, numbers.astype(_WIDTHS[width][1]).tobytes()


def _millionths(chance: float) -> int:
    rounded = round(chance, 6)
    if not 0 <= rounded <= 1:
        raise ValueError(f"{rounded} is not a probability")
    return round(rounded * _MILLION)


def _from_numbers(data: memoryview) -> list[Turn]:
    """Return the turns from the form of numbers. Raise ValueError or struct.error if the data are damaged."""
    mark_width, number_width, count = _START.unpack_from(data)
    if mark_width not in _WIDTHS or number_width not in _WIDTHS or count > _MAX_TURNS:
        raise ValueError(f"they begin with {count:,} turns of the widths {mark_width!r} and {number_width!r}")
    marks, rest = _split(data[_START.size :], mark_width, MARKS * count)
    heads = marks[::MARKS]
    chances, rest = _split(rest, b"I", int(np.count_nonzero(heads & CHANCE)))
    if (heads > _HIGHEST).any() or (heads & REASON >= len(REASONS)).any() or (chances > _MILLION).any():
        raise ValueError("they contain invalid reasons or probabilities")
    many, over = divmod(len(rest), _WIDTHS[number_width][0])
    if over or many > _MAX_NUMBERS:
        raise ValueError(f"they name {many:,} numbers and {over} bytes")
    numbers, _ = _split(rest, number_width, many)
    return make_turns(marks, (chances / _MILLION).tolist(), numbers)


def _split(data: memoryview, width: bytes, count: int) -> tuple[npt.NDArray[np.int64], memoryview]:
    """Split the bytes after the first `count` numbers. Raise ValueError if there are fewer."""
    size, dtype = _WIDTHS[width]
    if count * size > len(data):
        raise ValueError("they are cut off")
    return np.frombuffer(data[: count * size], dtype).astype(np.int64), data[count * size :]


def _inflated(data: bytes) -> bytes:
    """Decompress bytes. Raise ValueError if they are incomplete, too many, or followed by other bytes."""
    stream = zlib.decompressobj()
    inflated = stream.decompress(data, MAX_BYTES)
    if not stream.eof:
        raise ValueError(f"they are cut off, or longer than {MAX_BYTES:,} bytes")
    if stream.unused_data:
        raise ValueError(f"they are followed by {len(stream.unused_data):,} bytes")
    return inflated


def _as_json(turns: Sequence[Turn]) -> bytes:
    """Return the turns as JSON, which can hold all of them."""
    rows = [
        [
            *_without_evidence(turn),
            None if turn.evidence is None else [[*cell, clues] for cell, clues in turn.evidence.items()],
        ]
        for turn in turns
    ]
    return zlib.compress(json.dumps(rows, separators=(",", ":"), default=_as_list).encode(), 1)


def _from_json(data: bytes) -> list[Turn]:
    return [
        Turn(
            why=why,
            probability=probability,
            open=_cells(opens),
            flag=_cells(flag),
            unflag=_cells(unflag),
            fallback=bool(fallback),
            evidence=None
            if evidence is None
            else {Cell(row, col): [Cell(*clue) for clue in clues] for row, col, clues in evidence},
        )
        for why, probability, opens, flag, unflag, fallback, evidence in json.loads(data)
    ]


def _without_evidence(turn: Turn) -> list[Any]:
    """Return the fields of a turn except its evidence."""
    return [
        turn.why,
        turn.probability if turn.probability is None else round(float(turn.probability), 6),
        _plain(turn.open),
        _plain(turn.flag),
        _plain(turn.unflag),
        int(turn.fallback),
    ]


def _plausible(turn: Turn) -> bool:
    """Return whether the turn has the types that `pack` writes. The referee decides whether it is legal."""
    lists: list[Any] = [turn.open, turn.flag, turn.unflag]
    for cell, clues in (turn.evidence or {}).items():
        lists += [[cell], clues]
    numbers = [number for cells in lists if not isinstance(cells, np.ndarray) for cell in cells for number in cell]
    chance = turn.probability
    return (
        all(type(number) is int and abs(number) <= _FURTHEST for number in numbers)
        and type(turn.why) is str
        and (chance is None or (type(chance) in (int, float) and 0 <= chance <= 1))
    )


def _plain(cells: Cells) -> list[Any]:
    """Return cells as plain data. Flat indices stay flat, cells become pairs."""
    if isinstance(cells, np.ndarray):
        flat: list[Any] = cells.tolist()
        return flat
    return [[int(row), int(col)] for row, col in cells]


def _as_list(thing: Any) -> Any:
    """Convert values that json cannot write: numpy numbers and arrays, and sets of clues."""
    return thing.tolist() if isinstance(thing, (np.ndarray, np.generic)) else list(thing)


def _cells(plain: list[Any]) -> Cells:
    if not plain:
        return ()
    if isinstance(plain[0], int):
        return np.array(plain, np.int64)
    return tuple(Cell(row, col) for row, col in plain)
