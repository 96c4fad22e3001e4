"""What the server and the processes of agents say to each other: JSON in frames, checked before it is used.

What comes from such a process is data that a stranger may have made up: a frame has a bounded length, and a turn, a
result or probabilities are built anew from exact numbers in range. Nothing is unpickled.
"""

from __future__ import annotations

import json
import math
import socket
import struct
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, NoReturn

import numpy as np

from sweepstakes.game.cell import Cell
from sweepstakes.game.result import GameResult, check_result
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.game.turn import Cells, Turn
from sweepstakes.game.view import View
from sweepstakes.inference import Status
from sweepstakes.noise import EXACT, Noise
from sweepstakes.registry.spec import Spec
from sweepstakes.untrusted.text import clean

LONGEST = 1 << 25
"""Bytes that a message may have; the turns of a game on 100 x 100 cells with all their evidence take a few million."""
_LENGTH = struct.Struct("!I")
_FAR = 1 << 53
_REASONS = ("proof", "guess", "random")


class Garbled(ValueError):  # noqa: N818 - it names what happened to the message
    """A message that is none, or does not hold what it should."""


class OffBoard(Garbled):
    """A turn that names a cell which is not on the board."""


class Channel:
    """One end of a connection, for one message at a time in each direction."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def send(self, message: Any, seconds: float | None = None) -> None:
        """Send plain data; `OSError`, `TimeoutError` among them, if the other end does not take it."""
        data = json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
        if len(data) > LONGEST:
            raise Garbled(f"a message of {len(data):,} bytes: expected at most {LONGEST:,}")
        self._end.settimeout(seconds)
        self._end.sendall(_LENGTH.pack(len(data)) + data)

    def receive(self, seconds: float | None = None) -> Any:
        """The next message; `EOFError` at the end, `TimeoutError`, `OSError`, or `Garbled` if it is none."""
        deadline = None if seconds is None else monotonic() + seconds
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size, deadline))
        if length > LONGEST:
            raise Garbled("a message of impossible length")
        data = self._exactly(length, deadline)
        try:
            return json.loads(data, parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise Garbled("a message that is not JSON") from None

    def hang_up(self) -> None:
        """Wake whoever waits at either end: nothing more will come."""
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the connection up."""
        self._end.close()

    def _exactly(self, length: int, deadline: float | None) -> bytes:
        data = bytearray()
        while len(data) < length:
            if deadline is not None:
                self._end.settimeout(max(deadline - monotonic(), 0.001))
            else:
                self._end.settimeout(None)
            part = self._end.recv(min(length - len(data), 1 << 20))
            if not part:
                raise EOFError
            data += part
        return bytes(data)


def plain_view(view: View) -> dict[str, Any]:
    """A view as plain data, with the whole table of its noise: whoever reads it needs no plugin."""
    noise = None if view.noise == EXACT else [view.noise.name, view.noise.table.reshape(-1).tolist()]
    return {"text": str(view._replace(noise=EXACT)), "noise": noise}


def read_view(plain: dict[str, Any]) -> View:
    """The view of `plain_view`."""
    noise = plain["noise"]
    return View.parse(plain["text"], noise=EXACT if noise is None else Noise(noise[0], np.array(noise[1]).tobytes()))


def plain_setup(setup: GameSetup) -> list[Any]:
    """A setup as plain data."""
    size, seed, number, rules, source, noise = setup
    return [list(size), seed, number, list(rules), str(source), str(noise)]


def read_setup(plain: list[Any]) -> GameSetup:
    """The setup of `plain_setup`."""
    size, seed, number, (on_mine, first_click, start, flood), source, noise = plain
    rules = Rules(on_mine, first_click, None if start is None else Cell(*start), flood)
    return GameSetup(Size(*size), seed, number, rules, Spec.parse(source), Spec.parse(noise))


def plain_turn(turn: Turn) -> list[Any]:
    """A turn as plain data."""
    probability = None if turn.probability is None else round(float(turn.probability), 6)
    evidence = turn.evidence or {}
    return [
        str(turn.why),
        probability,
        *(_plain_cells(cells) for cells in turn[:3]),
        bool(turn.fallback),
        [[*map(int, cell), _plain_cells(clues)] for cell, clues in evidence.items()],
    ]


def _plain_cells(cells: Any) -> list[Any]:
    if isinstance(cells, np.ndarray):
        flat: list[Any] = cells.tolist()
        return flat
    return [[int(row), int(col)] for row, col in cells]


