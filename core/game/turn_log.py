"""The turns of a game, recorded as numbers while it is played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import overload

import numpy as np
import numpy.typing as npt

from sweepstakes.game.cell import Cell
from sweepstakes.game.referee_kernels import FALLBACK, LOGGED, MARKS, NEXT, NUMBERS, REASON
from sweepstakes.game.turn import REASONS, Cells, Named, Turn, Why

CHANCE, OPEN, FLAG, UNFLAG = 8, 16, 32, 64
"""Further bits of a turn's head: it has a probability; its list to open, flag or unflag holds flat indices."""
ALL_FLAT = OPEN + FLAG + UNFLAG
PLACES = {why: place for place, why in enumerate(REASONS)}
_INITIAL_CAPACITY = 1000
"""Initial length of the array, enough for most games on Expert boards."""


class Log(Sequence[Turn]):
    """Turns without their evidence, in one long array. They are converted to `Turn` when they are read.

    Recording a turn immediately takes a fraction of the time of copying its arrays, and much less than collecting the
    arrays after the game, when they are scattered in memory.
    """

    def __init__(self) -> None:
        self.array = np.empty(_INITIAL_CAPACITY, np.int64)
        """The array that `referee_kernels.take` writes into."""
        self.array[NEXT], self.array[LOGGED] = NUMBERS, 0
        self.chances: list[float] = []
        """The probabilities of the turns that have one."""
        self.odd: dict[int, Turn] = {}
        """The turns with cells that do not fit 64 bits, by index. In the array these turns have no cells."""
        self._turns: list[Turn] = []

    def add(self, opens: Named, flag: Named, unflag: Named, head: int, chance: float | None) -> None:
        """Record a turn. Its chance, if it has one, must already be in `chances`."""
        lists = (opens, flag, unflag)
        numbers = [*_plain(opens), *_plain(flag), *_plain(unflag)]
        marks = [head + _flat_bits(lists), len(opens), len(flag), len(unflag)]
        array, count = self.array, len(self)
        begin = int(array[NEXT])
        end = begin + len(numbers)
        while end > array.size - MARKS * (count + 1):
            array = self.grow()
        try:
            array[begin:end] = numbers
            array[NEXT] = end
        except OverflowError:
            kept = [cells if isinstance(cells, tuple) else cells.copy() for cells in lists]
            self.odd[count] = _turn(kept, head, chance)
            marks = [head + ALL_FLAT, 0, 0, 0]
        mark = array.size - MARKS * (count + 1)
        array[mark : mark + MARKS] = marks
        array[LOGGED] = count + 1

    def grow(self) -> npt.NDArray[np.int64]:
        """Replace the array by one of twice the length."""
        larger = np.empty(2 * self.array.size, np.int64)
        used, marked = int(self.array[NEXT]), MARKS * len(self)
        larger[:used] = self.array[:used]
        larger[larger.size - marked :] = self.array[self.array.size - marked :]
        self.array = larger
        return larger

    @property
    def marks(self) -> npt.NDArray[np.int64]:
        """A row for each turn: its head, and how many cells it opens, flags and unflags."""
        return self.array[self.array.size - MARKS * len(self) :].reshape(-1, MARKS)[::-1].reshape(-1)

    @property
    def numbers(self) -> npt.NDArray[np.int64]:
        """All cells in the order of the marks. A cell is a flat index, or row and column."""
        return self.array[NUMBERS : self.array[NEXT]]

    def __len__(self) -> int:
        return int(self.array[LOGGED])

    @overload
    def __getitem__(self, place: int) -> Turn: ...
    @overload
    def __getitem__(self, place: slice) -> list[Turn]: ...
    def __getitem__(self, place: int | slice) -> Turn | list[Turn]:
        return self._all()[place]

    def __iter__(self) -> Iterator[Turn]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # not hashable, like a list

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> list[Turn]:
        if len(self._turns) != len(self):
            self._turns = make_turns(self.marks, self.chances, self.numbers.copy())
            for place, turn in self.odd.items():
                self._turns[place] = turn
        return self._turns


def head_of(why: Why, fallback: bool, chance: float | None) -> int:
    """Return the head of a turn: the number of its reason and its bits, without the bits for flat lists."""
    return PLACES[why] + FALLBACK * fallback + (0 if chance is None else CHANCE)


def make_turns(marks: npt.NDArray[np.int64], chances: Iterable[float], numbers: npt.NDArray[np.int64]) -> list[Turn]:
    """Return the turns of a log. Raise `ValueError` if the marks name more or fewer numbers than there are."""
    turns = []
    chance, mark = iter(chances), iter(marks.tolist())
    begin = 0
    for head, *lengths in zip(mark, mark, mark, mark, strict=True):
        lists = []
        for flat, length in zip((head & OPEN, head & FLAG, head & UNFLAG), lengths, strict=True):
            end = begin + (length if flat else 2 * length)
            if end > len(numbers):
                raise ValueError("they name more cells than they have")
            lists.append(_named(numbers[begin:end], bool(flat)))
            begin = end
        turns.append(_turn(lists, head, next(chance) if head & CHANCE else None))
    if begin != len(numbers):
        raise ValueError("they name fewer cells than they have")
    return turns


def _turn(lists: Sequence[Cells], head: int, chance: float | None) -> Turn:
    opens, flag, unflag = lists
    return Turn(opens, flag, unflag, REASONS[head & REASON], chance, None, bool(head & FALLBACK))


def _named(numbers: npt.NDArray[np.int64], flat: bool) -> Cells:
    if not len(numbers):
        return ()
    if flat:
        return numbers
    number = iter(numbers.tolist())
    return tuple(Cell(row, col) for row, col in zip(number, number, strict=True))


def _plain(cells: Named) -> Iterable[int]:
    return chain.from_iterable(cells) if isinstance(cells, tuple) else cells.tolist()


def _flat_bits(lists: tuple[Named, Named, Named]) -> int:
    """Return the bits of the lists that hold flat indices. An empty list counts as flat."""
    bits = 0
    for bit, cells in zip((OPEN, FLAG, UNFLAG), lists, strict=True):
        if not (isinstance(cells, tuple) and cells):
            bits += bit
    return bits
