"""How the games of a tournament get played: here, or in other processes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from sweepstakes.agent import Agent
from sweepstakes.game.result import Ending, GameResult


class Fixture(NamedTuple):
    """One game to be played: which agent, under which condition, on which board; counted from 0."""

    agent: int
    condition: int
    number: int


class Chunk(NamedTuple):
    """Some games of one agent under one condition: boards `first` to `last - 1`."""

    agent: int
    condition: int
    first: int
    last: int

    def fixtures(self) -> list[Fixture]:
        """Its games, in the order of their boards."""
        return [Fixture(self.agent, self.condition, number) for number in range(self.first, self.last)]


class Row(NamedTuple):
    """One finished game, as it is stored."""

    fixture: Fixture
    result: GameResult
    seconds: float
    """The agent's own processor time: reported apart from what must be the same every time."""
    moves: bytes | None
    """The turns, packed, if they were kept."""
    took: float = 0.0
    """Seconds on the clock that it kept its process busy, a second playing included: not stored."""


class Limits(NamedTuple):
    """What a game may cost before it is the agent's fault; None is no limit."""

    turn_seconds: float | None = None
    game_seconds: float | None = None
    memory_mb: int | None = None


class Guard(Protocol):
    """Watches over the agents of a game: the one that plays it, and the one that plays it again to explain it."""

    def __call__(self, factory: Callable[[], Agent]) -> Agent:
        """An agent of the factory, watched from its constructor on."""

    def played(self, row: Row) -> None:
        """Take the row of a game that is about to be played again: it stands, whatever happens from here on.

        Its measures are missing in it. The agent made next is held to the limits of a second playing.
        """


class GamePlayer(Protocol):
    """Plays fixtures in the process that it was opened in."""

    def play(self, fixture: Fixture, guard: Guard | None = None) -> Row:
        """Play one game. If there is a guard, it is given the factory and makes every agent."""


class Workload(Protocol):
    """What a tournament gives to an executor; it can be pickled."""

    def open(self) -> GamePlayer:
        """Load all that playing needs, once in each process."""

    def forfeit(self, fixture: Fixture, ending: Ending, what: str, seconds: float) -> Row:
        """The row of a game whose process did not live to the end of it: the agent `what`, as in "took too long"."""

    def check(self, row: Row) -> None:
        """`ValueError`, with a sentence, for a row that no game of the tournament can have."""


class Executor(ABC):
    """Plays chunks of games, in any order."""

    @abstractmethod
    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Row]]:
        """The rows of every game, each exactly once, in lists as they come in.

        Chunks are taken from the iterable only when somebody is free to play them. Closing the iterator stops the work
        at once and leaves nothing running.
        """
