"""Reads a turn made by third-party code. Its parts may have any type, pretend to have another, and raise anything."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from operator import index
from typing import Any

import numpy as np

from sweepstakes.game.cell import Cell
from sweepstakes.game.size import Size
from sweepstakes.game.turn import REASONS, Named, Turn, Why
from sweepstakes.untrusted.exceptions import class_name, is_ctrl_c, is_out_of_memory
from sweepstakes.untrusted.text import clean

NO_CELLS = np.empty(0, np.int64)
_NONE = ()  # the default of `Turn`: Python has only one empty tuple
_ARRAY = np.ndarray
_INT64 = np.dtype(np.int64)
_OUTSIDE_BOARD = np.uint64(2**63 - 1)  # outside every board, and fits an int64
_FURTHEST = 2**128  # outside every board, and short enough to be printed
_NEW = tuple.__new__  # like Cell(...), in half the time
_KNOWN = frozenset(REASONS)


class UnreadableTurn(Exception):  # noqa: N818 - the referee makes an `IllegalMove` of it
    """The agent did not return a valid turn. The message is the end of a sentence whose subject is the agent."""


TurnParts = tuple[Any, Any, Any, int, bool, Why, float | None, Mapping[Cell, tuple[Cell, ...]] | None, bool]
"""Cells to open, flag and unflag, their number, whether all three are arrays of flat indices, and the other parts of
the turn. Only the referee holds these values, except for arrays, which it reads once and immediately."""


def read_turn(turn: Turn, size: Size, most: int) -> TurnParts:
    """Return the parts of a turn. Raise `UnreadableTurn` if it is not valid, or names more than `most` cells."""
    if type(turn) is not Turn:  # a subclass could run third-party code here
        raise UnreadableTurn(f"answered {_brief(turn)}, which is not a Turn")
    try:
        to_open, to_flag, to_unflag, why, probability, evidence, fallback = turn
    except ValueError:  # of tuple.__new__
        raise UnreadableTurn(f"answered a Turn of {tuple.__len__(turn)} parts: expected {len(Turn._fields)}") from None
    if type(why) is not str or why not in _KNOWN:
        why = _reason(why)
    if probability is not None:
        probability = _probability(probability)
    if fallback is not False:
        fallback = _fallback(fallback)
    if evidence is not None:
        evidence = _evidence(evidence, size, most)
    opens: Any = NO_CELLS
    flags: Any = NO_CELLS
    unflags: Any = NO_CELLS
    flat = True
    if to_unflag is not _NONE:
        unflags = _cells(to_unflag, "unflagged", most)
        flat = type(unflags) is _ARRAY
    if type(to_flag) is _ARRAY and to_flag.dtype is _INT64 and to_flag.ndim == 1 and to_flag.flags.carray:
        flags = to_flag  # the usual case of fast agents, without the time of calling `_cells`
    elif to_flag is not _NONE:
        flags = _cells(to_flag, "flagged", most)
        flat = flat and type(flags) is _ARRAY
    if type(to_open) is _ARRAY and to_open.dtype is _INT64 and to_open.ndim == 1 and to_open.flags.carray:
        opens = to_open
    elif to_open is not _NONE:
        opens = _cells(to_open, "opened", most)
        flat = flat and type(opens) is _ARRAY
    named = len(opens) + len(flags) + len(unflags)
    if named > most:
        raise _too_many(most)
    return opens, flags, unflags, named, flat, why, probability, evidence, fallback


def _cells(cells: Any, done: str, most: int) -> Named:
    """Return the cells of a turn, read once: flat indices or a tuple of cells. Raise `UnreadableTurn` if they are
    neither.

    An array of the type that the kernels are compiled for is not copied, although the agent holds it: the kernel reads
    it once, while no other code runs, and keeps no reference.
    """
    if type(cells) is np.ndarray and cells.dtype is _INT64 and cells.ndim == 1 and cells.flags.carray:
        return cells
    if issubclass(type(cells), np.ndarray):
        array = np.ndarray.view(cells, np.ndarray)  # a subclass could run third-party code here
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise UnreadableTurn(f"{done} an array of {array.dtype} {array.shape}: expected flat integers")
        if array.size > most:
            raise _too_many(most)
        if array.dtype.kind == "u":
            array = np.minimum(array, _OUTSIDE_BOARD)
        return array.astype(np.int64) if array.size else NO_CELLS
    named: list[Cell] = []
    try:
        for row, col in islice(cells, most + 1):
            row, col = index(row), index(col)
            near = -_FURTHEST <= row <= _FURTHEST and -_FURTHEST <= col <= _FURTHEST
            named.append(_NEW(Cell, (row, col) if near else (_nearer(row), _nearer(col))))
    except BaseException as error:  # noqa: BLE001 - the agent's own objects may raise anything
        _pass_on(error)
        raise UnreadableTurn(f"{done} {_brief(cells)}: expected a list of (row, col) cells") from None
    return tuple(named)


def _reason(value: Any) -> Why:
    for why in REASONS:
        if issubclass(type(value), str) and str.__str__(value) == why:
            return why
    raise UnreadableTurn(f"gave the reason {_brief(value)}: expected proof, guess or random")


def _fallback(value: Any) -> bool:
    if type(value) is bool or type(value) is np.bool_:  # `in` would call `__eq__` of a metaclass
        return bool(value)
    raise UnreadableTurn(f"gave the fallback {_brief(value)}: expected True or False")


def _probability(value: Any) -> float:
    try:
        if 0 <= value <= 1 and 0 <= (chance := float(value)) <= 1:
            return chance
    except BaseException as error:  # noqa: BLE001 - the agent's own objects may raise anything
        _pass_on(error)
    raise UnreadableTurn(f"gave the probability {_brief(value)}: expected 0 to 1")


def _evidence(value: Any, size: Size, most: int) -> Mapping[Cell, tuple[Cell, ...]]:
    try:
        read = [
            (_cell(cell, size), tuple([_cell(clue, size) for clue in islice(clues, most + 1)]))
            for cell, clues in islice(value.items(), most + 1)
        ]
    except BaseException as error:  # noqa: BLE001 - the agent's own objects may raise anything
        _pass_on(error)
        raise UnreadableTurn(f"gave the evidence {_brief(value)}: expected a mapping of cell -> cells") from None
    if len(read) > most or any(len(clues) > most for _, clues in read):
        raise UnreadableTurn(f"gave the evidence {_brief(value)}: expected at most {most} cells")
    return dict(read)


def _cell(value: Any, size: Size) -> Cell:
    """Return the cell with plain ints. Raise `IndexError` if it is not on the board."""
    row, col = value
    plain = type(value) is Cell and type(row) is int and type(col) is int
    cell: Cell = value if plain else Cell(index(row), index(col))
    if not (0 <= cell[0] < size.rows and 0 <= cell[1] < size.cols):
        raise IndexError
    return cell


def _too_many(most: int) -> UnreadableTurn:
    return UnreadableTurn(f"named more than {most} cells in a turn: expected each cell once")


def _nearer(number: int) -> int:
    """Return the number clamped to a range that can be printed and reaches far beyond every board."""
    return min(max(number, -_FURTHEST), _FURTHEST)


def _pass_on(error: BaseException) -> None:
    """Raise the error again if memory ran out or if it is the user's Ctrl-C."""
    if is_out_of_memory(error) or is_ctrl_c(error):
        raise error


def _brief(thing: Any) -> str:
    """Return a third-party object in a few characters, even if its `repr` raises."""
    try:
        return clean(repr(thing), 60)
    except BaseException as error:  # noqa: BLE001 - the agent's own objects may raise anything
        _pass_on(error)
        return f"a {class_name(thing)}"
