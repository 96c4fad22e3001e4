"""The frames between the referee and a host that runs a Python agent.

A frame consists of its length in four bytes and its body: the kind in one byte, followed by the content. The referee
asks, and the host answers each question with one frame that has the number of the question. A host runs third-party
code, which can write into the host's end of the pipe. So the referee bounds the length of an answer before it reads it,
checks every number in it, and builds new objects from the numbers. Nothing is unpickled, and a forged frame can only be
a turn or a fault of the agent that wrote it.
"""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sweepstakes.game.cell import Cell
from sweepstakes.game.faults import AgentFault, Fault, FaultKind
from sweepstakes.game.result import max_cells_in_turn, max_evidence_cells
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import Size
from sweepstakes.game.turn import REASONS, Named, Turn, Why
from sweepstakes.game.untrusted_turn import read_turn
from sweepstakes.game.view import View
from sweepstakes.noise import EXACT, Noise
from sweepstakes.untrusted.text import clean, clean_lines

LENGTH = struct.Struct("<I")
PING, SETUP, CONSTRUCT, GAME, VIEW, FILES = b"P", b"S", b"C", b"G", b"V", b"L"
"""Kinds of questions: a test of the pipe; the agent's plugin and parameters, as JSON; a new agent; the first view of a
game, with all that stays the same in it; a later view; and which files the agent has opened since the last such
question."""
DONE, TURN, ONE_CELL, FAULT = b"D", b"T", b"O", b"F"
"""Kinds of answers: done, with JSON for `SETUP` and `FILES`; a turn; a turn that opens one cell, the most frequent one,
which is read in a third of the time; and a fault of the agent, as JSON."""

ASK = struct.Struct("<IcII")
"""Length, kind, number of the question, and number of the agent, since a host may have several in its process."""
_ANSWER = struct.Struct("<IcI")
_GAME = struct.Struct("<IIIQBI")
"""Rows, columns, mines, seed of the random numbers, `explain`, and the length of the JSON that follows."""
_ONE_CELL = struct.Struct("<IcIBii")
"""The shortest turn, which opens one cell: length, kind and number, the reason, row and column."""
_ONE_LENGTH = _ONE_CELL.size - 4
_TURN = struct.Struct("<IcIBBxxxxxdIIII")
"""Any other turn: length, kind and number; the reason; the form; the probability, or -1 for none; how many numbers
follow for the cells to open, to flag, to unflag, and for the evidence. Each number has 8 bytes. The size is a multiple
of that, so that the numbers are read where they are."""
_FALLBACK = 8
"""The bit of the form which says that a weaker method decided. The bits 1, 2 and 4 say that the cells to open, to flag
and to unflag are rows and columns; without them they are flat indices."""
_NONE = ()  # the default of `Turn`: Python has only one empty tuple
HEAD = _ANSWER.size
MAX_JSON = 1 << 18
"""Maximum bytes of JSON in an answer."""
MAX_TASK = 1 << 25
"""Maximum bytes of JSON in the answer of a task. The names that a file imports can take millions."""
MAX_SETUP = 1 << 26
"""Maximum bytes of a question: the text of a plugin may be long."""
_ARRAY = np.ndarray
_INT64 = np.dtype(np.int64)
_PARTS = len(Turn._fields)
_NEW_TURN = tuple.__new__  # as Turn(...), in less time
PLACES = {why: place for place, why in enumerate(REASONS)}
_FAR_AWAY = 1 << 62
"""Larger rows and columns are cut to this one, which is off every board and fits a number of a frame."""


class FrameError(ValueError):
    """An answer that is not a valid frame."""


REPORTED = {
    kind.name: kind
    for kind in (
        FaultKind.RAISED,
        FaultKind.OUT_OF_MEMORY,
        FaultKind.UNREADABLE_ANSWER,
        FaultKind.CANNOT_PLAY,
        FaultKind.NO_AGENT,
        FaultKind.BAD_PARAMETER,
    )
}
"""The faults that a host may report, by name. The referee itself notices that a host is too slow or has died."""
_MAX_FAULT = 400


def max_answer(cells: int) -> int:
    """Return the maximum bytes of a frame that answers a view of `cells`."""
    named = max_cells_in_turn(cells)
    return max(HEAD + MAX_JSON, _TURN.size + 16 * named + 8 * min(12 * named, max_evidence_cells(cells)))


def json_frame(kind: bytes, number: int, data: Any, agent: int = 0) -> bytes:
    """Return a question with JSON."""
    body = json.dumps(data, separators=(",", ":")).encode()
    return ASK.pack(ASK.size - 4 + len(body), kind, number, agent) + body


def game_frame(number: int, agent: int, view: View, seed: int, explain: bool) -> bytes:
    """Return the question with the first view of a game, with the rules and the noise."""
    noise = None if view.noise == EXACT else [view.noise.name, view.noise.data.hex()]
    constant = json.dumps([str(view.rules), noise]).encode()
    body = _GAME.pack(view.rows, view.cols, view.mines, seed, explain, len(constant)) + constant + view.data
    return ASK.pack(ASK.size - 4 + len(body), GAME, number, agent) + body


