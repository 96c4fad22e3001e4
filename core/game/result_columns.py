"""The results of many games as columns: one array for each field of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sweepstakes.game.result import OPTIONAL, Ending, GameResult, impossible

Ints = npt.NDArray[np.int64]
ENDINGS_BY_NUMBER = tuple(Ending)
"""The endings by their numbers in the column `ending`."""
_FAULTS: npt.NDArray[np.bool_] = np.array([ending.is_fault for ending in ENDINGS_BY_NUMBER])


@dataclass(frozen=True)
class ResultColumns:
    """The fields of `GameResult` as arrays with one item for each game. Unknown counts are -1."""

    rows: Ints
    cols: Ints
    mines: Ints
    ending: npt.NDArray[np.int8]
    """The number of the ending in `ENDINGS_BY_NUMBER`."""
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
    """The measures by the index of the game, for the games that have measures."""

    @classmethod
    def of(cls, results: Sequence[GameResult]) -> ResultColumns:
        """Return the results as columns."""
        names = GameResult._fields
        values = zip(*results, strict=True) if results else [()] * len(names)
        columns: dict[str, Any] = dict(zip(names, values, strict=True))
        for name, column in columns.items():
            if name not in ("ending", "fault", "measures"):
                columns[name] = np.array([-1 if n is None else n for n in column], np.int64)
        columns["ending"] = np.array([ending.number for ending in columns["ending"]], np.int8)
        columns["fault"] = np.array(columns["fault"], np.object_)
        columns["measures"] = {place: each for place, each in enumerate(columns["measures"]) if each}
        return cls(**columns)

    def __len__(self) -> int:
        return len(self.ending)

    def __iter__(self) -> Iterator[GameResult]:
        """Iterate over the results, game by game."""
        optional = [field.name in OPTIONAL for field in fields(self)[4:-2]]
        *numbers, faults = (getattr(self, field.name).tolist() for field in fields(self)[:-1])
        for place, (rows, cols, mines, ending, *counts) in enumerate(zip(*numbers, strict=True)):
            measures = self.measures.get(place, {})
            if min(counts) < 0:
                counts = [None if n < 0 and may_lack else n for n, may_lack in zip(counts, optional, strict=True)]
            yield GameResult._make((rows, cols, mines, ENDINGS_BY_NUMBER[ending], *counts, faults[place], measures))

    def __getitem__(self, places: slice | npt.NDArray[np.bool_] | Ints) -> ResultColumns:
        """Return some of the games."""
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

    def impossible(self, last_mine: Ints) -> npt.NDArray[np.bool_]:
        """Return which games have impossible counts and endings. `check_result` rejects the same results.

        `last_mine` is the `Rules.last_mine` of each game. Measures and the texts of faults are not checked.
        """
        found: npt.NDArray[np.bool_] = impossible(self, self.ending, last_mine)
        return found
