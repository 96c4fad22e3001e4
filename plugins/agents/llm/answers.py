"""Answers: how a model states a turn, and how its reply is read.

A reply is read by one of three forms. In each of them the last stated answer counts, and nothing is taken from prose:

- `json`: an object with the keys of `SCHEMA`, which the endpoint is asked to enforce;
- `tool`: the arguments of a call of the function `play`, with the same keys;
- `text`: a line that begins with `ANSWER`, after any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from sweepstakes import Cell, Turn, View
from sweepstakes.errors import brief
from sweepstakes.game.faults import FaultKind
from sweepstakes.game.result import max_cells_in_turn, max_named_cells
from sweepstakes.game.turn import REASONS
from sweepstakes.untrusted.text import clean

_CELLS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"row": {"type": "integer"}, "col": {"type": "integer"}},
        "required": ["row", "col"],
        "additionalProperties": False,
    },
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "open": _CELLS,
        "flag": _CELLS,
        "unflag": _CELLS,
        "why": {"type": "string", "enum": list(REASONS)},
        "probability": {"type": ["number", "null"]},
    },
    "required": ["open", "flag", "unflag", "why", "probability"],
    "additionalProperties": False,
}
"""The JSON schema of an answer: every key is required, as endpoints that enforce schemas demand."""
_LISTS = ("open", "flag", "unflag")
TOOL = "play"
_MEANING = (
    '"open", "flag" and "unflag" are the cells to open, to flag, and to remove flags from.',
    '"why" is "proof" if it is certain for every cell that you open that it has no mine, and for every cell that you '
    'flag that it has one; "guess" if you chose a cell by an estimate; "random" if you chose it at random.',
    '"probability" is your estimate, from 0 to 1, of the probability that the first cell in "open" is a mine; ',
)


class Reply(NamedTuple):
    """What a model answered: one choice of a chat completion."""

    text: str = ""
    """The content, without thoughts that the model wrote in front of it between <think> tags."""
    calls: tuple[tuple[str, str], ...] = ()
    """The tool calls: name and arguments."""
    cut_off: bool = False
    """Whether the answer was longer than the endpoint allows."""


class BadAnswer(Exception):  # noqa: N818 - the model gets the message and may answer again
    """An answer that is not a legal turn: the kind of fault, and what was wrong, as the end of a sentence about the
    answer."""

    def __init__(self, kind: FaultKind, what: str) -> None:
        super().__init__(what)
        self.kind = kind
        self.what = what


def instructions(form: str) -> str:
    """Tell the model in which form to answer."""
    if form == "text":
        return "\n".join(
            [
                "You may write anything before your answer. Give the answer in one line of this form, in which R,C "
                "stands for a row and a column:",
                "ANSWER open=R,C;R,C flag=R,C;R,C unflag=R,C;R,C why=WORD probability=P",
                *_MEANING[:2],
                f"{_MEANING[2]}leave it out if you have none. Leave out a list that has no cells.",
                "If several lines begin with ANSWER, the last one counts.",
            ]
        ).replace('"', "`")
    cells = '[{"row": R, "col": C}, ...]'
    shape = f'{{"open": {cells}, "flag": {cells}, "unflag": {cells}, "why": WORD, "probability": P}}'
    if form == "tool":
        first = f"Answer by a call of the function `{TOOL}` with arguments of this form:"
        last = "If you call it more than once, the last call counts."
    else:
        first = "Answer with a JSON object of this form:"
        last = "If you write more than one such object, the last one counts."
    return "\n".join([first, shape, *_MEANING[:2], f"{_MEANING[2]}null if you have none.", last])


def request_fields(form: str) -> dict[str, Any]:
    """Return the fields of a request that make the endpoint enforce a form."""
    if form == "json":
        schema = {"name": "turn", "strict": True, "schema": SCHEMA}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if form == "tool":
        function = {"name": TOOL, "description": "Take a turn.", "parameters": SCHEMA, "strict": True}
        return {
            "tools": [{"type": "function", "function": function}],
            "tool_choice": {"type": "function", "function": {"name": TOOL}},
        }
    return {}


def read(reply: Reply, form: str, view: View, named: int = 0) -> Turn:
    """Return the turn that a reply states. Raise `BadAnswer` if it states none, or an illegal one.

    `named` is the number of cells that earlier turns of the game have named.
    """
    if reply.cut_off:
        raise BadAnswer(FaultKind.TRUNCATED_REPLY, "was cut off: it was longer than allowed")
    if not reply.text.strip() and not (form == "tool" and reply.calls):
        raise BadAnswer(FaultKind.EMPTY_REPLY, "was empty")
    turn = _turn({"json": _last_object, "tool": _last_call, "text": _last_line}[form](reply))
    check_legal(turn, view, named)
    return turn


def _unreadable(what: str) -> BadAnswer:
    return BadAnswer(FaultKind.UNREADABLE_REPLY, what)


MAX_FAILURES = 1000
"""Maximum number of places at which an answer may begin an object without being JSON. Each takes time to try."""
_OBJECT = re.compile(r'\{\s*"')
_BEGUN = re.compile(r'\{\s*"(?:open|flag|unflag|why|probability)"')


def _last_object(reply: Reply) -> dict[str, Any]:
    """Return the last JSON object in a text that has a list of cells."""
    decoder, text = json.JSONDecoder(), reply.text
    found: dict[str, Any] | None = None
    place = end = failures = 0
    while start := _OBJECT.search(text, place):
        try:
            value, place = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            place = start.end() - 1
            failures += 1
            if failures > MAX_FAILURES:
                raise _unreadable(f"began more than {MAX_FAILURES} objects that are not JSON") from None
            continue
        if any(name in value for name in _LISTS):
            found, end = value, place
    if _BEGUN.search(text, end):
        raise _unreadable("ended with an object that is not complete, or not of the form asked for")
    if found is None:
        raise _unreadable("had no JSON object of the form asked for")
    return found


def _last_call(reply: Reply) -> dict[str, Any]:
    """Return the arguments of the last call of the function."""
    calls = [arguments for name, arguments in reply.calls if name == TOOL]
    if not calls:
        raise _unreadable(f"did not call the function `{TOOL}`")
    try:
        value = json.loads(calls[-1])
    except (ValueError, RecursionError):
        raise _unreadable("had arguments that are not JSON") from None
    if not isinstance(value, dict):
        raise _unreadable("had arguments that are not a JSON object")
    return value


_LINE = re.compile(r"^[ \t*`]*ANSWER\b(.*)$", re.MULTILINE)
_AROUND = " \t*`"
"""Characters by which a line may be set off, as in Markdown."""
_PART = re.compile(r"(open|flag|unflag|why|probability)=(\S*)")
_CELL = re.compile(r"-?\d{1,9},-?\d{1,9}")


def _last_line(reply: Reply) -> dict[str, Any]:
    """Return the last line that begins with ANSWER, converted to an object."""
    lines = _LINE.findall(reply.text)
    if not lines:
        raise _unreadable("had no line that begins with ANSWER")
    value: dict[str, Any] = {"open": []}
    for word in lines[-1].lstrip(f":{_AROUND}").rstrip(_AROUND).split():
        part = _PART.fullmatch(word)
        if part is None:
            raise _unreadable(f"had {brief(clean(word, 40))} in its last line that begins with ANSWER")
        name, text = part.groups()
        if name in _LISTS:
            cells = [cell for cell in text.split(";") if cell]
            if any(_CELL.fullmatch(cell) is None for cell in cells):
                raise _unreadable(f"had {brief(clean(word, 40))}: expected cells as R,C;R,C")
            value[name] = [dict(zip(("row", "col"), map(int, cell.split(",")), strict=True)) for cell in cells]
        elif name == "probability":
            try:
                value[name] = float(text)
            except ValueError:
                raise _unreadable(f"had {brief(clean(word, 40))}: expected a number from 0 to 1") from None
        else:
            value[name] = text
    return value


def _turn(value: dict[str, Any]) -> Turn:
    """Return the turn that an object states; other keys of the object are ignored."""
    opens, flags, unflags = (_cells(name, value.get(name)) for name in _LISTS)
    why = value.get("why")
    if why not in REASONS:
        raise _unreadable(f'had {brief(why)} as "why": expected one of {", ".join(REASONS)}')
    chance = value.get("probability")
    if chance is not None:
        if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
            raise _unreadable(f'had {brief(chance)} as "probability": expected a number from 0 to 1, or none')
        chance = float(chance)
    return Turn(opens, flags, unflags, why, chance)


def _cells(name: str, value: Any) -> tuple[Cell, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise _unreadable(f'had {brief(value)} as "{name}": expected a list of cells')
    cells = []
    for item in value:
        row, col = (item.get("row"), item.get("col")) if isinstance(item, dict) else (None, None)
        if type(row) is not int or type(col) is not int:
            raise _unreadable(f'had {brief(item)} in "{name}": expected a row and a column')
        cells.append(Cell(row, col))
    return tuple(cells)


def count_named(turn: Turn) -> int:
    """Return how many cells a turn names."""
    return len(turn.open) + len(turn.flag) + len(turn.unflag)


def check_legal(turn: Turn, view: View, named: int = 0) -> None:
    """Raise `BadAnswer` for the first cell that the referee would refuse, in the order in which it carries out a turn.

    What a turn opens is not known in advance. A cell is therefore illegal here even if a mine would have ended the turn
    before the referee reached it.
    """
    lists: tuple[tuple[str, Sequence[tuple[int, int]]], ...] = (
        ("removed the flag of", turn.unflag),  # type: ignore[assignment]  # `_turn` made tuples of cells
        ("flagged", turn.flag),
        ("opened", turn.open),
    )
    cells_here, size = count_named(turn), view.rows * view.cols
    if cells_here > max_cells_in_turn(size):
        raise _illegal(f"named more than {max_cells_in_turn(size)} cells")
    if named + cells_here > max_named_cells(size):
        raise _illegal(f"named more than {max_named_cells(size)} cells together with the turns before")
    unflagged: set[tuple[int, int]] = set()
    flagged: set[tuple[int, int]] = set()
    for done, cells in lists:
        for cell in cells:
            row, col = cell
            if not (0 <= row < view.rows and 0 <= col < view.cols):
                raise _illegal(f"{done} {brief((row, col))}, which is not on the board")
            if done == "removed the flag of":
                if not view.is_flagged(cell):
                    raise _illegal(f"{done} ({row}, {col}), which is not flagged")
                unflagged.add(cell)
                continue
            is_flag = cell in flagged or (view.is_flagged(cell) and cell not in unflagged)
            if is_flag and not (done == "flagged" and cell in flagged):
                raise _illegal(f"{done} ({row}, {col}), which is flagged")
            if not view.is_covered(cell) and not view.is_flagged(cell):
                state = "already open" if view.is_open(cell) else "detonated"
                raise _illegal(f"{done} ({row}, {col}), which is {state}")
            if done == "flagged":
                flagged.add(cell)


def _illegal(what: str) -> BadAnswer:
    return BadAnswer(FaultKind.ILLEGAL_REPLY, what)