def view_frame(number: int, agent: int, view: View) -> bytes:
    """Return the question with a later view of a game."""
    data = view.data
    return ASK.pack(ASK.size - 4 + len(data), VIEW, number, agent) + data


def read_game(body: bytes) -> tuple[View, int, bool]:
    """Return the first view of a game, the seed and `explain`; `body` is what follows the head of a `game_frame`."""
    rows, cols, mines, seed, explain, length = _GAME.unpack_from(body)
    rules, noise = json.loads(body[_GAME.size : _GAME.size + length])
    shown = Noise(noise[0], bytes.fromhex(noise[1])) if noise is not None else EXACT
    return View(rows, cols, mines, Rules.parse(rules), shown, body[_GAME.size + length :]), seed, bool(explain)


def done_frame(number: int, data: Any = None) -> bytes:
    """Return the answer to a question other than for a turn."""
    body = b"" if data is None else json.dumps(data, separators=(",", ":")).encode()
    return _ANSWER.pack(HEAD - 4 + len(body), DONE, number) + body


def fault_frame(number: int, fault: Fault, trace: str = "") -> bytes:
    """Return the answer that reports a fault; `trace` is the traceback of the agent's exception, for its author."""
    texts = fault.kind.name, fault.detail[:2000], fault.place
    body = json.dumps([*texts, trace[-40_000:]]).encode()
    if len(body) > MAX_JSON:
        body = json.dumps([*texts, ""]).encode()
    return _ANSWER.pack(HEAD - 4 + len(body), FAULT, number) + body


def turn_frame(number: int, turn: Turn, size: Size, max_cells: int) -> bytes:
    """Return the answer with a turn. Raise `UnreadableTurn` if it is not valid, or names more than `max_cells`."""
    if type(turn) is Turn and len(turn) == _PARTS:
        opens, flags, unflags, why, probability, evidence, fallback = turn
        try:  # the usual turns, in a tenth of the time
            if evidence is None and fallback is False:
                if probability is None:
                    if flags is _NONE and unflags is _NONE and type(opens) is list and len(opens) == 1:
                        ((row, col),) = opens
                        return _ONE_CELL.pack(_ONE_LENGTH, ONE_CELL, number, PLACES[why], row, col)
                    probability = -1.0
                elif type(probability) is not float or not 0.0 <= probability <= 1.0:
                    raise TypeError
                frame = _turn_frame(number, why, probability, 0, (opens, flags, unflags))
                if len(frame) <= _TURN.size + 16 * max_cells:  # otherwise it names too many cells
                    return frame
        except Exception:  # noqa: BLE001 - third-party objects may raise anything: read it as the referee does
            pass
    opens, flags, unflags, _, _, why, probability, evidence, fallback = read_turn(turn, size, max_cells)
    return _turn_frame(
        number,
        why,
        -1.0 if probability is None else probability,
        _FALLBACK if fallback else 0,
        [_cut(opens), _cut(flags), _cut(unflags)],
        _evidence_numbers(evidence or {}, size.cols),
    )


def _turn_frame(
    number: int, why: Why, probability: float, form: int, lists: Sequence[Any], evidence: Sequence[int] = ()
) -> bytes:
    """Return a turn whose lists are arrays of flat indices, or rows and columns. Other lists raise any exception."""
    data = []
    pairs = 1
    for cells in lists:
        if type(cells) is _ARRAY and cells.dtype is _INT64 and cells.ndim == 1:
            data.append(cells.tobytes())
        elif cells is _NONE:
            data.append(b"")
        elif type(cells) is list or type(cells) is tuple:
            form |= pairs
            data.append(array("q", [number for row, col in cells for number in (row, col)]).tobytes())
        else:
            raise TypeError
        pairs <<= 1
    opens, flags, unflags = data
    numbers = opens + flags + unflags
    if evidence:
        numbers += array("q", evidence).tobytes()
    counts = len(opens) >> 3, len(flags) >> 3, len(unflags) >> 3, len(evidence)
    head = _TURN.pack(_TURN.size - 4 + len(numbers), TURN, number, PLACES[why], form, probability, *counts)
    return head + numbers


def _cut(cells: Named) -> Any:
    """Cut the rows and columns that `read_turn` has read, so that each number fits a frame."""
    if not isinstance(cells, tuple):
        return cells
    return [(min(max(row, -_FAR_AWAY), _FAR_AWAY), min(max(col, -_FAR_AWAY), _FAR_AWAY)) for row, col in cells]


def _evidence_numbers(evidence: Mapping[Cell, Sequence[Cell]], cols: int) -> list[int]:
    """Return for each cell its flat index, the number of its clues, and the flat indices of the clues."""
    numbers: list[int] = []
    for (row, col), clues in evidence.items():
        numbers += [row * cols + col, len(clues)]
        numbers += [r * cols + c for r, c in clues]
    return numbers


