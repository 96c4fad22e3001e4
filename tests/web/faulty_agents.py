"""Agents that do what agents must not do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sweepstakes import Agent, Registry, Turn, View, hookimpl


class Hangs(Agent):
    def act(self, view: View) -> Turn:
        while True:
            time.sleep(0.01)


class Raises(Agent):
    def act(self, view: View) -> Turn:
        raise ValueError("no idea")


class Crashes(Agent):
    def act(self, view: View) -> Turn:
        os._exit(3)


class Breaks(Agent):
    def act(self, view: View) -> Turn:
        return Turn(flag=[(0, 0)], open=[(99, 99)], why="proof")


class Babbles(Agent):
    def act(self, view: View) -> Turn:
        return "anything"  # type: ignore[return-value]


class GivesUp(Agent):
    def act(self, view: View) -> Turn:
        return Turn()


class Speechless(Agent):
    """Plays like `exact`, and crashes when it has to explain."""

    def act(self, view: View) -> Turn:
        if self.explain:
            os._exit(3)
        return Registry.default().agent("exact")().act(view)


class Ponders(Agent):
    """Writes the file `asked` to the folder `traces`, and answers once the file `answer` exists there."""

    def __init__(self, traces: str) -> None:
        self._traces = Path(traces)

    def act(self, view: View) -> Turn:
        (self._traces / "asked").touch()
        while not (self._traces / "answer").exists():
            time.sleep(0.01)
        return Turn(open=view.covered()[:1])


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    return {
        "hangs": Hangs,
        "raises": Raises,
        "crashes": Crashes,
        "breaks": Breaks,
        "babbles": Babbles,
        "gives-up": GivesUp,
        "ponders": Ponders,
        "speechless": Speechless,
    }
