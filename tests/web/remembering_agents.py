"""Agents that show in their turns what they remember and what they can reach."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sweepstakes import Agent, Cell, Turn, View, hookimpl
from sweepstakes.plugins.agents.basic import Basic


class Counts(Agent):
    """Guesses with the probability 0.01 in its first turn, 0.02 in its second, and so on."""

    def __init__(self) -> None:
        self._turns = 0

    def act(self, view: View) -> Turn:
        self._turns += 1
        return Turn(open=[(0, 0)], why="guess", probability=self._turns / 100)


class Looks(Agent):
    """Guesses with the probability 1 if any of the frames that called it contains a board, else with 0."""

    def act(self, view: View) -> Turn:
        frame, found = sys._getframe(), False
        while frame.f_back is not None:
            frame = frame.f_back
            values = [*frame.f_locals.values()]
            values += [each for value in values for each in getattr(value, "__dict__", {}).values()]
            found |= any(type(value).__name__ in ("Board", "Game", "GameSetup", "Session") for value in values)
        return Turn(open=[(0, 0)], why="guess", probability=float(found))


class Process(Agent):
    """Writes the id of its process to the directory `traces`, and answers after some seconds."""

    def __init__(self, traces: str, seconds: float = 0.0) -> None:
        self._traces = Path(traces)
        self._seconds = seconds

    def act(self, view: View) -> Turn:
        (self._traces / str(os.getpid())).touch()
        time.sleep(self._seconds)
        return Turn(open=[(0, 0)], why="guess")


class Holds(Agent):
    """Allocates `mb` megabytes without touching them."""

    def __init__(self, mb: int) -> None:
        self._held = bytearray(mb << 20)

    def act(self, view: View) -> Turn:
        return Turn(open=[(0, 0)], why="guess")


class Terse(Basic):
    """Plays like `basic`, and gives evidence only for the cells of its first proof: the clue in the corner."""

    def __init__(self) -> None:
        super().__init__()
        self._proofs = 0

    def act(self, view: View) -> Turn:
        turn = super().act(view)
        self._proofs += turn.why == "proof"
        if self.explain and turn.why == "proof" and self._proofs == 1:
            cells = [divmod(cell, view.cols) for cell in map(int, turn.open)]
            return turn._replace(evidence={Cell(*cell): [Cell(0, 0)] for cell in cells})
        return turn._replace(evidence=None)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    return {"counts": Counts, "holds": Holds, "looks": Looks, "process": Process, "terse": Terse}
