"""Games played elsewhere: RAWVF, the text format of Minesweeper replays, as read by `sweepstakes review`.

A file has lines `Name: value`, the line `Board:` with rows of `*` (a mine) and `0`, and the line `Events:` with what
the mouse did: `1.25 lc 4 2 (51 19)` is the left button going down after 1.25 s, over column 4 of row 2, at this point
in pixels. `web/static/rawvf.js` reads the same files in the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import PositionError, brief
from sweepstakes.game import mouse_kernels as mouse
from sweepstakes.game.board import Board
from sweepstakes.game.game import Game, blank
from sweepstakes.game.referee_kernels import MARKS
from sweepstakes.game.rules import FirstClick, Rules
from sweepstakes.game.size import MAX_SIDE
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_log import ALL_FLAT, make_turns
from sweepstakes.untrusted.files import read_file

ENDING = ".rawvf"
MAX_BYTES = 20_000_000
"""The largest file that is read. An Expert game with all movements of the mouse has about 100 kB."""
BUTTONS = {
    "lc": mouse.LEFT_DOWN,
    "sc": mouse.SHIFT_LEFT_DOWN,
    "lr": mouse.LEFT_UP,
    "rc": mouse.RIGHT_DOWN,
    "rr": mouse.RIGHT_UP,
    "mc": mouse.MIDDLE_DOWN,
    "mr": mouse.MIDDLE_UP,
    "mt": mouse.TOGGLE_MARKS,
}
IGNORED = {"mv", "sx", "sy", "start", "won", "lost", "boom", "blast", "nonstandard", "solved"}
"""Events with a time that change nothing."""
OPTIONS = {"marks": mouse.QUESTION_MARKS, "questionmarks": mouse.QUESTION_MARKS, "superclick": mouse.SUPER_CLICK,
           "elmar": mouse.OPEN_ON_PRESS}  # fmt: skip
UNSUPPORTED = ("nono", "superflag")
"""Options under which clicks mean something else."""
SQUARE = 16
"""Pixels of a cell, unless the file says otherwise."""
_TIMED = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)\s+([a-z]{2,20})\b(.*)", re.ASCII | re.IGNORECASE)
_CELL = re.compile(r"\s*(-?\d{1,6})\s+(-?\d{1,6})\b", re.ASCII)
_POINT = re.compile(r"\(\s*(-?\d{1,6})\s+(-?\d{1,6})\s*\)", re.ASCII)


class RecordedGame(NamedTuple):
    """A game played elsewhere."""

    board: Board
    turns: list[Turn]
    times: list[float]
    """Seconds after the start, by turn."""
    rules: Rules
    head: Mapping[str, str]
    """The lines before the board, by name in lower case."""

    def game(self) -> Game:
        """Return the game before its first turn."""
        return Game(self.board, self.rules, agent=self.head.get("player") or "player")


def is_recording(path: str) -> bool:
    """Return whether a path names a RAWVF file and not a run."""
    return path.lower().endswith(ENDING) or (Path(path).is_file() and Path(path).suffix.lower() == ".txt")


def read_recording(path: str) -> RecordedGame:
    """Read a RAWVF file. Raise `PositionError` with the file and the line of what is wrong."""
    data = read_file(Path(path), MAX_BYTES, PositionError)
    try:
        return parse_recording(data.decode("utf-8", "replace"))
    except PositionError as error:
        raise PositionError(error, path) from None


def parse_recording(text: str) -> RecordedGame:
    """Read the text of a RAWVF file."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
    head: dict[str, str] = {}
    place = 0
    while place < len(lines) and not _is_head(lines[place], "board"):
        name, colon, value = lines[place].partition(":")
        if colon:
            head[name.strip().lower().replace(" ", "")] = value.strip()
        place += 1
    if place == len(lines):
        raise PositionError("no line 'Board:': expected a Minesweeper replay in the format RAWVF")
    rows: list[str] = []
    place += 1
    while place < len(lines) and not _is_head(lines[place], "events"):
        if row := lines[place].strip():
            rows.append(_row(row, rows, place + 1))
        place += 1
    if place == len(lines):
        raise PositionError("no line 'Events:' after the board")
    board = _board(rows, head)
    for name in UNSUPPORTED:
        if head.get(name, "off").lower() in ("on", "1", "true"):
            raise PositionError(f"{name} is on: games with this option cannot be read")
    events, times = _events(lines, place + 1, board, _square(head))
    return _play(board, events, times, head)


def _is_head(line: str, name: str) -> bool:
    return line.strip().lower() == f"{name}:"


