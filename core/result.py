"""How a game ended, and what it counts."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple


class Ending(StrEnum):
    """How a game came to its end; from ILLEGAL_MOVE on they are the agent's faults."""

    WON = "won"
    LOST = "lost"
    FINISHED = "finished"
    GAVE_UP = "gave up"
    ILLEGAL_MOVE = "illegal move"
    ERROR = "error"
    STALLED = "stalled"
    TIME_OUT = "time-out"
    CRASH = "crash"
    MEMORY = "memory"

    @property
    def is_fault(self) -> bool:
        """Whether the agent broke off the game by its own doing."""
        return self not in (Ending.WON, Ending.LOST, Ending.FINISHED, Ending.GAVE_UP)


ENDINGS = {ending.value: ending for ending in Ending}
"""Endings by their text, for those who read many: faster than `Ending(text)`."""


class GameResult(NamedTuple):
    """A finished game in numbers; every score is a function of it."""

    rows: int
    cols: int
    mines: int
    ending: Ending
    opened: int
    """Safe cells open at the end."""
    right_flags: int
    """Flags on mines, standing at the end."""
    wrong_flags: int
    """Flags on safe cells, standing at the end."""
    detonated: int
    """Mines set off."""
    turns: int
    asked: int
    """Cells opened by name; what floods open is not counted, nor what was skipped or dropped."""
    guesses: int
    """Turns with the reason `guess` or `random` that asked for a cell."""
    fallbacks: int
    """Turns decided by a weaker reasoning because the agent's own was too hard."""
    fault: str = ""
    """What the agent did wrong, in a sentence."""
    measures: Mapping[str, float | None] = MappingProxyType({})
    """What scores that look at the turns measured in it, by name; None where its second playing came to nothing."""

    @property
    def cells(self) -> int:
        """Cells on the board."""
        return self.rows * self.cols

    @property
    def safe(self) -> int:
        """Cells without a mine."""
        return self.rows * self.cols - self.mines

    @property
    def won(self) -> bool:
        """Every safe cell is open, nothing went off, and the agent did nothing wrong."""
        return self.opened == self.safe and self.detonated == 0 and not self.ending.is_fault
