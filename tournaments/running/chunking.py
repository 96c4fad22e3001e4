"""Decides how many games a worker gets at once."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from sweepstakes.executor import Chunk, Finished, Fixture, PackedRows

FIRST = 1
"""Games in a chunk before the first game of the agent under the condition has finished: each may take minutes."""
MAX_GAMES = 2000
"""The maximum number of games in a chunk."""
SECONDS = 0.25
"""The time a chunk should take: long compared with sending it, but short enough that workers end together."""
PACKED_SECONDS = 2.0
"""The time a chunk of packed games should take. It is longer, since each block costs time, whatever is in it."""
LEAST = 150e-6
"""The minimum time assumed for a game, in seconds. No agent plays faster."""


class ChunkSizer:
    """Splits the games to play into small chunks, whose size depends on how long the finished games took.

    Agents take turns, block of boards by block of boards, so that a slow minute of the machine slows all agents down
    alike. A block takes the slowest agent about `SECONDS`, and is a single board if a game takes longer.

    `is_over` says whether an agent has no more games to play under a condition.
    """

    def __init__(
        self,
        is_over: Callable[[int, int], bool] = lambda agent, condition: False,
        packs: Callable[[Fixture], bool] = lambda fixture: False,
    ) -> None:
        self._is_over = is_over
        self._packs = packs
        self._games: dict[tuple[int, int], int] = defaultdict(int)
        self._seconds: dict[tuple[int, int], float] = defaultdict(float)

    def add(self, rows: Iterable[Finished]) -> None:
        """Count finished games and their times."""
        for row in rows:
            games = 1
            if isinstance(row, PackedRows):
                agent, condition, games = *row.chunk[:2], len(row.chunk.numbers)
            else:
                agent, condition, _ = row.fixture
            self._games[agent, condition] += games
            # An agent that sets back the clock of its process only gets larger chunks.
            self._seconds[agent, condition] += max(row.took, LEAST * games) if row.took == row.took else LEAST * games

    def split(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Yield the same games in smaller chunks, condition by condition. The size of a chunk is decided when it is
        yielded.

        The next chunk is of the agent with the lowest next board; of several, the one whose chunks came first.
        """
        for condition, group in groupby(chunks, key=lambda chunk: chunk.condition):
            waiting: dict[int, deque[Chunk]] = {}
            for chunk in group:
                if chunk.numbers:
                    waiting.setdefault(chunk.agent, deque()).append(chunk)
            while waiting := {agent: each for agent, each in waiting.items() if not self._is_over(agent, condition)}:
                size = min(self._size(queue[0]) for queue in waiting.values())
                agent = min(waiting, key=lambda agent: waiting[agent][0].first)
                chunk = waiting[agent].popleft()
                games = len(chunk.numbers)
                if size < games:
                    waiting[agent].appendleft(chunk.cut(size, games))
                if not waiting[agent]:
                    del waiting[agent]
                yield chunk.cut(0, size)

    def _size(self, chunk: Chunk) -> int:
        key = chunk.agent, chunk.condition
        games = self._games[key]
        seconds = PACKED_SECONDS if self._packs(Fixture(*chunk[:3])) else SECONDS
        return min(MAX_GAMES, 1 + int(seconds * games / self._seconds[key])) if games else FIRST
