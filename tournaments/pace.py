"""How many games go to a worker at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sweepstakes.executor import Chunk, Row

FIRST = 16
"""Games in the first chunk of an agent under a condition, when nothing is known of its speed."""
MOST = 2000
SECONDS = 0.25
"""What a chunk should take: long beside a message, short beside a tournament, so that nobody waits long at its end."""
AROUND = 150e-6
"""Seconds of a game that are not the agent's own, roughly."""


class _Sum(NamedTuple):
    games: int = 0
    seconds: float = 0.0


class Pace:
    """Cuts what is to be played into chunks of about the same time, by how long the games before have taken."""

    def __init__(self) -> None:
        self._sums: dict[tuple[int, int], _Sum] = {}

    def add(self, rows: Iterable[Row]) -> None:
        """Take note of finished games."""
        for row in rows:
            key = row.fixture[:2]
            games, seconds = self._sums.get(key, _Sum())
            self._sums[key] = _Sum(games + 1, seconds + row.seconds + AROUND)

    def cut(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """The same games in smaller chunks, whose size is decided when they are asked for."""
        for chunk in chunks:
            first = chunk.first
            while first < chunk.last:
                last = min(first + self._size(chunk), chunk.last)
                yield chunk._replace(first=first, last=last)
                first = last

    def _size(self, chunk: Chunk) -> int:
        known = self._sums.get((chunk.agent, chunk.condition))
        return min(MOST, 1 + int(SECONDS * known.games / known.seconds)) if known else FIRST
