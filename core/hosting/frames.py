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
from functools import lru_cache
from typing import Any

import numpy as np

from sweepstakes.game.cell import Cell
from sweepstakes.game.faults import AgentFault, Fault, FaultKind
from sweepstakes.game.result import most_cells_in_turn, most_evidence
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import Size
from sweepstakes.game.turn import REASONS, Named, Turn
from sweepstakes.game.untrusted_turn import read_turn
from sweepstakes.game.view import View
from sweepstakes.noise import EXACT, Noise
from sweepstakes.untrusted.text import clean, clean_lines

LENGTH = struct.Struct("<I")
PING, SETUP, CONSTRUCT, GAME, VIEW, FILES = b"P", b"S", b"C", b"G", b"V", b"L"
"""Kinds of questions: a test of the pipe; the agent's plugin and parameters, as JSON; a new agent; the first view of a
game, with all that stays the same in it; a later view; and which files the agent has opened since that was last
asked."""
DONE, TURN, ONE_CELL, ARRAYS, FAULT = b"D", b"T", b"O", b"A", b"F"
"""Kinds of answers: done, with JSON for `SETUP` and `FILES`; a turn; a turn that opens one cell; a turn of flat
indices; and a fault of the agent, as JSON. The two special turns are the usual ones, and take a third of the time."""
_KINDS = (DONE, TURN, ONE_CELL, ARRAYS, FAULT)

ASK = struct.Struct("<IcII")
"""Length, kind, number of the question, and number of the agent, since a host may have several in its process."""
_ANSWER = struct.Struct("<IcI")
_TURN = struct.Struct("<IcIBBBdBBBIIII")
"""Length, kind and number; the reason, whether a weaker method decided, whether there is a probability; the
probability; the forms of the three lists, and how many numbers follow for the cells to open, to flag, to unflag, and
for the evidence."""
_GAME = struct.Struct("<IIIQBI")
"""Rows, columns, mines, seed of the random numbers, `explain`, and the length of the JSON that follows."""
_ONE_CELL = struct.Struct("<IcIBii")
"""The shortest turn, which opens one cell: length, kind and number, the reason, row and column."""
_ONE_LENGTH = _ONE_CELL.size - 4
_ARRAYS = struct.Struct("<IcIBB5xdII")
"""A turn of flat indices: length, kind and number, the reason, whether there is a probability, the probability, and how
many cells to open and to flag follow. Its size is that of four numbers, so that these can be read where they are."""
_NONE = ()  # the default of `Turn`: Python has only one empty tuple
HEAD = _ANSWER.size
MAX_JSON = 1 << 18
"""Bytes of JSON in an answer."""
MAX_TASK = 1 << 25
"""Bytes of JSON in the answer of a task: the names that a file imports take millions at most."""
MAX_SETUP = 1 << 26
"""Bytes of a question: the text of a plugin may be long."""
_EMPTY, _PAIRS, _WIDE_PAIRS, _FLAT = range(4)
"""The forms of a list: nothing; rows and columns in 4 or in 8 bytes; flat indices in 8 bytes."""
_SIZES = {_EMPTY: 0, _PAIRS: 4, _WIDE_PAIRS: 8, _FLAT: 8}
_NOTHING = (_EMPTY, 0, b"")
_INT64 = np.dtype(np.int64)
_PARTS = len(Turn._fields)
_NEW_TURN = tuple.__new__  # as Turn(...), in less time
PLACES = {why: place for place, why in enumerate(REASONS)}
_BEYOND = 1 << 62


class FrameError(ValueError):
    """An answer that is no frame of this protocol; `data` is its beginning, where the caller does not have it."""

    def __init__(self, what: str, data: bytes = b"") -> None:
        super().__init__(what)
        self.data = data[:1000]


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
"""The faults that a host may report, by name. The referee sees by itself that a host is too slow, or has died."""
_LONGEST_FAULT = 400


