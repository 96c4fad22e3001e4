"""`output.txt` of a run: what agents wrote to their standard output and error in games that they lost by a fault."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.untrusted.text import quoted

FILE = "output.txt"
MAX_FAULTS = 5
"""Number of games per agent whose output is kept: the first games that ended by a fault."""
_HEAD = re.compile(r"(?P<label>.+?)/\d+/\d+: ")
"""The beginning of a game: AGENT/CONDITION/NUMBER."""


class OutputFile:
    """The file in a run directory. Each game has a line with its name and its fault, then its output, line by line.

    Only the owner may read the file, since it may reveal boards of a secret seed. The games of agents in `changed` were
    played by an earlier version and are dropped.
    """

    def __init__(self, directory: Path, changed: Collection[str] = ()) -> None:
        self.path = directory / FILE
        self._kept: Counter[str] = Counter()
        """The number of games in the file, by agent."""
        if not self.path.exists():
            return
        with run_errors(self.path):
            games = self.path.read_text(encoding="utf-8", errors="replace").split("\n\n")
        stay = []
        for game in games:
            head = _HEAD.match(game)
            if head is not None and head["label"] not in changed:
                stay.append(game)
                self._kept[head["label"]] += 1
        if len(stay) < len([game for game in games if game]):
            self._write("".join(f"{game}\n\n" for game in stay), os.O_TRUNC)

    def add(self, label: str, game: str, fault: str, output: str) -> int:
        """Keep the output of a game that ended by a fault if it is one of the first such games of its agent.

        Return how many games of the agent are kept, or 0 if this game is not kept.
        """
        if self._kept[label] >= MAX_FAULTS:
            return 0
        self._kept[label] += 1
        self._write(f"{game}: {fault}\n{quoted(output)}\n\n", os.O_APPEND)
        return self._kept[label]

    def _write(self, text: str, how: int) -> None:
        with run_errors(self.path, "written"):
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | how, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
