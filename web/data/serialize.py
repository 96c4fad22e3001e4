"""Positions, turns and probabilities as the browser takes them.

A cell is its flat index, row by row. A position is a text with one mark for each cell, the marks of `View`. Numbers for
each cell are run lengths: value, count, value, count, ...
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.game.result import GameResult
from sweepstakes.game.turn import Cells, Turn
from sweepstakes.game.view import View
from sweepstakes.tournaments.replay.replay import Replay

_MARKS = bytearray(b"!" * 256)
for _code, _mark in {COVERED: ".", FLAG: "F", DETONATED: "*", WITHHELD: "?"}.items():
    _MARKS[_code % 256] = ord(_mark)
for _clue in range(9):
    _MARKS[_clue] = ord(str(_clue))


def marks(view: View) -> str:
    """The position, one mark for each cell."""
    return view.data.translate(bytes(_MARKS)).decode()


def layout(mines: bytes) -> str:
    """A board, `*` for each mine and `.` for each other cell."""
    return "".join("*" if mine else "." for mine in mines)


def flat(cells: Cells, cols: int) -> list[int]:
    """The cells of a turn as flat indices."""
    if isinstance(cells, np.ndarray):
        indices: list[int] = cells.tolist()
        return indices
    return [int(row) * cols + int(col) for row, col in cells]


def plain_turn(turn: Turn, cols: int) -> dict[str, Any]:
    """A turn with its reason, and for each proven cell the clues that prove it."""
    return {
        "why": turn.why,
        "probability": None if turn.probability is None else round(float(turn.probability), 6),
        "open": flat(turn.open, cols),
        "flag": flat(turn.flag, cols),
        "unflag": flat(turn.unflag, cols),
        "fallback": bool(turn.fallback),
        "evidence": {
            row * cols + col: flat(clues, cols) for (row, col), clues in (turn.evidence or {}).items() if len(clues)
        },
    }


def run_lengths(values: Iterable[Any]) -> list[Any]:
    """Equal neighbours counted together: value, count, value, count, ..."""
    runs: list[Any] = []
    for value in values:
        if runs and runs[-2] == value:
            runs[-1] += 1
        else:
            runs += [value, 1]
    return runs


def percent(
    probability: npt.NDArray[np.float64], safe: npt.NDArray[np.bool_], mine: npt.NDArray[np.bool_]
) -> list[float | None]:
    """Mine probabilities in percent, None where there is none; only what is certain reads 0 or 100."""
    clipped = np.clip(np.round(probability * 100, 1), 0.1, 99.9)
    clipped = np.where(safe, 0.0, np.where(mine, 100.0, clipped))
    return [None if value != value else value for value in clipped.reshape(-1).tolist()]


def plain_result(result: GameResult) -> dict[str, Any]:
    """How a game ended, and what it counts."""
    return result._asdict() | {
        "measures": dict(result.measures),
        "ending": str(result.ending),
        "won": result.won,
    }


def plain_replay(replay: Replay) -> dict[str, Any]:
    """The first position, what each turn did and why, the board, and how the game ended."""
    first, *others = replay.frames
    rows, cols, mines = replay.result.size
    turns = []
    for frame in others:
        assert frame.turn is not None
        changed = np.flatnonzero(frame.before.shown != frame.after.shown).tolist()
        text = marks(frame.after)
        turns.append(plain_turn(frame.turn, cols) | {"at": changed, "to": "".join(text[i] for i in changed)})
    return {
        "rows": rows,
        "cols": cols,
        "mines": mines,
        "start": marks(first.after),
        "turns": turns,
        "layout": layout(replay.board.layout),
        "result": plain_result(replay.result),
    }
