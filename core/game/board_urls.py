"""Boards and positions in addresses, as other Minesweeper programs write and read them.

`?b=&m=` is the address of the ZiNi calculator of PTTACG, and of the editor of llamasweeper.com. `b` is 1, 2 or 3 for
Beginner, Intermediate and Expert, otherwise the width and the height in decimal, each padded with zeros to the same
number of digits, two or more. `m` has a bit for each cell, row by row, 1 for a mine: five bits in a character of
0-9a-v, the first cell in the highest bit, zeros after the last cell. It is left out if there are no mines.

`?analysis=` is the address of the analyser of JSMinesweeper: the width and the height in two characters each and the
number of mines in four, in base 62 with the digits a-zA-Z0-9; then the cells, row by row, run by run. A cell is `H`,
hidden; `F`, flagged; `I`, hidden and known to be a mine; or a clue, from which the number of `F` and `I` around it has
been subtracted, since that makes long runs of 0; `O` is a flag that is not subtracted. The 62 digits are divided among
these 13 symbols. The length of a run is written in the digits of its symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from urllib.parse import parse_qs

from sweepstakes.errors import PositionError, brief, did_you_mean
from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell, neighbours
from sweepstakes.game.size import MAX_SIDE, Size
from sweepstakes.game.view import View

ADDRESSES = {
    "pttacg": "https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/",
    "llamasweeper": "https://llamasweeper.com/#/game/board-editor",
    "jsminesweeper": "https://davidnhill.github.io/JSMinesweeper/",
}
"""The programs whose addresses are written, and where they are."""
_LEVELS = {"1": (9, 9), "2": (16, 16), "3": (16, 30)}
_BASE32 = "0123456789abcdefghijklmnopqrstuv"
_BASE62 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_SYMBOLS = "012345678IHFO"
_SHARES = (10, 7, 5, 5, 4, 3, 3, 1, 1, 4, 10, 8, 1)
"""Number of digits for each symbol."""


def _digits() -> Iterator[tuple[str, str]]:
    start = 0
    for symbol, share in zip(_SYMBOLS, _SHARES, strict=True):
        yield symbol, _BASE62[start : start + share]
        start += share


_DIGITS = dict(_digits())
_OWNER = {digit: symbol for symbol, digits in _DIGITS.items() for digit in digits}


def board_from_url(url: str) -> Board:
    """Read a board from an address. Raise `PositionError` with the reason if the address is not valid."""
    words = _parameters(url)
    if "b" in words:
        return _from_bits(words["b"], words.get("m", ""))
    cols, mines, cells = _analysis(words["analysis"])
    known = [symbol in "FOI" for symbol in cells]
    if sum(known) != mines:
        raise PositionError(
            f"the address has a position with {sum(known)} flags and {mines} mines: expected a whole board, "
            "with a flag on every mine (`sweepstakes solve` reads positions)"
        )
    board = Board(len(cells) // cols, cols, bytes(known))
    for flat, (symbol, clue) in enumerate(zip(cells, board.clues.reshape(-1).tolist(), strict=True)):
        if symbol.isdecimal() and int(symbol) != clue:
            raise PositionError(
                f"the address has a {symbol} at {Cell(*divmod(flat, cols))}, which has {clue} flags around it"
            )
    return board


def view_from_url(url: str) -> View:
    """Return the position in an address of JSMinesweeper, or of a board with every mine flagged."""
    words = _parameters(url)
    if "b" in words:
        board = board_from_url(url)
        cols, mines = board.cols, board.size.mines
        marks = board.drawing().shown.replace(".", "F")
    else:
        cols, mines, cells = _analysis(words["analysis"])
        marks = "".join(cells).translate(str.maketrans("HIO", "..F"))
    return View.parse("\n".join(marks[i : i + cols] for i in range(0, len(marks), cols)), mines=mines)


def board_url(board: Board, program: str) -> str:
    """Return the address under which a program shows the board: `pttacg`, `llamasweeper` or `jsminesweeper`."""
    if program not in ADDRESSES:
        raise PositionError(
            f"no address format for the program {brief(program)}{did_you_mean(str(program), ADDRESSES)}"
        )
    if program == "jsminesweeper":
        cells = ["F" if mine else "0" for mine in board.layout]
        return _analysis_url(board.rows, board.cols, board.size.mines, cells)
    level = next((level for level, sides in _LEVELS.items() if sides == (board.rows, board.cols)), None)
    digits = max(2, len(str(max(board.rows, board.cols))))
    url = f"{ADDRESSES[program]}?b={level or f'{board.cols:0{digits}}{board.rows:0{digits}}'}"
    if 1 not in board.layout:
        return url
    bits = board.layout + bytes(-len(board.layout) % 5)
    fives = (bits[i : i + 5] for i in range(0, len(bits), 5))
    return f"{url}&m=" + "".join(_BASE32[int("".join(map(str, five)), 2)] for five in fives)


def view_url(view: View) -> str:
    """Return the address at which the analyser of JSMinesweeper shows the position. Detonated mines become flags.

    Raises `PositionError` if a clue is withheld, because the analyser has no symbol for it.
    """
    if "?" in view.marks:
        raise PositionError("JSMinesweeper cannot represent an open cell whose clue is withheld")
    marks = view.marks.translate(str.maketrans(".*", "HF"))
    cells = list(marks)
    rest = [int(mark) if mark.isdecimal() else None for mark in marks]
    for flat in (flat for flat, mark in enumerate(marks) if mark == "F"):
        clues = [clue for clue in _around(view.rows, view.cols, flat) if rest[clue] is not None]
        if any(rest[clue] == 0 for clue in clues):
            cells[flat] = "O"
            continue
        for clue in clues:
            rest[clue] = (rest[clue] or 0) - 1
    if cells[0] == "O":
        raise PositionError("JSMinesweeper cannot read a flag in the first cell if a clue next to it rules it out")
    cells = [mark if number is None else str(number) for mark, number in zip(cells, rest, strict=True)]
    return _analysis_url(view.rows, view.cols, view.mines, cells)


def _parameters(url: str) -> dict[str, str]:
    """Return the parameters of an address that describe a board."""
    if len(url) > 2 * MAX_SIDE * MAX_SIDE:
        raise PositionError("the address is too long for a board")
    words = {key: values[0] for key, values in parse_qs(url.strip().partition("?")[2].partition("#")[0]).items()}
    if "b" in words or "analysis" in words:
        return words
    if re.match(r"\s*https?://(www\.)?minesweeper\.online/", url):
        raise PositionError(
            "an address of minesweeper.online names a game, not its mines: "
            "expected the address that the arrow next to ZiNi opens, with ?b= and &m="
        )
    raise PositionError(f"{brief(url, 100)}: no board in this address: expected ?b= and &m=, or ?analysis=")


def _from_bits(sides: str, bits: str) -> Board:
    """Return the board of `?b=&m=`."""
    for place, letter in enumerate(bits.lower()):
        if letter not in _BASE32:
            raise PositionError(f"character {place + 1} of m= is {letter!r}: expected 0-9 or a-v")
    rows, cols = _sides(sides, len(bits))
    count = -(-rows * cols // 5)
    if bits and len(bits) != count:
        raise PositionError(f"m= has {len(bits)} characters: expected {count} for {rows} x {cols} cells")
    flat = "".join(f"{int(letter, 32):05b}" for letter in bits) or "0" * rows * cols
    if "1" in flat[rows * cols :]:
        raise PositionError(f"m= has a mine after the last of the {rows} x {cols} cells")
    return Board(rows, cols, bytes(flat[: rows * cols].encode("ascii").translate(bytes.maketrans(b"01", b"\0\1"))))


def _sides(text: str, length: int) -> tuple[int, int]:
    """Return the rows and columns in `b=`, given the length of `m=`.

    Not every program pads the shorter number. If splitting the digits in half does not fit the length of `m=`, look for
    another split that does. It must be the only one.
    """
    if text in _LEVELS:
        return _LEVELS[text]
    if not (text.isascii() and text.isdecimal() and 2 <= len(text) <= 8):
        raise PositionError(
            f"b={brief(text)}: expected 1, 2, 3, or width and height with as many digits each, as in 0805"
        )
    splits = [(int(text[at:]), int(text[:at])) for at in range(1, len(text))]
    middle = splits[len(text) // 2 - 1] if len(text) % 2 == 0 else (0, 0)
    fitting = [sides for sides in splits if length and -(-sides[0] * sides[1] // 5) == length and min(sides) > 0]
    if middle not in fitting and len(fitting) == 1:
        return fitting[0]
    if len(text) % 2:
        raise PositionError(f"b={text}: expected width and height with as many digits each, as in 0805")
    rows, cols, _ = Size.of(*middle, mines=0)
    return rows, cols


def _analysis(text: str) -> tuple[int, int, list[str]]:
    """Return the columns, mines and symbols of `?analysis=`, with the flags added to the clues around them."""
    for place, letter in enumerate(text):
        if letter not in _OWNER:
            raise PositionError(f"character {place + 1} of analysis= is {letter!r}: expected a-z, A-Z or 0-9")
    if len(text) < 9:
        raise PositionError(f"analysis={brief(text)}: expected width, height, mines and the cells")
    cols, rows, mines = _number(text[:2]), _number(text[2:4]), _number(text[4:8])
    rows, cols, mines = Size.of(rows, cols, mines=mines)
    cells: list[str] = []
    for symbol, run in groupby(text[8:], _OWNER.__getitem__):
        digits, share, count = list(run), len(_DIGITS[symbol]), 0
        for digit in digits:
            count = count + 1 if share == 1 else min(count * share + _DIGITS[symbol].index(digit), rows * cols + 1)
        cells += symbol * count
        if len(cells) > rows * cols:
            break
    if len(cells) != rows * cols:
        many = "more" if len(cells) > rows * cols else f"{len(cells)}"
        raise PositionError(f"analysis= has {many} cells: expected {rows * cols} for {rows} x {cols}")
    added = Board(rows, cols, bytes(symbol in "FI" for symbol in cells)).revealed().tolist()
    for flat, symbol in enumerate(cells):
        if symbol.isdecimal():
            clue = int(symbol) + added[flat]
            if clue > 8:
                raise PositionError(f"analysis= has a clue of {clue} at {Cell(*divmod(flat, cols))}: expected 0 to 8")
            cells[flat] = str(clue)
    return cols, mines, cells


def _analysis_url(rows: int, cols: int, mines: int, cells: Iterable[str]) -> str:
    head = _written(cols, _BASE62, 2) + _written(rows, _BASE62, 2) + _written(mines, _BASE62, 4)
    runs = ((_DIGITS[symbol], len(list(run))) for symbol, run in groupby(cells))
    body = "".join(digits * count if len(digits) == 1 else _written(count, digits) for digits, count in runs)
    return f"{ADDRESSES['jsminesweeper']}?analysis={head}{body}"


def _written(number: int, digits: str, width: int = 0) -> str:
    """Return a number in the base of `digits`, padded with zeros to `width`."""
    text = ""
    while number:
        number, digit = divmod(number, len(digits))
        text = digits[digit] + text
    return text.rjust(width, digits[0])


def _number(text: str) -> int:
    number = 0
    for digit in text:
        number = number * len(_BASE62) + _BASE62.index(digit)
    return number


def _around(rows: int, cols: int, flat: int) -> list[int]:
    return [row * cols + col for row, col in neighbours(rows, cols, *divmod(flat, cols))]
