"""Boards in files: text, `.mbf` as other Minesweeper programs write it, JSON, and addresses (`board_urls`).

An `.mbf` file is a byte for the width, a byte for the height, the number of mines as two bytes with the higher one
first, and two bytes for each mine: its column and its row, counted from 0.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sweepstakes.errors import PositionError, brief, located
from sweepstakes.game.board import Board
from sweepstakes.game.board_urls import ADDRESSES, board_from_url, board_url
from sweepstakes.untrusted.files import is_folder, is_url, read_file

FORMATS = {"text": ".txt", "mbf": ".mbf", "json": ".json"}
"""The formats, and the suffixes of their files."""
MAX_BYTES = 20_000_000
"""Maximum size of a file, in bytes. The largest board, if full of mines, takes 14 million bytes as JSON."""


def encode(board: Board, format: str) -> bytes:  # noqa: A002 - the name of the option
    """Return the board as the bytes of a file."""
    if format == "mbf":
        return _to_mbf(board)
    if format in ADDRESSES:
        return f"{board_url(board, format)}\n".encode()
    if format == "json":
        mines = [list(divmod(i, board.cols)) for i, mine in enumerate(board.layout) if mine]
        return (json.dumps({"rows": board.rows, "cols": board.cols, "mines": mines}) + "\n").encode()
    return f"{board}\n".encode()


def format_of(path: Path) -> str:
    """Return the format that belongs to the suffix of a file, or "text" for an unknown suffix."""
    return next((name for name, suffix in FORMATS.items() if path.suffix.lower() == suffix), "text")


def read_board(path: str | Path) -> Board:
    """Read a board from a file. Raise `PositionError` with the reason if the file is not valid."""
    path = Path(path)
    data = read_file(path, MAX_BYTES, PositionError)
    try:
        return decode(data, format_of(path))
    except PositionError as error:
        raise PositionError(f"{located(path)}: {error}") from None


def decode(data: bytes, format: str) -> Board:  # noqa: A002 - the name of the option
    """Return the board in the bytes of a file. Text may be rows of cells or an address."""
    if format == "mbf":
        return _from_mbf(data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise PositionError("not text, and its name does not end in .mbf") from None
    if format == "json":
        return _from_json(text)
    return board_from_url(text) if is_url(text) else Board.parse(text)


def board_files(path: Path) -> list[Path]:
    """Return the board files of a folder, sorted by name. Return a file as the only item of a list."""
    if not is_folder(path):
        return [path]
    try:
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in FORMATS.values())
    except OSError as error:
        raise PositionError(f"{located(path)}: cannot be read: {error.strerror}") from None
    if not files:
        raise PositionError(f"{located(path)}: there is no {', '.join(FORMATS.values())} file in this folder")
    return files


def _to_mbf(board: Board) -> bytes:
    if board.rows > 255 or board.cols > 255:
        raise PositionError(f"a board of {board.rows} x {board.cols} does not fit into .mbf: its sides are at most 255")
    places = [divmod(i, board.cols) for i, mine in enumerate(board.layout) if mine]
    head = bytes([board.cols, board.rows]) + len(places).to_bytes(2, "big")
    return head + bytes(number for row, col in places for number in (col, row))


def _from_mbf(data: bytes) -> Board:
    if len(data) < 4 or 0 in data[:2]:
        raise PositionError("not an .mbf board: expected width, height and the number of mines in 4 bytes")
    cols, rows = data[0], data[1]
    mines = int.from_bytes(data[2:4], "big")
    if len(data) != 4 + 2 * mines:
        raise PositionError(f"{mines} mines need {4 + 2 * mines} bytes, the file has {len(data)}")
    return _of(rows, cols, [(data[i + 1], data[i]) for i in range(4, len(data), 2)])


def _from_json(text: str) -> Board:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise PositionError(f"not JSON: {error}") from None
    except ValueError:
        raise PositionError("not a board: a number in it has thousands of digits") from None
    except RecursionError:
        raise PositionError("not a board: lists within lists, too deep to be read") from None
    match data:
        case {"rows": int(rows), "cols": int(cols), "mines": list(mines)} if rows > 0 and cols > 0:
            return _of(rows, cols, [_pair(mine) for mine in mines])
    raise PositionError('expected {"rows": R, "cols": C, "mines": [[row, col], ...]}')


def _pair(mine: Any) -> tuple[int, int]:
    match mine:
        case [int(row), int(col)]:
            return row, col
    raise PositionError(f"a mine at {brief(mine)}: expected [row, col]")


def _of(rows: int, cols: int, mines: list[tuple[int, int]]) -> Board:
    seen: set[tuple[int, int]] = set()
    for mine in mines:
        if mine in seen:
            raise PositionError(f"the mine at {brief(mine)} is listed twice")
        seen.add(mine)
    return Board.of(rows, cols, mines)
