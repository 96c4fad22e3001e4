"""The content of the messages between the server and the hosts of services: views, setups, turns, results and odds.

`encode_x` makes JSON data, `decode_x` reads it. `decode_turn`, `decode_result` and `decode_cells` check every number
in an answer, and build new objects from the numbers. Nothing is unpickled.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from sweepstakes.game.cell import Cell
from sweepstakes.game.result import GameResult, check_result
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.game.turn import Cells, Turn
from sweepstakes.game.view import View
from sweepstakes.noise import EXACT, Noise
from sweepstakes.registry.spec import Spec
from sweepstakes.untrusted.text import clean

_MAX_COORDINATE = 1 << 53
"""Coordinates of cells off the board are decoded up to this number."""
_REASONS = ("proof", "guess", "random")


class ProtocolError(ValueError):
    """A message has not the expected content."""


class OffBoardError(ProtocolError):
    """A turn names a cell that is not on the board."""


def encode_view(view: View) -> dict[str, Any]:
    """A view as JSON data, with the whole table of its noise, so that the reader needs no noise plugin."""
    noise = None if view.noise == EXACT else [view.noise.name, view.noise.table.reshape(-1).tolist()]
    return {"text": str(view._replace(noise=EXACT)), "noise": noise}


def decode_view(data: dict[str, Any]) -> View:
    """The view that `encode_view` encoded."""
    noise = data["noise"]
    return View.parse(data["text"], noise=EXACT if noise is None else Noise(noise[0], np.array(noise[1]).tobytes()))


def encode_setup(setup: GameSetup) -> list[Any]:
    """A setup as JSON data."""
    size, seed, number, rules, source, noise, secret = setup
    return [list(size), seed, number, list(rules), str(source), str(noise), secret]


def decode_setup(data: list[Any]) -> GameSetup:
    """The setup that `encode_setup` encoded."""
    size, seed, number, (on_mine, first_click, start, flood), source, noise, secret = data
    rules = Rules(on_mine, first_click, None if start is None else Cell(*start), flood)
    return GameSetup(Size(*size), seed, number, rules, Spec.parse(source), Spec.parse(noise), secret)


def encode_turn(turn: Turn) -> list[Any]:
    """A turn as JSON data."""
    probability = None if turn.probability is None else float(turn.probability)
    evidence = turn.evidence or {}
    return [
        str(turn.why),
        probability,
        *(_encode_cells(cells) for cells in turn[:3]),
        bool(turn.fallback),
        [[*map(int, cell), _encode_cells(clues)] for cell, clues in evidence.items()],
    ]


def _encode_cells(cells: Any) -> list[Any]:
    if isinstance(cells, np.ndarray):
        flat: list[Any] = cells.tolist()
        return flat
    return [[int(row), int(col)] for row, col in cells]


def decode_turn(data: Any, rows: int, cols: int, *, allow_off_board: bool = False) -> Turn:
    """The turn that `encode_turn` encoded.

    Raises `ProtocolError` for anything else, and `OffBoardError` if a cell is not on the board. `allow_off_board` keeps
    such cells in the turn, so that the referee finds the illegal move.
    """
    why, probability, opens, flags, unflags, fallback, evidence = _checked_list(data, 7)
    if type(why) is not str or why not in _REASONS:
        raise ProtocolError("a turn without a reason")
    if probability is not None:
        probability = _checked_float(probability, 1.0)
    if type(fallback) is not bool:
        raise ProtocolError("a turn whose fallback is neither true nor false")
    proofs: dict[Cell, list[Cell]] = {}
    for row, col, clues in (_checked_list(proof, 3) for proof in _checked_list(evidence)):
        cell = Cell(*divmod(_flat_cell([row, col], rows, cols), cols))
        proofs[cell] = [Cell(*divmod(clue, cols)) for clue in _flat_cells(clues, rows, cols)]
    decode = _cells_anywhere if allow_off_board else partial(_cells_on_board, rows=rows, cols=cols)
    return Turn(
        open=decode(opens),
        flag=decode(flags),
        unflag=decode(unflags),
        why=why,  # type: ignore[arg-type]  # one of the reasons
        probability=probability,
        evidence=proofs or None,
        fallback=fallback,
    )


def decode_result(data: Any, setup: GameSetup) -> GameResult:
    """The result that `GameResult.as_row` encoded; `ValueError` if no game of this setup can have that result."""
    result = GameResult.from_row(setup.size, _checked_list(data))
    check_result(result, setup.size, setup.rules)
    return result


def decode_cells(data: Any, cells: int) -> list[int]:
    """A list of flat indices below `cells`; `ProtocolError` for anything else."""
    return [_checked_int(cell, cells) for cell in _checked_list(data)]


def _flat_cells(data: Any, rows: int, cols: int) -> list[int]:
    return [_flat_cell(cell, rows, cols) for cell in _checked_list(data)]


def _cells_on_board(data: Any, rows: int, cols: int) -> Cells:
    return np.array(_flat_cells(data, rows, cols), np.int64)


def _cells_anywhere(data: Any) -> Cells:
    """Cells as flat indices or as rows and columns, whether or not they are on the board."""
    if data and type(_checked_list(data)[0]) is int:
        return np.array([_checked_int(cell, _MAX_COORDINATE, start=-_MAX_COORDINATE) for cell in data])
    pairs = [_checked_list(cell, 2) for cell in _checked_list(data)]
    return tuple(Cell(*(_checked_int(coordinate, _MAX_COORDINATE) for coordinate in pair)) for pair in pairs)


def _flat_cell(data: Any, rows: int, cols: int) -> int:
    """The flat index of a cell that is encoded as a flat index, or as row and column."""
    if type(data) is int:
        if not 0 <= data < rows * cols:
            raise OffBoardError(f"cell {clean(str(data)[:40])}")
        return data
    row, col = _checked_list(data, 2)
    if type(row) is not int or type(col) is not int:
        raise ProtocolError("a cell that is not two whole numbers")
    if not (0 <= row < rows and 0 <= col < cols):
        raise OffBoardError(clean(f"({str(row)[:40]}, {str(col)[:40]})"))
    return row * cols + col


def _checked_list(data: Any, length: int | None = None) -> list[Any]:
    if type(data) is not list or (length is not None and len(data) != length):
        raise ProtocolError("a message of another shape")
    return data


def _checked_int(data: Any, end: int, *, start: int = 0) -> int:
    if type(data) is not int or not start <= data < end:
        raise ProtocolError("a number out of range")
    return data


def _checked_float(data: Any, largest: float) -> float:
    if type(data) not in (int, float) or not math.isfinite(data) or not 0 <= data <= largest:
        raise ProtocolError("a number out of range")
    return float(data)