def longest_answer(cells: int) -> int:
    """The most bytes of a frame that answers a view of so many cells."""
    named = most_cells_in_turn(cells)
    return max(HEAD + MAX_JSON, _TURN.size + 16 * named + 4 * min(12 * named, most_evidence(cells)))


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
    constant = json.dumps([str(view.rules), noise]).encode()
    body = _GAME.pack(view.rows, view.cols, view.mines, seed, explain, len(constant)) + constant + view.data
    return ASK.pack(ASK.size - 4 + len(body), GAME, number, agent) + body


def view_frame(number: int, agent: int, view: View) -> bytes:
    """A later view of a game."""
    data = view.data
    return ASK.pack(ASK.size - 4 + len(data), VIEW, number, agent) + data


def read_game(body: bytes) -> tuple[View, int, bool]:
    """The first view of a game, the seed and `explain`, as `game_frame` wrote them (after the head of the frame)."""
    rows, cols, mines, seed, explain, length = _GAME.unpack_from(body)
    rules, noise = json.loads(body[_GAME.size : _GAME.size + length])
    shown = Noise(noise[0], bytes.fromhex(noise[1])) if noise is not None else EXACT
    return View(rows, cols, mines, Rules.parse(rules), shown, body[_GAME.size + length :]), seed, bool(explain)


def done_frame(number: int, data: Any = None) -> bytes:
    """The answer that a question without a turn is done."""
    body = b"" if data is None else json.dumps(data, separators=(",", ":")).encode()
    return _ANSWER.pack(HEAD - 4 + len(body), DONE, number) + body


def fault_frame(number: int, fault: Fault, trace: str = "") -> bytes:
    """The answer that the agent is at fault; `trace` is the traceback of its exception, for its author."""
    texts = fault.kind.name, fault.detail[:2000], fault.place
    body = json.dumps([*texts, trace[-40_000:]]).encode()
    if len(body) > MAX_JSON:
        body = json.dumps([*texts, ""]).encode()
    return _ANSWER.pack(HEAD - 4 + len(body), FAULT, number) + body


def turn_frame(number: int, turn: Turn, size: Size, most: int) -> bytes:
    """The answer with a turn of an agent; `UnreadableTurn` if it is none, or names more than `most` cells."""
    if type(turn) is Turn and len(turn) == _PARTS:
        opens, flags, unflags, why, probability, evidence, fallback = turn
        if probability is None and flags is _NONE and unflags is _NONE and type(opens) is list and len(opens) == 1:
            try:
                ((row, col),) = opens
                if evidence is None and fallback is False:
                    return _ONE_CELL.pack(_ONE_LENGTH, ONE_CELL, number, PLACES[why], row, col)
            except Exception:  # noqa: BLE001 - third-party objects may raise anything: read it as the referee does
                pass
        elif unflags is _NONE and evidence is None and fallback is False:
            try:
                return _arrays_frame(number, opens, flags, PLACES[why], probability)
            except Exception:  # noqa: BLE001 - as above
                pass
        sure = probability is None or (type(probability) is float and 0.0 <= probability <= 1.0)
        if evidence is None and fallback is False and sure:
            try:  # the usual case, in a tenth of the time
                lists = [_quick(cells) for cells in (opens, flags, unflags)]
                return _pack(number, PLACES[why], probability, False, lists, ())
            except Exception:  # noqa: BLE001 - third-party objects may raise anything: read it as the referee does
                pass
    opens, flags, unflags, _, _, why, probability, evidence, fallback = read_turn(turn, size, most)
    lists = [_careful(cells) for cells in (opens, flags, unflags)]
    return _pack(number, PLACES[why], probability, fallback, lists, _evidence_numbers(evidence or {}, size.cols))


