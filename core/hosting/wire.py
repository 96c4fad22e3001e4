"""The frames between the referee and a host that runs a Python agent.

A frame is its length in four bytes, then its body: the kind in one byte, and what belongs to it. The referee asks, the
host answers, one answer for each question, with the number of the question in it. A host runs third-party code, which
can write into the host's end of the pipe: so the referee bounds the length of an answer before it reads it, checks
every number in it, and builds new objects from the numbers. Nothing is unpickled, and a false frame can say nothing
but a turn or a fault of the agent that wrote it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sweepstakes.game.cell import Cell
from sweepstakes.game.result import Ending, most_turns
from sweepstakes.game.rules import Rules
from sweepstakes.game.turn import REASONS, Turn
from sweepstakes.game.untrusted_turn import TurnParts
from sweepstakes.game.view import View
from sweepstakes.noise import EXACT, Noise
from sweepstakes.untrusted.text import clean, clean_lines

LENGTH = struct.Struct("<I")
PING, SETUP, CONSTRUCT, GAME, VIEW, CALL = b"P", b"S", b"C", b"G", b"V", b"M"
"""Kinds of questions: a test of the pipe; the agent's plugin and parameters, as JSON; a new agent; the first view of a
game, with all that stays the same in it; a later view; and a method of a service with its arguments, as JSON."""
DONE, TURN, FAULT = b"D", b"T", b"F"
"""Kinds of answers: done, with JSON for `SETUP` and `CALL`; a turn; and a fault of the agent, as JSON."""

ASK = struct.Struct("<IcII")
"""Length, kind, number of the question, and number of the agent, since a host may have several in its process."""
_ANSWER = struct.Struct("<IcI")
_TURN = struct.Struct("<BBBBdIIII")
"""Reason, forms of the three lists, whether a weaker method decided, whether there is a probability; the probability;
and how many numbers follow for the cells to open, to flag, to unflag, and for the evidence."""
_GAME = struct.Struct("<IIIQBI")
"""Rows, columns, mines, seed of the random numbers, `explain`, and the length of the JSON that follows."""
HEAD = _ANSWER.size
MAX_JSON = 1 << 18
"""Bytes of JSON in an answer."""
MAX_CALL = 1 << 25
"""Bytes of JSON in the answer of a service: the turns of a game on 100 x 100 cells with evidence take millions."""
MAX_SETUP = 1 << 26
"""Bytes of a question: the text of a plugin may be long."""
_PAIRS = (1, 2, 4)
"""The forms of a list: its bit is set if it is a list of cells, and not an array of flat indices."""
_WIDE = 8
"""The bit for numbers of 8 bytes instead of 4: some cell is far off the board."""
_BEYOND = 1 << 62


class WireError(ValueError):
    """An answer that is no frame of this protocol."""


class Fault(NamedTuple):
    """A fault that a host reports: what the agent did, as the end of a sentence whose subject is the agent."""

    ending: Ending
    what: str
    trace: str = ""
    """The traceback of the agent's exception, for its author."""


REPORTED = (Ending.ERROR, Ending.MEMORY, Ending.ILLEGAL_MOVE)
"""The endings that a host may report. The referee sees by itself that a host is too slow, or has died."""


def longest_answer(cells: int) -> int:
    """The most bytes of a frame that answers a view of so many cells."""
    named = most_turns(cells)
    return HEAD + max(MAX_JSON, _TURN.size + 16 * named + 4 * 12 * named)


def json_frame(kind: bytes, number: int, data: Any, agent: int = 0) -> bytes:
    """A question with JSON."""
    body = json.dumps(data, separators=(",", ":")).encode()
    return ASK.pack(ASK.size - 4 + len(body), kind, number, agent) + body


def load_json(content: bytes) -> Any:
    """The JSON in a question, which the referee wrote."""
    return json.loads(content)


def game_frame(number: int, agent: int, view: View, seed: int, explain: bool) -> bytes:
    """The first view of a game, with the rules and the noise."""
    noise = None if view.noise == EXACT else [view.noise.name, view.noise.data.hex()]
    constant = json.dumps([list(view.rules), noise]).encode()
    body = _GAME.pack(view.rows, view.cols, view.mines, seed, explain, len(constant)) + constant + view.data
    return ASK.pack(ASK.size - 4 + len(body), GAME, number, agent) + body


def view_frame(number: int, agent: int, view: View) -> bytes:
    """A later view of a game."""
    data = view.data
    return ASK.pack(ASK.size - 4 + len(data), VIEW, number, agent) + data


def read_game(body: bytes) -> tuple[View, int, bool]:
    """The first view of a game, the seed and `explain`, as `game_frame` wrote them (after the head of the frame)."""
    rows, cols, mines, seed, explain, length = _GAME.unpack_from(body)
    (on_mine, first_click, start, flood), noise = json.loads(body[_GAME.size : _GAME.size + length])
    rules = Rules(on_mine, first_click, None if start is None else Cell(*start), flood)
    shown = Noise(noise[0], bytes.fromhex(noise[1])) if noise is not None else EXACT
    return View(rows, cols, mines, rules, shown, body[_GAME.size + length :]), seed, bool(explain)


def done_frame(number: int, data: Any = None) -> bytes:
    """The answer that a question without a turn is done."""
    body = b"" if data is None else json.dumps(data, separators=(",", ":")).encode()
    return _ANSWER.pack(HEAD - 4 + len(body), DONE, number) + body


def fault_frame(number: int, fault: Fault) -> bytes:
    """The answer that the agent is at fault."""
    body = json.dumps([fault.ending.value, fault.what[:2000], fault.trace[-40_000:]]).encode()
    if len(body) > MAX_JSON:
        body = json.dumps([fault.ending.value, fault.what[:2000], ""]).encode()
    return _ANSWER.pack(HEAD - 4 + len(body), FAULT, number) + body


