"""Prompts: the rules, the position and the form of the answer in words, each taken from the view.

Every sentence says what the referee does (`core/game/game.py`, `core/game/referee_kernels.py`). There is no advice on
how to play, and no list of the cells that may be opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np

from sweepstakes import ClueNoise, Noise, ParameterError, View
from sweepstakes.errors import brief, did_you_mean
from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.game.result import max_cells_in_turn, max_named_cells, max_turns
from sweepstakes.plugins.noise.cautious import Cautious
from sweepstakes.plugins.noise.hidden import Hidden
from sweepstakes.plugins.noise.liar import Liar
from sweepstakes.plugins.noise.optimistic import Optimistic

SYSTEM = "\n---\n"
"""Divides a template into the system message, before it, and the message of the user, after it."""
TEMPLATES = {
    "standard": "{rules}\n\n{answer}" + SYSTEM + "{position}",
    "one-message": "{rules}\n\n{position}\n\n{answer}",
}
"""The templates that have a name."""

Message = dict[str, str]


def check_template(template: str) -> str:
    """Return the text of a template, which is a name or the text itself. Raise `ParameterError` if it is neither."""
    text = TEMPLATES.get(template, template)
    if "{position}" not in text or "{answer}" not in text:
        hint = did_you_mean(template, TEMPLATES)
        raise ParameterError(
            f"template {brief(template)}: expected a name{hint}, or a text with {{rules}}, {{position}} and {{answer}}"
        )
    return text


def messages(view: View, form: str, template: str, answer: str, attempts: int) -> list[Message]:
    """Return the messages that ask for a turn: `form` names a way to show the position, `template` is a text."""
    parts = {"rules": rules(view, attempts), "position": FORMS[form](view), "answer": answer}
    for name, part in parts.items():
        template = template.replace(f"{{{name}}}", part)
    system, _, user = template.rpartition(SYSTEM)
    first = [{"role": "system", "content": system.strip()}] if system.strip() else []
    return [*first, {"role": "user", "content": user.strip()}]


def rules(view: View, attempts: int) -> str:
    """Return the rules of the game as the referee applies them, and what happens after a wrong answer."""
    paragraphs = (
        _board(view),
        [
            "Each answer of yours is one turn. A turn first removes flags, then puts flags, then opens cells, each in "
            "the order in which you name them.",
            *_opening(view),
        ],
        [_first_click(view)],
        _end(view),
        _illegal(view, attempts),
    )
    return "\n\n".join(" ".join(sentences) for sentences in paragraphs)


def _board(view: View) -> list[str]:
    rows, cols, mines = _count(view.rows, "row"), _count(view.cols, "column"), _count(view.mines, "mine")
    return [
        f"You play Minesweeper on a board of {rows} and {cols} with {mines}.",
        f"Rows are numbered from 0 (top) to {view.rows - 1} (bottom), "
        f"columns from 0 (left) to {view.cols - 1} (right).",
        "A cell (r, c) is the cell in row r and column c. Its neighbours are the up to eight cells around it, "
        "diagonal ones included.",
        "A cell is covered, flagged (covered, with a flag on it), open (it has no mine) or detonated (it has a mine, "
        "which was opened).",
    ]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _opening(view: View) -> list[str]:
    sentences = [_clues(view.noise)]
    if view.rules.flood and view.noise.floods:
        sentences.append(
            "If no neighbour of an opened cell has a mine, its covered neighbours are opened too, except flagged ones, "
            "and so on for each cell opened in this way."
        )
    else:
        sentences.append("Opening a cell opens no other cell.")
    if view.rules.last_mine:
        sentences.append("Opening a cell with a mine ends the game.")
    else:
        sentences.append(
            "Opening a cell with a mine detonates the mine: the cell is shown as detonated from then on, and the cells "
            "named after it are not opened. This alone does not end the game. Detonated mines still count in clues and "
            "in the number of mines on the board."
        )
    sentences.append("You may flag any covered cell that has no flag; flags are not checked during the game.")
    return sentences


def _clues(noise: Noise) -> str:
    """Return what an opened cell shows."""
    if noise.exact:
        return "An opened cell without a mine shows its clue: the number of its neighbours that have a mine."
    return (
        "An opened cell without a mine shows a clue about k, the number of its neighbours that have a mine. "
        + _describe_noise(noise)
        + " What each cell shows is drawn once, independently of all other cells, and never changes."
    )


_NOISES: dict[Callable[[float, bool], ClueNoise], str] = {
    Hidden: " probability {rate} the clue is withheld: the cell is open and shows no number. Otherwise it shows k.",
    Optimistic: " probability {rate} the clue is a number from {least} to k - 1, each equally likely. Otherwise, and "
    "always if there is no such number, it shows k.",
    Cautious: " probability {rate} the clue is a number from k + 1 to n, each equally likely, where n is the number "
    "of neighbours of the cell. Otherwise, and always if there is no such number, it shows k.",
    Liar: " probability {rate} the clue is k - 1 or k + 1, whichever is from {least} to n, where n is the number of "
    "neighbours of the cell; if both are, each is equally likely. Otherwise, and always if neither is, it shows k.",
}


@lru_cache(maxsize=64)
def _describe_noise(noise: Noise) -> str:
    """Return the distribution of clues: in a sentence for a built-in noise, in a table for any other."""
    table = noise.table
    rate = 1 - float(table[8, 4, 4])  # k = 4 of 8 neighbours has a replacement in each of these noises
    for kind, words in _NOISES.items():
        for blanks in (False, True):
            if np.allclose(kind(min(max(rate, 0.0), 1.0), blanks).model("").table, table, atol=1e-12):
                blank = "With" if blanks else "A cell with k = 0 always shows 0. For any other cell, with"
                return blank + words.format(rate=f"{rate:.12g}", least=0 if blanks else 1)
    return (
        "What it shows depends on n, its number of neighbours, and on k. Each value is followed by its probability: "
        + _noise_table(noise)
    )


def _noise_table(noise: Noise) -> str:
    lines = []
    for n in range(9):
        for k in range(n + 1):
            shown = [
                f"{'no number' if code == WITHHELD else code} {p:.6g}"
                for code, p in enumerate(noise.table[n, k].tolist())
                if p
            ]
            lines.append(f"n={n} k={k}: {', '.join(shown)}")
    return "; ".join(lines) + "."


def _first_click(view: View) -> str:
    """Return how the first opened cell was or will be protected. In a position, the first click may be over."""
    safe, start = view.rules.first_click, view.rules.start
    if start is not None:
        opened = f"Before your first turn cell {_name(start)} was opened for you"
        return {
            "any": f"{opened}; the mines were placed without regard to it.",
            "safe": f"{opened}; the mines were placed so that it has none.",
            "opening": f"{opened}; the mines were placed so that neither it nor any of its neighbours has one.",
        }[safe]
    if view.open() or view.detonated():
        return {
            "any": "The first cell that was opened in this game could have had a mine.",
            "safe": "The first cell that was opened in this game could not have a mine: the positions of the mines "
            "were fixed only after it had been chosen.",
            "opening": "Neither the first cell that was opened in this game nor any of its neighbours could have a "
            "mine: the positions of the mines were fixed only after that cell had been chosen.",
        }[safe]
    return {
        "any": "No cell has been opened yet. The first one may have a mine, like any other.",
        "safe": "No cell has been opened yet. The first one that you open has no mine: the positions of the mines are "
        "fixed only after you have chosen it.",
        "opening": "No cell has been opened yet. Neither the first one that you open nor any of its neighbours has a "
        "mine: the positions of the mines are fixed only after you have chosen it.",
    }[safe]


def _end(view: View) -> list[str]:
    if view.rules.last_mine:
        ends = "The game ends when a mine is opened, or as soon as every cell without a mine is open."
    else:
        ends = "The game ends after a turn when every cell is open, flagged or detonated."
    return [
        ends,
        "You win if every cell without a mine is open and no mine was opened; flags are not needed for that."
        if view.rules.last_mine
        else "You win if every cell without a mine is open at the end and no mine was detonated.",
        "A turn that names no cell gives the game up, which ends it.",
        f"A game may take at most {max_turns(view.rows * view.cols)} turns; one more turn loses it.",
    ]


def _illegal(view: View, attempts: int) -> list[str]:
    cells = view.rows * view.cols
    sentences = [
        "At its place in the turn, each cell that you flag or open must be covered and not flagged, and each cell "
        "whose flag you remove must be flagged. A cell that you name twice in one list, or that the same turn has "
        "already opened, is skipped. An answer is illegal if a cell breaks these rules or is not on the board, if it "
        f"names more than {max_cells_in_turn(cells)} cells, or if all turns of the game together then name more than "
        f"{max_named_cells(cells)} cells."
    ]
    if attempts == 1:
        sentences.append("If your answer is illegal, empty, cut off or not in the form asked for, you lose the game.")
    else:
        times, last = ("once more", "that") if attempts == 2 else (f"again, up to {attempts - 1} times", "the last")
        sentences.append(
            "If your answer is illegal, empty, cut off or not in the form asked for, you are told what was wrong and "
            f"asked {times}. If {last} answer is wrong too, you lose the game."
        )
    return sentences


def _name(cell: tuple[int, int]) -> str:
    return f"({cell[0]}, {cell[1]})"


def _names(cells: Iterable[tuple[int, int]]) -> str:
    return ", ".join(map(_name, cells)) or "none"


def grid(view: View) -> str:
    """Return the position as a grid with row and column numbers."""
    width = len(str(max(view.rows, view.cols) - 1))
    marks = view.marks
    head = " " * (width + 1) + "".join(f" {col:>{width}}" for col in range(view.cols))
    lines = [
        f"{row:>{width}} " + "".join(f" {mark:>{width}}" for mark in marks[row * view.cols : (row + 1) * view.cols])
        for row in range(view.rows)
    ]
    return "\n".join(
        [
            "The position, with the column numbers in the first line and the row number at the start of each other "
            "line. `.` is a covered cell, `F` a flagged cell, `*` a detonated mine, a digit an open cell that shows "
            "this clue, `?` an open cell whose clue is withheld.",
            "",
            head,
            *lines,
        ]
    )


def coordinates(view: View) -> str:
    """Return the position as a list of the cells that are not covered."""
    clues = [f"{_name(cell)}: {view.clue(cell)}" for cell in view.open() if view.clue(cell) is not None]
    withheld = [cell for cell in view.open() if view.clue(cell) is None]
    return "\n".join(
        [
            "The position. All cells that are not listed are covered and have no flag.",
            "",
            f"Open cells with their clues: {', '.join(clues) or 'none'}",
            f"Open cells whose clue is withheld: {_names(withheld)}",
            f"Flagged cells: {_names(view.flagged())}",
            f"Detonated mines: {_names(view.detonated())}",
        ]
    )


def constraints(view: View) -> str:
    """Return the position as a line for each open cell: its clue and its neighbours that are not open."""
    lines = [
        "The position, with a line for each open cell: its clue, and those of its neighbours that are not open. All "
        "cells that are neither open, flagged nor detonated are covered and have no flag.",
        "",
    ]
    kinds = {"covered": view.is_covered, "flagged": view.is_flagged, "detonated": set(view.detonated()).__contains__}
    for cell in view.open():
        clue = view.clue(cell)
        shows = "its clue is withheld" if clue is None else f"clue {clue}"
        around = view.neighbours(cell)
        beside = [f"{name} {_names(found)}" for name, has in kinds.items() if (found := [c for c in around if has(c)])]
        lines.append(f"{_name(cell)}: {shows}; {'; '.join(beside) or 'all neighbours are open'}")
    lines.append(f"Flagged cells: {_names(view.flagged())}")
    lines.append(f"Detonated mines: {_names(view.detonated())}")
    return "\n".join(lines)


_WORDS: dict[int, str | None] = {COVERED: None, FLAG: "flag", DETONATED: "detonated", WITHHELD: "withheld"}


def as_json(view: View) -> str:
    """Return the position as JSON."""
    cells = [[_WORDS.get(code, code) for code in row] for row in view.shown.tolist()]
    rows = ",\n".join(f"  {json.dumps(row)}" for row in cells)
    return (
        'The position as JSON. "cells" has a list for each row, from the top, with an item for each column, from the '
        'left: null is a covered cell, "flag" a flagged cell, "detonated" a detonated mine, a number an open cell that '
        'shows this clue, "withheld" an open cell whose clue is withheld.\n\n'
        f'{{"rows": {view.rows}, "cols": {view.cols}, "mines": {view.mines}, "cells": [\n{rows}\n]}}'
    )


FORMS: dict[str, Callable[[View], str]] = {
    "grid": grid,
    "coordinates": coordinates,
    "constraints": constraints,
    "json": as_json,
}
"""The ways to show a position, by the names of the parameter `view`."""