def _arrays_frame(number: int, opens: Any, flags: Any, why: int, probability: float | None) -> bytes:
    """The answer with a turn of flat indices; any exception if it is not in the usual form."""
    data = []
    for cells in (opens, flags):
        if type(cells) is np.ndarray and cells.dtype is _INT64 and cells.ndim == 1:
            data.append(cells.tobytes())
        elif cells is _NONE:
            data.append(b"")
        else:
            raise TypeError
    chance = 0.0
    if probability is not None:
        if type(probability) is not float or not 0.0 <= probability <= 1.0:
            raise TypeError
        chance = probability
    size, flagged = len(data[0]), len(data[1])
    length = _ARRAYS.size - 4 + size + flagged
    head = _ARRAYS.pack(length, ARRAYS, number, why, probability is not None, chance, size >> 3, flagged >> 3)
    return head + data[0] + data[1]


def _quick(cells: Any) -> tuple[int, int, bytes]:
    """Form, count and bytes of the cells of one list; any exception if they are not in one of the usual forms."""
    kind = type(cells)
    if kind is tuple and not cells:
        return _NOTHING
    if kind is list or kind is tuple:
        numbers = [number for row, col in cells for number in (row, col)]
        return _PAIRS, len(numbers), _numbers("i", len(numbers)).pack(*numbers)
    if kind is not np.ndarray or cells.dtype is not _INT64 or cells.ndim != 1:
        raise TypeError
    return _FLAT, len(cells), cells.tobytes()


def _careful(cells: Named) -> tuple[int, int, bytes]:
    """As `_quick`, of cells that have been read already: any number is taken, the largest are cut."""
    if not isinstance(cells, tuple):
        return (_FLAT, len(cells), cells.tobytes()) if len(cells) else _NOTHING
    numbers = [min(max(number, -_BEYOND), _BEYOND) for cell in cells for number in cell]
    return _WIDE_PAIRS, len(numbers), _numbers("q", len(numbers)).pack(*numbers)


@lru_cache(maxsize=4096)
def _numbers(kind: str, count: int) -> struct.Struct:
    return struct.Struct(f"<{count}{kind}")


def _pack(
    number: int,
    why: int,
    probability: float | None,
    fallback: bool,
    lists: list[tuple[int, int, bytes]],
    evidence: Sequence[int],
) -> bytes:
    (open_form, opens, open_bytes), (flag_form, flags, flag_bytes), (unflag_form, unflags, unflag_bytes) = lists
    proofs = _numbers("i", len(evidence)).pack(*evidence) if evidence else b""
    has_probability = probability is not None
    return (
        _TURN.pack(
            _TURN.size - 4 + len(open_bytes) + len(flag_bytes) + len(unflag_bytes) + len(proofs),
            TURN, number, why, fallback, has_probability, probability if has_probability else 0.0,
            open_form, flag_form, unflag_form, opens, flags, unflags, len(evidence),
        )
        + open_bytes
        + flag_bytes
        + unflag_bytes
        + proofs
    )  # fmt: skip


def _evidence_numbers(evidence: Mapping[Cell, Sequence[Cell]], cols: int) -> list[int]:
    """For each cell its flat index, the number of its clues, and the flat indices of the clues."""
    numbers: list[int] = []
    for (row, col), clues in evidence.items():
        numbers += [row * cols + col, len(clues)]
        numbers += [r * cols + c for r, c in clues]
    return numbers


def kind_of(frame: bytes, number: int) -> bytes:
    """The kind of a whole answer; `FrameError` if it does not answer the question of this number."""
    _, kind, answered = _ANSWER.unpack_from(frame)
    if answered != number or kind not in _KINDS:
        raise FrameError("an answer to another question")
    answer_kind: bytes = kind
    return answer_kind


def read_json(frame: bytes, longest: int = MAX_JSON) -> Any:
    """The JSON in a whole answer; `FrameError` if there is none, or too much."""
    if len(frame) - HEAD > longest:
        raise FrameError("too much JSON")
    try:
        return json.loads(frame[HEAD:])
    except (ValueError, RecursionError):
        raise FrameError("no JSON") from None


