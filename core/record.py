"""The turns of a game as bytes, and back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from sweepstakes.cell import Cell
from sweepstakes.text import clean
from sweepstakes.turn import Cells, Turn

MOST_BYTES = 1 << 28
"""Turns that take more than this, unpacked, are not read."""


def pack(turns: Iterable[Turn]) -> bytes:
    """The turns, compressed. Together with the deal, the rules and the noise they are the whole game."""
    rows = [
        [
            *_deed(turn),
            None if turn.evidence is None else [[*cell, clues] for cell, clues in turn.evidence.items()],
        ]
        for turn in turns
    ]
    return zlib.compress(json.dumps(rows, separators=(",", ":"), default=_known).encode(), 1)


def unpack(data: bytes) -> list[Turn]:
    """The turns that `pack` was given, with probabilities to six digits."""
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
        for why, probability, opens, flag, unflag, fallback, evidence in json.loads(zlib.decompress(data))
    ]


def same(turn: Turn, other: Turn) -> bool:
    """Whether two turns are the same but for their evidence, probabilities to the six digits that are kept."""
    return _deed(turn) == _deed(other)


def _deed(turn: Turn) -> list[Any]:
    """All of a turn but its evidence."""
    return [
        turn.why,
        turn.probability if turn.probability is None else round(float(turn.probability), 6),
        _plain(turn.open),
        _plain(turn.flag),
        _plain(turn.unflag),
        int(turn.fallback),
    ]


def read_turns(data: Any) -> list[Turn]:
    """The turns in bytes that may be damaged or forged; `ValueError`, with a sentence, if they are not turns."""
    try:
        stream = zlib.decompressobj()
        stream.decompress(data, MOST_BYTES)
        if not stream.eof:
            raise ValueError(f"they are cut off, or longer than {MOST_BYTES:,} bytes")
        turns = unpack(data)
        if not all(map(_plausible, turns)):
            raise ValueError("they name cells, reasons or probabilities that are none")
        return turns
    except (zlib.error, TypeError, ValueError, LookupError, OverflowError, RecursionError) as error:
        raise ValueError(f"the turns cannot be read: {clean(str(error), 100)}") from None


def _plausible(turn: Turn) -> bool:
    """Whether the turn is of the types that `pack` writes; whether it is legal, the referee says."""
    lists: list[Any] = [turn.open, turn.flag, turn.unflag]
    for cell, clues in (turn.evidence or {}).items():
        lists += [[cell], clues]
    numbers = [number for cells in lists if not isinstance(cells, np.ndarray) for cell in cells for number in cell]
    chance = turn.probability
    return (
        all(type(number) is int and abs(number) < 1 << 62 for number in numbers)
        and type(turn.why) is str
        and (chance is None or (type(chance) in (int, float) and 0 <= chance <= 1))
    )


def _plain(cells: Cells) -> list[Any]:
    """Flat indices stay flat, cells become pairs."""
    if isinstance(cells, np.ndarray):
        flat: list[Any] = cells.tolist()
        return flat
    return [[int(row), int(col)] for row, col in cells]


def _known(thing: Any) -> Any:
    """What json does not know: numbers of numpy, and clues in a set. (Evidence is long, and mostly tuples.)"""
    return thing.tolist() if isinstance(thing, (np.ndarray, np.generic)) else list(thing)


def _cells(plain: list[Any]) -> Cells:
    if not plain:
        return ()
    if isinstance(plain[0], int):
        return np.array(plain, np.int64)
    return tuple(Cell(row, col) for row, col in plain)
