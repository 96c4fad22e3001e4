"""Reads `golden_boards.txt`: boards that every machine must always generate."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).with_suffix(".txt")


class Golden(NamedTuple):
    """A board: its arguments, its seed and its text."""

    rows: int
    cols: int
    mines: int
    tournament_seed: int
    number: int
    first_click: Any
    row: int
    col: int
    seed: int
    text: str


def golden_boards() -> list[Golden]:
    """Return all boards, in the order of the file."""
    boards = []
    for block in FILE.read_text(encoding="utf-8").strip().split("\n\n"):
        head, text = block.split("\n", 1)
        words = head.removeprefix("# ").split()
        numbers = [int(word) for word in words if word.isdecimal()]
        rows, cols, mines, tournament_seed, number, row, col, seed = numbers
        boards.append(Golden(rows, cols, mines, tournament_seed, number, words[5], row, col, seed, text))
    return boards
