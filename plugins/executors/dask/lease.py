"""A lease, which is a batch of games for one node, and the choice of its size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sweepstakes.executor import Chunk, Finished, Fixture, count_games

MAX_GAMES = 20_000
"""The maximum number of games in a lease, which bounds the memory that its rows need."""
UNKNOWN_GAMES = 16
"""Games whose time is unknown that count as a whole lease of one core."""
_LEAST = 150e-6
"""The minimum time that is assumed for a game."""


@dataclass(eq=False)
class Lease:
    """Games for one node."""

    chunks: list[Chunk]
    first_rows: dict[Fixture, Finished] = field(default_factory=dict)
    """The rows of these games if other nodes have played them before."""
    first_nodes: dict[Fixture, str] = field(default_factory=dict)
    """The addresses of those nodes."""
    losses: int = 0
    """Number of times that it was lost because its node died or failed."""

    @property
    def is_check(self) -> bool:
        """Whether its games have been played before, and their rows are to be compared."""
        return bool(self.first_rows)


class LeaseSizer:
    """Cuts leases from chunks, by how long the finished games took."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._games: dict[tuple[int, int], int] = defaultdict(int)
        self._took: dict[tuple[int, int], float] = defaultdict(float)
        self._agents: set[int] = set()
        """The agents with a finished game."""

    def add(self, rows: Iterable[Finished]) -> None:
        """Count finished games and their times."""
        for row in rows:
            (agent, condition, _), took, games = row.fixture, row.took, count_games([row])
            self._games[agent, condition] += games
            self._agents.add(agent)
            self._took[agent, condition] += max(took, _LEAST * games) if took == took else _LEAST * games

    def cut(self, chunks: Iterator[Chunk], cores: int) -> list[Chunk]:
        """Cut off chunks that keep `cores` cores busy for the seconds of a lease, or all chunks if there are fewer.

        A chunk of an agent without a finished game counts as a whole lease of one core, and so do `UNKNOWN_GAMES` games
        of an agent that has finished games under other conditions only.
        """
        lease: list[Chunk] = []
        left, games = self._seconds * cores, 0
        while left > 0 and games < MAX_GAMES:
            chunk = next(chunks, None)
            if chunk is None:
                break
            lease.append(chunk)
            left -= self._estimate(chunk)
            games += len(chunk.numbers)
        return lease

    def _estimate(self, chunk: Chunk) -> float:
        key = chunk.agent, chunk.condition
        if games := self._games[key]:
            return self._took[key] / games * len(chunk.numbers)
        return self._seconds * (len(chunk.numbers) / UNKNOWN_GAMES if chunk.agent in self._agents else 1)
