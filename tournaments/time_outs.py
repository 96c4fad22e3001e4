"""Agents that time out in game after game forfeit the games after five time-outs in a row.

An agent that hangs would otherwise cost games x limit. The games of an agent under a condition are evaluated in the
order of their boards, whatever order they are played in. After the first five time-outs in a row, all later games of
the condition are forfeits, even those that another worker has played meanwhile. So the rows are the same for any number
of workers, any executor and any interruption.
"""

from __future__ import annotations

from collections.abc import Collection

from sweepstakes.game.faults import Fault, FaultKind

IN_A_ROW = 5
"""Time-outs in a row after which an agent forfeits its other games under the condition."""
FORFEIT = Fault(FaultKind.FORFEIT, f"{IN_A_ROW}")
"""The fault of the agent in a forfeited game."""


class Streak:
    """The games of one agent under one condition as they finish, in any order."""

    def __init__(self, boards: range) -> None:
        self._boards = boards
        self._place = 0
        """The games on all boards before this place are known."""
        self._ahead: dict[int, tuple[int, Collection[int]]] = {}
        """Finished games beyond that place. The key is the place of the first of several games that finished together.
        The value is the place after the last of them, and the boards of those that timed out."""
        self._in_a_row = 0
        self._finished = 0
        self.rest: range | None = None
        """The boards whose games are forfeited, or None so far."""

    def add(self, boards: range, timed_out: Collection[int]) -> int:
        """Record finished games on consecutive boards, and the boards of those that timed out. Return how many games
        are finished now, including those that have just become forfeits.
        """
        if self.rest is not None or not boards:
            return 0
        before, first = self._finished, self._boards.index(boards[0])
        self._finished += len(boards)
        self._ahead[first] = first + len(boards), timed_out
        while self._place in self._ahead:
            stop, late = self._ahead.pop(self._place)
            self._in_a_row = self._in_a_row if late else 0
            for place in range(self._place, stop) if late else ():
                self._in_a_row = self._in_a_row + 1 if self._boards[place] in late else 0
                if self._in_a_row == IN_A_ROW:
                    self.rest = self._boards[place + 1 :]
                    self._finished = len(self._boards)
                    return self._finished - before
            self._place = stop
        return self._finished - before
