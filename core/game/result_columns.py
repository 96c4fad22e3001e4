"""The results of many games as columns: one array for each field of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt

from sweepstakes.game.result import OPTIONAL, Ending, GameResult, most_turns

Ints = npt.NDArray[np.int64]
ENDINGS = tuple(Ending)
"""The endings by their numbers in the column `ending`."""
_FAULTS: npt.NDArray[np.bool_] = np.array([ending.is_fault for ending in ENDINGS])


@dataclass(frozen=True)
class ResultColumns:
    """The fields of `GameResult`, each as an array with an item for every game; -1 where a count is not known."""

    rows: Ints
    cols: Ints
    mines: Ints
    ending: npt.NDArray[np.int8]
    """The number of the ending in `ENDINGS`."""
    opened: Ints
    right_flags: Ints
    wrong_flags: Ints
    detonated: Ints
    turns: Ints
    cells_clicked: Ints
    guesses: Ints
    fallbacks: Ints
    clicks: Ints
    three_bv: Ints
    fault: npt.NDArray[np.object_]
    measures: Mapping[int, Mapping[str, float | None]]
    """By the place of the game, without the games that have no measures."""

    def __len__(self) -> int:
        return len(self.ending)

    def __iter__(self) -> Iterator[GameResult]:
        """The results, game by game."""
        optional = [field.name in OPTIONAL for field in fields(self)[4:-2]]
        *numbers, faults = (getattr(self, field.name).tolist() for field in fields(self)[:-1])
        for place, (rows, cols, mines, ending, *counts) in enumerate(zip(*numbers, strict=True)):
            measures = self.measures.get(place, {})
            if min(counts) < 0:
                counts = [None if n < 0 and may_lack else n for n, may_lack in zip(counts, optional, strict=True)]
            yield GameResult._make((rows, cols, mines, ENDINGS[ending], *counts, faults[place], measures))

    def __getitem__(self, places: slice | npt.NDArray[np.bool_] | Ints) -> ResultColumns:
        """Some of the games."""
        chosen = np.arange(len(self))[places].tolist() if self.measures else []
        measures = {place: self.measures[old] for place, old in enumerate(chosen) if old in self.measures}
        arrays = {field.name: getattr(self, field.name)[places] for field in fields(self)[:-1]}
        return replace(self, **arrays, measures=measures)

    @property
    def cells(self) -> Ints:
        """Cells on the board."""
        return self.rows * self.cols

    @property
    def safe(self) -> Ints:
        """Cells without a mine."""
        return self.cells - self.mines

    @property
    def is_fault(self) -> npt.NDArray[np.bool_]:
        """Whether the game ended by a fault of the agent."""
        is_fault: npt.NDArray[np.bool_] = _FAULTS[self.ending]
        return is_fault

    @property
    def won(self) -> npt.NDArray[np.bool_]:
        """Whether every safe cell is open, no mine was detonated, and there was no fault."""
        won: npt.NDArray[np.bool_] = (self.opened == self.safe) & (self.detonated == 0) & ~self.is_fault
        return won

    def impossible(self, ends: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which counts and endings no game can have: those that `check_result` refuses.

        `ends` says for each game whether a mine ends it. Faults and measures are not looked at, but for whether there
        is a fault.
        """
        safe, cells, detonated = self.safe, self.cells, self.detonated
        settled = self.opened + self.right_flags + self.wrong_flags + detonated == cells
        cleared = self.opened == safe
        clean = detonated == 0
        fits = {
            Ending.WON: cleared & clean & (ends | settled),
            Ending.LOST: ends & (detonated == 1),
            Ending.FINISHED: ~ends & settled & ~(cleared & clean),
            Ending.GAVE_UP: np.where(ends, ~cleared & clean, ~settled),
        }
        endings = [self.ending == ENDINGS.index(ending) for ending in fits]
        possible = np.select(endings, list(fits.values()), default=clean | ~ends)
        counts = self.opened, self.right_flags, self.wrong_flags, detonated, self.turns, self.cells_clicked
        impossible: npt.NDArray[np.bool_] = (
            ~possible
            | (np.minimum.reduce([*counts, self.guesses, self.fallbacks]) < 0)
            | (self.opened > safe)
            | (self.right_flags + detonated > self.mines)
            | (self.wrong_flags > safe - self.opened)
            | (self.turns > most_turns(cells))  # type: ignore[arg-type]  # arithmetic takes arrays too
            | (self.cells_clicked > self.opened + detonated)
            | (self.guesses > self.turns)
            | (self.guesses > self.cells_clicked)
            | (self.fallbacks > self.turns)
            | ((self.clicks >= 0) & (self.clicks < self.cells_clicked + self.right_flags + self.wrong_flags))
            | (self.three_bv > np.where(self.ending == ENDINGS.index(Ending.WON), self.opened, 0))
            | (self.is_fault != (self.fault != ""))
        )
        return impossible
