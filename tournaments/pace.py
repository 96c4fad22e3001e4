"""How many games go to a worker at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from sweepstakes.executor import Chunk, Row

FIRST = 16
"""Games in a chunk as long as none of the agent under this condition has come in."""
MOST = 2000
"""Games in a chunk, however fast they are."""
SECONDS = 0.25
"""What a chunk should take: long beside a message, short beside a tournament, so that nobody waits long at its end."""
AROUND = 150e-6
"""Seconds of a game that are not the agent's own, roughly."""


class Pace:
    """Cuts what is to be played into chunks of about the same time, by how long the games before have taken."""

    def __init__(self) -> None:
        self._games: dict[tuple[int, int], int] = defaultdict(int)
        self._seconds: dict[tuple[int, int], float] = defaultdict(float)

    def add(self, rows: Iterable[Row]) -> None:
        """Take note of finished games."""
        for (agent, condition, _), _, seconds, _ in rows:
            self._games[agent, condition] += 1
            # An agent that has put back the clocks of its process gets large chunks and nothing else.
            self._seconds[agent, condition] += (seconds if seconds > 0 else 0) + AROUND

    def cut(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """The same games in smaller chunks, whose size is decided when they are asked for."""
        for chunk in chunks:
            first = chunk.first
            while first < chunk.last:
                last = min(first + self._size(chunk), chunk.last)
                yield chunk._replace(first=first, last=last)
                first = last

    def _size(self, chunk: Chunk) -> int:
        which = chunk.agent, chunk.condition
        games = self._games[which]
        return min(MOST, 1 + int(SECONDS * games / self._seconds[which])) if games else FIRST