def check_kind(frame: bytes, number: int, kind: bytes) -> None:
    """Check that a whole answer is of this kind, and answers question `number`.

    Raises the `AgentFault` that the host reports instead, or `FrameError`.
    """
    _, found, answered = _ANSWER.unpack_from(frame)
    if answered != number:
        raise FrameError("an answer to another question")
    if found == FAULT:
        raise read_fault(frame)
    if found != kind:
        raise FrameError("an answer of another kind")


def read_json(frame: bytes, max_length: int = MAX_JSON) -> Any:
    """Return the JSON in a whole answer. Raise `FrameError` if it is not valid JSON, or longer than `max_length`."""
    if len(frame) - HEAD > max_length:
        raise FrameError("too much JSON")
    try:
        return json.loads(frame[HEAD:])
    except (ValueError, RecursionError):
        raise FrameError("invalid JSON") from None


def read_fault(frame: bytes) -> AgentFault:
    """Return the fault in a whole answer. Raise `FrameError` if it is not valid."""
    data = read_json(frame)
    if type(data) is not list or len(data) != 4 or any(type(text) is not str for text in data):
        raise FrameError("not a fault")
    name, detail, place, trace = data
    if name not in REPORTED:
        raise FrameError("a fault that no host may report")
    kind = REPORTED[name]
    detail = clean(detail, _MAX_FAULT - len(kind.words.replace("{}", ""))) or "reported a fault"
    return AgentFault(Fault(kind, detail, clean(place, 100)), clean_lines(trace))


def read_turn_frame(frame: bytes, number: int, rows: int, cols: int, *, explain: bool = True) -> Turn:
    """Return the turn in a whole answer. Raise what `check_kind` raises.

    Cells off the board are accepted here, because the referee refuses them. Evidence is read only with `explain`,
    because it may be long; the time to read it does not count for the agent.
    """
    if len(frame) == _ONE_CELL.size and frame[4:5] == ONE_CELL:
        _, _, answered, why, row, col = _ONE_CELL.unpack(frame)
        if answered != number or why >= len(REASONS):
            raise FrameError("not a turn")
        return _NEW_TURN(Turn, ([(row, col)], (), (), REASONS[why], None, None, False))
    check_kind(frame, number, TURN)
    if len(frame) < _TURN.size:
        raise FrameError("half a turn")
    _, _, _, why, form, chance, opens, flags, unflags, evidence = _TURN.unpack_from(frame)
    whole = len(frame) == _TURN.size + 8 * (opens + flags + unflags + evidence)
    if not whole or why >= len(REASONS) or form >= 2 * _FALLBACK or not (0 <= chance <= 1 or chance == -1):
        raise FrameError("not a turn")
    data = bytearray(frame)  # kernels are compiled for arrays that can be written
    place = _TURN.size
    if not (form or unflags or evidence) and opens + flags <= rows * cols:  # the usual turn of fast agents
        to_open = _ARRAY(opens, _INT64, data, place) if opens else _NONE
        to_flag = _ARRAY(flags, _INT64, data, place + 8 * opens) if flags else _NONE
        return _NEW_TURN(Turn, (to_open, to_flag, _NONE, REASONS[why], None if chance < 0 else chance, None, False))
    max_read = max_cells_in_turn(rows * cols) + 1  # no more are read: the referee refuses the turn then
    lists: list[Any] = []
    pairs = 1
    for count in (opens, flags, unflags):
        if form & pairs:
            lists.append(_read_pairs(data, place, count, max_read))
        else:
            lists.append(_ARRAY(min(count, max_read), _INT64, data, place) if count else _NONE)
        pairs <<= 1
        place += 8 * count
    proofs = (
        _read_evidence(_ARRAY(evidence, _INT64, data, place).tolist(), rows, cols) if evidence and explain else None
    )
    probability = None if chance < 0 else chance
    return _NEW_TURN(Turn, (*lists, REASONS[why], probability, proofs, form >= _FALLBACK))


def _read_pairs(data: bytearray, place: int, count: int, max_read: int) -> list[tuple[int, int]]:
    if count % 2:
        raise FrameError("half a cell")
    numbers = _ARRAY(min(count, 2 * max_read), _INT64, data, place).tolist()
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _read_evidence(numbers: list[int], rows: int, cols: int) -> dict[Cell, tuple[Cell, ...]]:
    cells = rows * cols
    evidence: dict[Cell, tuple[Cell, ...]] = {}
    place = 0
    while place < len(numbers):
        if place + 2 > len(numbers):
            raise FrameError("half a proof")
        cell, count = numbers[place : place + 2]
        clues = numbers[place + 2 : place + 2 + count] if count >= 0 else []
        if len(clues) != count or not all(0 <= flat < cells for flat in (cell, *clues)):
            raise FrameError("a proof of nothing")
        evidence[Cell(*divmod(cell, cols))] = tuple(Cell(*divmod(clue, cols)) for clue in clues)
        place += 2 + count
    return evidence