def read_turn(plain: Any, rows: int, cols: int, *, anywhere: bool = False) -> Turn:
    """The turn of `plain_turn`; `Garbled` if it is none, `OffBoard` if it names a cell that is not on the board.

    With `anywhere` such cells stay in it, for a referee to see.
    """
    why, probability, opens, flags, unflags, fallback, evidence = _list(plain, 7)
    if type(why) is not str or why not in _REASONS:
        raise Garbled("a turn without a reason")
    if probability is not None:
        probability = _number(probability, 1.0)
    if type(fallback) is not bool:
        raise Garbled("a turn whose fallback is neither true nor false")
    proofs: dict[Cell, list[Cell]] = {}
    for row, col, clues in (_list(proof, 3) for proof in _list(evidence)):
        cell = Cell(*divmod(_cell([row, col], rows, cols), cols))
        proofs[cell] = [Cell(*divmod(clue, cols)) for clue in _cells(clues, rows, cols)]
    read = _anywhere if anywhere else partial(_on_board, rows=rows, cols=cols)
    return Turn(
        open=read(opens),
        flag=read(flags),
        unflag=read(unflags),
        why=why,  # type: ignore[arg-type]  # one of the reasons
        probability=probability,
        evidence=proofs or None,
        fallback=fallback,
    )


def read_result(plain: Any, setup: GameSetup) -> GameResult:
    """The result of `GameResult.as_row`; `ValueError` if no such game can have it."""
    result = GameResult.from_row(setup.size, _list(plain))
    check_result(result, setup.size, setup.rules)
    return result


def read_odds(plain: Any, cells: int) -> dict[str, Any]:
    """The answer of `odds` for so many cells; `Garbled` if it is none."""
    if type(plain) is not dict or plain.keys() != {"percent", "status", "first_click_safe"}:
        raise Garbled("no probabilities")
    runs = _list(plain["percent"])
    values, counts = runs[::2], [_whole(count, cells + 1) for count in runs[1::2]]
    if len(runs) % 2 or sum(counts) != cells or plain["status"] not in set(Status):
        raise Garbled("the probabilities of another position")
    for value in values:
        if value is not None:
            _number(value, 100.0)
    if type(plain["first_click_safe"]) is not bool:
        raise Garbled("no probabilities")
    return plain


def read_flat(plain: Any, cells: int) -> list[int]:
    """A list of flat indices below `cells`; `Garbled` if it is none."""
    return [_whole(cell, cells) for cell in _list(plain)]


def _cells(plain: Any, rows: int, cols: int) -> list[int]:
    return [_cell(cell, rows, cols) for cell in _list(plain)]


def _on_board(plain: Any, rows: int, cols: int) -> Cells:
    return np.array(_cells(plain, rows, cols), np.int64)


def _anywhere(plain: Any) -> Cells:
    """Cells as they are written, flat or as rows and columns, whether or not they are on the board."""
    if plain and type(_list(plain)[0]) is int:
        return np.array([_whole(cell + _FAR if type(cell) is int else None, 2 * _FAR) - _FAR for cell in plain])
    pairs = [_list(cell, 2) for cell in _list(plain)]
    return tuple(Cell(*(_whole(place, _FAR) for place in pair)) for pair in pairs)


def _cell(plain: Any, rows: int, cols: int) -> int:
    """The flat index of a cell that is written as one, or as row and column."""
    if type(plain) is int:
        if not 0 <= plain < rows * cols:
            raise OffBoard(f"cell {clean(str(plain)[:40])}")
        return plain
    row, col = _list(plain, 2)
    if type(row) is not int or type(col) is not int:
        raise Garbled("a cell that is not two whole numbers")
    if not (0 <= row < rows and 0 <= col < cols):
        raise OffBoard(clean(f"({str(row)[:40]}, {str(col)[:40]})"))
    return row * cols + col


def _list(plain: Any, length: int | None = None) -> list[Any]:
    if type(plain) is not list or (length is not None and len(plain) != length):
        raise Garbled("a message of another shape")
    return plain


def _whole(plain: Any, end: int) -> int:
    if type(plain) is not int or not 0 <= plain < end:
        raise Garbled("a number out of range")
    return plain


def _number(plain: Any, most: float) -> float:
    if type(plain) not in (int, float) or not math.isfinite(plain) or not 0 <= plain <= most:
        raise Garbled("a number out of range")
    return float(plain)


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)
