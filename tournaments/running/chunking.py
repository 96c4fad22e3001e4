"""How many games go to a worker at once."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from itertools import groupby

from sweepstakes.executor import Chunk, Row

FIRST = 16
"""Games in a chunk as long as none of the agent under this condition has come in."""
MOST = 2000
"""Games in a chunk, however fast they are."""
SECONDS = 0.25
"""What a chunk should take: long beside a message, short beside a tournament, so that nobody waits long at its end."""
LEAST = 150e-6
"""Seconds of a game, at least: nobody plays faster."""


class ChunkSizer:
    """Cuts what is to be played into small chunks, by how long the games before have taken.

    Agents take turns, board block by board block, so that what slows the machine down for a minute slows down all of
    them. A block takes the slowest of them about `SECONDS`.
    """

    def __init__(self) -> None:
        self._games: dict[tuple[int, int], int] = defaultdict(int)
        self._seconds: dict[tuple[int, int], float] = defaultdict(float)

    def add(self, rows: Iterable[Row]) -> None:
        """Take note of finished games."""
        for (agent, condition, _), _, _, _, took in rows:
            self._games[agent, condition] += 1
            # An agent that has put back the clocks of its process gets large chunks and nothing else.
            self._seconds[agent, condition] += max(took, LEAST) if took == took else LEAST

    def split(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """The same games in smaller chunks, condition by condition, whose size is decided when they are asked for.

        The agent that has come least far is next; of several the one whose chunks came first.
        """
        for _, group in groupby(chunks, key=lambda chunk: chunk.condition):
            waiting: dict[int, deque[Chunk]] = {}
            for chunk in group:
                if chunk.first < chunk.last:
                    waiting.setdefault(chunk.agent, deque()).append(chunk)
            while waiting:
                size = min(self._size(queue[0]) for queue in waiting.values())
                agent = min(waiting, key=lambda agent: waiting[agent][0].first)
                chunk = waiting[agent].popleft()
                last = min(chunk.first + size, chunk.last)
                if last < chunk.last:
                    waiting[agent].appendleft(chunk._replace(first=last))
                if not waiting[agent]:
                    del waiting[agent]
                yield chunk._replace(last=last)

    def _size(self, chunk: Chunk) -> int:
        which = chunk.agent, chunk.condition
        games = self._games[which]
        return min(MOST, 1 + int(SECONDS * games / self._seconds[which])) if games else FIRST