def turn_frame(number: int, parts: TurnParts, cols: int) -> bytes:
    """The answer with a turn, whose parts have been read by `read_turn`."""
    opens, flags, unflags, _, flat, why, probability, evidence, fallback = parts
    lists = (opens, flags, unflags)
    if flat and evidence is None:  # the usual case of fast agents
        form, width = 0, "<i4"
        numbers = b"".join([_narrow(cells) for cells in lists if len(cells)])
        if len(numbers) != 4 * (len(opens) + len(flags) + len(unflags)):
            form, width = _WIDE, "<i8"
            numbers = b"".join([cells.astype(width).tobytes() for cells in lists])
        counts = (len(opens), len(flags), len(unflags), 0)
    else:
        form, plain = 0, []
        for bit, cells in zip(_PAIRS, lists, strict=True):
            if isinstance(cells, tuple):
                form |= bit
                plain.append([number for cell in cells for number in cell])
            else:
                plain.append(cells.tolist())
        plain.append(_evidence_numbers(evidence or {}, cols))
        together = [number for each in plain for number in each]
        width = "<i4"
        if together and (max(together) >= 1 << 31 or min(together) < -(1 << 31)):
            form |= _WIDE
            together = [min(max(number, -_BEYOND), _BEYOND) for number in together]
            width = "<i8"
        numbers = np.array(together, width).tobytes()
        counts = tuple(len(each) for each in plain)  # type: ignore[assignment]  # four of them
    has_probability = probability is not None
    head = _TURN.pack(REASONS.index(why), form, fallback, has_probability, probability or 0.0, *counts)
    return _ANSWER.pack(HEAD - 4 + len(head) + len(numbers), TURN, number) + head + numbers


def _narrow(cells: Any) -> bytes:
    """Flat indices in four bytes each; nothing if one of them does not fit."""
    if cells.min() < -(1 << 31) or cells.max() >= 1 << 31:
        return b""
    narrow: bytes = cells.astype("<i4").tobytes()
    return narrow


def _evidence_numbers(evidence: Mapping[Cell, Sequence[Cell]], cols: int) -> list[int]:
    """For each cell its flat index, the number of its clues, and the flat indices of the clues."""
    numbers: list[int] = []
    for (row, col), clues in evidence.items():
        numbers += [row * cols + col, len(clues)]
        numbers += [r * cols + c for r, c in clues]
    return numbers


def read_answer(frame: bytes, number: int) -> tuple[bytes, bytes]:
    """Kind and content of a whole answer; `WireError` if it does not answer the question of this number."""
    _, kind, answered = _ANSWER.unpack_from(frame)
    if answered != number or kind not in (DONE, TURN, FAULT):
        raise WireError("an answer to another question")
    return kind, frame[HEAD:]


def read_json(content: bytes, longest: int = MAX_JSON) -> Any:
    """The JSON in an answer; `WireError` if there is none, or too much."""
    if len(content) > longest:
        raise WireError("too much JSON")
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise WireError("no JSON") from None


def read_fault(content: bytes) -> Fault:
    """The fault in an answer; `WireError` if it is none."""
    data = read_json(content)
    if type(data) is not list or len(data) != 3 or any(type(text) is not str for text in data):
        raise WireError("no fault")
    ending, what, trace = data
    if ending not in {each.value for each in REPORTED}:
        raise WireError("a fault that no host may report")
    return Fault(Ending(ending), clean(what, 400) or "reported a fault", clean_lines(trace))


def read_turn_frame(content: bytes, rows: int, cols: int) -> Turn:
    """The turn in an answer; `WireError` if it is none. Its cells may be off the board: the referee finds that."""
    if len(content) < _TURN.size:
        raise WireError("half a turn")
    why, form, fallback, has_probability, probability, *counts = _TURN.unpack_from(content)
    size, kind = (8, "<i8") if form & _WIDE else (4, "<i4")
    if (
        why >= len(REASONS)
        or fallback > 1
        or has_probability > 1
        or not 0 <= probability <= 1
        or len(content) != _TURN.size + size * sum(counts)
    ):
        raise WireError("no turn")
    place = _TURN.size
    lists: list[Any] = []
    for bit, count in zip(_PAIRS, counts[:3], strict=True):
        if form & bit:
            if count % 2:
                raise WireError("half a cell")
            pairs = iter(np.frombuffer(content, kind, count, place).tolist())
            lists.append([Cell(row, col) for row, col in zip(pairs, pairs, strict=True)])
        elif count:
            lists.append(np.frombuffer(content, kind, count, place).astype(np.int64))
        else:
            lists.append(())
        place += size * count
    evidence = None
    if counts[3]:
        evidence = _read_evidence(np.frombuffer(content, kind, counts[3], place).tolist(), rows, cols)
    return Turn(*lists, REASONS[why], probability if has_probability else None, evidence, bool(fallback))


def _read_evidence(numbers: list[int], rows: int, cols: int) -> dict[Cell, tuple[Cell, ...]]:
    cells = rows * cols
    evidence: dict[Cell, tuple[Cell, ...]] = {}
    place = 0
    while place < len(numbers):
        if place + 2 > len(numbers):
            raise WireError("half a proof")
        cell, count = numbers[place : place + 2]
        clues = numbers[place + 2 : place + 2 + count] if count >= 0 else []
        if len(clues) != count or not all(0 <= flat < cells for flat in (cell, *clues)):
            raise WireError("a proof of nothing")
        evidence[Cell(*divmod(cell, cols))] = tuple(Cell(*divmod(clue, cols)) for clue in clues)
        place += 2 + count
    return evidence