def _row(row: str, rows: list[str], number: int) -> str:
    """Check a row of the board."""
    if wrong := row.strip("*0"):
        raise PositionError(f"line {number}: {brief(wrong[0])} in the board: expected '*' for a mine or '0'")
    if rows and len(row) != len(rows[0]):
        raise PositionError(f"line {number}: a row of {len(row)} cells: expected {len(rows[0])}, as above it")
    if len(rows) == MAX_SIDE or len(row) > MAX_SIDE:
        raise PositionError(f"line {number}: the board has more than {MAX_SIDE} rows or columns")
    return row


def _board(rows: list[str], head: Mapping[str, str]) -> Board:
    """Return the board, if it is the one that the head describes."""
    if not rows:
        raise PositionError("the board has no rows")
    board = Board.parse("\n".join(rows).replace("0", "."))
    found = {"width": board.cols, "height": board.rows, "mines": board.size.mines}
    for name, number in found.items():
        if name in head and head[name] != str(number):
            raise PositionError(f"{name.title()}: {brief(head[name])}, but the board has {number}")
    return board


def _square(head: Mapping[str, str]) -> int | None:
    """Return the pixels of a cell if the file states them."""
    if "squaresize" not in head:
        return None
    if not re.fullmatch(r"[1-9]\d{0,3}", head["squaresize"], re.ASCII):
        raise PositionError(f"SquareSize: {brief(head['squaresize'])}: expected a number of pixels")
    return int(head["squaresize"])


def _events(lines: list[str], begin: int, board: Board, square: int | None) -> tuple[list[int], list[float]]:
    """Return what the mouse does and the cell below it, in turn, and the times.

    Lines that begin with a letter describe changes of the board, which follow from the clicks.
    """
    events: list[int] = []
    times: list[float] = []
    for number, line in enumerate(lines[begin:], begin + 1):
        line = line.strip()
        if not line or not (line[0].isdigit() or line[0] == "-"):
            continue
        found = _TIMED.fullmatch(line)
        if found is None:
            raise PositionError(f"line {number}: {brief(line, 40)}: expected an event such as '1.25 lc 4 2 (51 19)'")
        seconds, name, rest = found[1], found[2].lower(), found[3]
        if name in IGNORED:
            continue
        if name not in BUTTONS:
            raise PositionError(f"line {number}: unknown event {brief(name, 20)}")
        events += [BUTTONS[name], -1 if name == "mt" else _cell(rest, board, square, number)]
        times.append(float(seconds))
    if not events:
        raise PositionError("no clicks after 'Events:'")
    return events, times


def _cell(text: str, board: Board, square: int | None, number: int) -> int:
    """Return the flat index of the cell of an event, -1 off the board. Column and row count from 1.

    Some programs count them from 0, so the point in pixels decides where the file states the size of a cell.
    """
    cell, point = _CELL.match(text), _POINT.search(text)
    if point and (square is not None or not cell):
        col, row = int(point[1]) // (square or SQUARE), int(point[2]) // (square or SQUARE)
    elif cell:
        col, row = int(cell[1]) - 1, int(cell[2]) - 1
    else:
        raise PositionError(f"line {number}: expected column and row of the click, as in '1.25 lc 4 2 (51 19)'")
    return row * board.cols + col if 0 <= row < board.rows and 0 <= col < board.cols else -1


def _play(board: Board, events: list[int], times: list[float], head: Mapping[str, str]) -> RecordedGame:
    """Find the turns. The first click counts as protected unless it hits a mine."""
    options = sum(bit for name, bit in OPTIONS.items() if head.get(name, "").lower() in ("on", "1", "true"))
    planes, counters = blank(Rules("end"), board.size, True)
    planes_array = np.frombuffer(bytearray(planes), np.int8)
    planes_array[board.size.cells : 2 * board.size.cells] = board.revealed()
    count = len(times)
    marks, numbers, when = _zeros(MARKS * count), _zeros(8 * count + 8), _zeros(count)
    played = mouse.play_mouse(np.array(events, np.int64), options, planes_array, counters.copy(), marks, numbers, when)
    if not played:
        raise PositionError("the clicks open and flag nothing")
    marks = marks[: MARKS * played]
    marks[::MARKS] += ALL_FLAT
    named = int(marks.reshape(-1, MARKS)[:, 1:].sum())
    turns = make_turns(marks, (), numbers[:named])
    first = next((int(np.asarray(turn.open).flat[0]) for turn in turns if len(turn.open)), None)
    protects: FirstClick = "any" if first is None or board.layout[first] else "safe"
    return RecordedGame(board, turns, [times[place] for place in when[:played]], Rules("end", protects), head)


def _zeros(length: int) -> npt.NDArray[np.int64]:
    return np.zeros(length, np.int64)
