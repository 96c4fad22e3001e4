"""Draws the picture of the first click in docs/definitions.md: board 0 of one seed under each rule."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from sweepstakes import Cell, GameSetup, Rules, Size, Turn, svg

FILE = Path(__file__).resolve().parents[1] / "pictures" / "definitions" / "first-click.svg"
SIZE = Size.parse("6x6/8")
CLICK = Cell(2, 3)
SEED, NUMBER = 2026, 14


def picture() -> str:
    """The three boards side by side."""
    drawn: list[str] = []
    width = height = 0
    for rule in ("any", "safe", "opening"):
        game = GameSetup(SIZE, seed=SEED, number=NUMBER, rules=Rules("end", rule)).game()
        game.take(Turn(open=[CLICK], why="random"))
        one = svg(game.view(), board=game.board, caption=f"first_click: {rule}", coordinates=False)
        (size,) = re.findall(r'^<svg .*? width="(\d+)" height="(\d+)"', one)
        width, height = map(int, size)
        drawn.append(one.replace("<svg ", f'<svg x="{len(drawn) * (width + 24)}" ', 1))
    whole = len(drawn) * (width + 24) - 24
    title = escape("The same board under the three rules for the first click")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{height}" role="img"><title>{title}</title>'
    )
    return "\n".join([head, *drawn, "</svg>"]) + "\n"


def generated() -> dict[Path, str]:
    """Return the picture by its file."""
    return {FILE: picture()}