def read_fault(frame: bytes) -> AgentFault:
    """The fault in a whole answer; `FrameError` if it is none."""
    data = read_json(frame)
    if type(data) is not list or len(data) != 4 or any(type(text) is not str for text in data):
        raise FrameError("no fault")
    name, detail, place, trace = data
    if name not in REPORTED:
        raise FrameError("a fault that no host may report")
    kind = REPORTED[name]
    detail = clean(detail, _LONGEST_FAULT - len(kind.words.replace("{}", ""))) or "reported a fault"
    return AgentFault(Fault(kind, detail, clean(place, 100)), clean_lines(trace))


def read_turn_frame(frame: bytes, number: int, rows: int, cols: int, *, explain: bool = True) -> Turn | None:
    """The turn in a whole answer, None if it is a fault; `FrameError` if it is neither, or answers another question.

    The cells of a turn may be off the board: the referee finds that. Evidence is only read with `explain`: it may be
    long, and the time that reading takes is not the agent's.
    """
    if len(frame) == _ONE_CELL.size and frame[4:5] == ONE_CELL:
        _, _, answered, why, row, col = _ONE_CELL.unpack(frame)
        if answered != number or why >= len(REASONS):
            raise FrameError("no turn")
        return _NEW_TURN(Turn, ([(row, col)], (), (), REASONS[why], None, None, False))
    kind = kind_of(frame, number)
    if kind == ARRAYS:
        return _read_arrays(frame)
    if kind == FAULT:
        return None
    if kind != TURN:
        raise FrameError("an answer of another kind")
    if len(frame) < _TURN.size:
        raise FrameError("half a turn")
    _, _, _, why, fallback, has_probability, probability, *forms = _TURN.unpack_from(frame)
    if why >= len(REASONS) or fallback > 1 or has_probability > 1 or not 0 <= probability <= 1:
        raise FrameError("no turn")
    place = _TURN.size
    most = most_cells_in_turn(rows * cols) + 1  # no more are read: the referee refuses the turn then
    lists: list[Any] = []
    for form, count in zip(forms[:3], forms[3:6], strict=True):
        size = _SIZES.get(form, 0)
        end = place + size * count
        if form not in _SIZES or end > len(frame):
            raise FrameError("half a turn")
        if form == _FLAT:
            lists.append(np.frombuffer(frame, np.int64, min(count, most), place).copy())
        elif form == _EMPTY:
            lists.append(())
        else:
            if count % 2:
                raise FrameError("half a cell")
            numbers = _numbers("i" if form == _PAIRS else "q", min(count, 2 * most)).unpack_from(frame, place)
            lists.append(list(zip(numbers[::2], numbers[1::2], strict=True)))
        place = end
    if place + 4 * forms[6] != len(frame):
        raise FrameError("no turn")
    evidence = None
    if forms[6] and explain:
        evidence = _read_evidence(np.frombuffer(frame, "<i4", forms[6], place).tolist(), rows, cols)
    opens, flags, unflags = lists
    return Turn(opens, flags, unflags, REASONS[why], probability if has_probability else None, evidence, fallback == 1)


def _read_arrays(frame: bytes) -> Turn:
    if len(frame) < _ARRAYS.size:
        raise FrameError("half a turn")
    _, _, _, why, has_probability, probability, opens, flags = _ARRAYS.unpack_from(frame)
    whole = len(frame) == _ARRAYS.size + 8 * (opens + flags)
    if not whole or why >= len(REASONS) or has_probability > 1 or not 0 <= probability <= 1:
        raise FrameError("no turn")
    buffer = bytearray(frame)  # kernels are compiled for arrays that can be written
    to_open = np.ndarray(opens, np.int64, buffer, _ARRAYS.size) if opens else ()
    to_flag = np.ndarray(flags, np.int64, buffer, _ARRAYS.size + 8 * opens) if flags else ()
    chance = probability if has_probability else None
    return _NEW_TURN(Turn, (to_open, to_flag, (), REASONS[why], chance, None, False))


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
