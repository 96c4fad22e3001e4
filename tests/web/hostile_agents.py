"""Agents that attack the server or block it. They leave traces in the directory TRACES."""

from __future__ import annotations

import os
import pickle
import struct
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sweepstakes import Agent, Turn, View, hookimpl


class Payload:
    """Creates a file when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.mkdir, (os.environ["TRACES"] + "/unpickled",)


class Forges(Agent):
    """Writes an answer of its own into every file that is open, in every form in which it may be read."""

    def act(self, view: View) -> Turn:
        data = pickle.dumps((True, Payload()))
        for file in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
            for text in (struct.pack("!i", len(data)) + data, data):
                try:
                    os.write(file, text)
                except OSError:
                    break
        return Turn(open=[(0, 0)])


class Prints(Agent):
    """Talks while it plays."""

    def act(self, view: View) -> Turn:
        print("I think", flush=True)
        os.write(1, b"I am sure\n")
        os.write(2, b"quite sure\n")
        return Turn(open=[(0, 0)], why="guess", probability=0.25)


class Waits(Agent):
    """Never answers."""

    def act(self, view: View) -> Turn:
        (Path(os.environ["TRACES"]) / str(os.getpid())).touch()
        while True:
            time.sleep(1)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    return {"forges": Forges, "prints": Prints, "waits": Waits}
