"""Positions, turns, results and replays as the JSON data that the browser reads.

A cell is its flat index, row by row. A position is a text with one character for each cell: the revealed codes as
`str(View)` writes them. A list with a number for each cell is run-length encoded: value, count, value, count, ...
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.game.result import GameResult
from sweepstakes.game.turn import Turn, flat_cells
from sweepstakes.game.view import View
from sweepstakes.plugins.scores.standard import Efficiency
from sweepstakes.tournaments.replay.replay import Replay

_CHARACTERS = bytearray(b"!" * 256)
for _code, _character in {COVERED: ".", FLAG: "F", DETONATED: "*", WITHHELD: "?"}.items():
    _CHARACTERS[_code % 256] = ord(_character)
for _clue in range(9):
    _CHARACTERS[_clue] = ord(str(_clue))


def serialize_seed(seed: int) -> int | str:
    """Return a seed as a number, or as its decimal text if it has more than 53 bits: a browser would round it."""
    return seed if seed < 1 << 53 else str(seed)


def position_text(view: View) -> str:
    """Return the revealed codes of a position, one character for each cell."""
    return view.data.translate(bytes(_CHARACTERS)).decode()


def layout_text(mines: bytes) -> str:
    """Return the mines of a board: `*` for a mine and `.` for any other cell."""
    return "".join("*" if mine else "." for mine in mines)


def serialize_turn(turn: Turn, cols: int) -> dict[str, Any]:
    """Return a turn with its reason, and for each proven cell the clues that prove it."""
    return {
        "why": turn.why,
        "probability": rounded_chance(turn.probability),
        "open": flat_cells(turn.open, cols),
        "flag": flat_cells(turn.flag, cols),
        "unflag": flat_cells(turn.unflag, cols),
        "fallback": bool(turn.fallback),
        "evidence": {
            row * cols + col: flat_cells(clues, cols)
            for (row, col), clues in (turn.evidence or {}).items()
            if len(clues)
        },
    }


def rounded_chance(probability: float | None) -> float | None:
    """Return a probability with six digits; only 0 and 1 themselves become 0 and 1."""
    if probability is None or probability in (0, 1):
        return probability
    return min(max(round(float(probability), 6), 1e-6), 1 - 1e-6)


def run_lengths(values: Iterable[Any]) -> list[Any]:
    """Return the run-length encoding: value, count, value, count, ..."""
    runs: list[Any] = []
    for value in values:
        if runs and runs[-2] == value:
            runs[-1] += 1
        else:
            runs += [value, 1]
    return runs


def percentages(
    probability: npt.NDArray[np.float64], safe: npt.NDArray[np.bool_], mine: npt.NDArray[np.bool_]
) -> list[float | None]:
    """Return mine probabilities in percent, and None for open cells. Only certain cells have 0 or 100."""
    clipped = np.clip(np.round(probability * 100, 1), 0.1, 99.9)
    clipped = np.where(safe, 0.0, np.where(mine, 100.0, clipped))
    return [None if value != value else value for value in clipped.reshape(-1).tolist()]


def serialize_result(result: GameResult) -> dict[str, Any]:
    """Return the ending of a game, the counts in its result, and 3BV per click, None if that is not defined."""
    efficiency = Efficiency()(result)
    return result._asdict() | {
        "measures": dict(result.measures),
        "ending": str(result.ending),
        "won": result.won,
        "efficiency": None if efficiency != efficiency else efficiency,
    }


def _lies(replay: Replay) -> dict[int, int]:
    """Return the true number of every open cell whose clue was another or withheld, by cell."""
    shown, truth = replay.frames[-1].after.shown, replay.board.clues
    cells = np.flatnonzero((shown >= 0) & (truth >= 0) & (shown != truth))
    return {int(cell): int(truth.reshape(-1)[cell]) for cell in cells}


def serialize_replay(replay: Replay) -> dict[str, Any]:
    """Return the first position, each turn with its reason and the cells that it changed, the mines, the true numbers
    of clues that lied, and the result."""
    start, *frames = replay.frames
    rows, cols, mines = replay.result.size
    turns = []
    for frame in frames:
        assert frame.turn is not None
        changed = np.flatnonzero(frame.before.shown != frame.after.shown).tolist()
        text = position_text(frame.after)
        turns.append(serialize_turn(frame.turn, cols) | {"at": changed, "to": "".join(text[cell] for cell in changed)})
    return {
        "rows": rows,
        "cols": cols,
        "mines": mines,
        "start": position_text(start.after),
        "turns": turns,
        "layout": layout_text(replay.board.layout),
        "lies": _lies(replay),
        "result": serialize_result(replay.result),
    }
