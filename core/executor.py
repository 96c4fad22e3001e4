"""The interface of executors, which play the games of a tournament in this process or in others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sweepstakes.agent import Agent
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.limits import Limits as Limits  # for authors of executors

if TYPE_CHECKING:
    from sweepstakes.hosting.client import Hosts


class Fixture(NamedTuple):
    """One game to play: the numbers of its agent, its condition and its board, each counted from 0."""

    agent: int
    condition: int
    number: int


class Chunk(NamedTuple):
    """Several games of one agent under one condition, on every `step`-th of the boards `first` to `last - 1`."""

    agent: int
    condition: int
    first: int
    last: int
    step: int = 1

    @property
    def numbers(self) -> range:
        """The numbers of the boards."""
        return range(self.first, self.last, self.step)

    def fixtures(self) -> list[Fixture]:
        """Return the games of the chunk, by board number."""
        return [Fixture(self.agent, self.condition, number) for number in self.numbers]

    def cut(self, first: int, last: int) -> Chunk:
        """Return a chunk of the games `first` to `last - 1` of this chunk, counted from 0."""
        numbers = self.numbers[first:last]
        return self._replace(first=numbers.start, last=numbers.stop)


class Row(NamedTuple):
    """One finished game, as it is stored."""

    fixture: Fixture
    result: GameResult
    seconds: float
    """Processor time of the agent. It differs from run to run, so it is reported separately from the results."""
    moves: bytes | None
    """The packed turns, if they were recorded."""
    took: float = 0.0
    """Wall-clock seconds that the game kept its process busy. Includes a second playing, but not the start of a host
    process. Not stored."""
    output: str = ""
    """What the agent wrote to standard output and standard error, if requested. It is not stored with the game."""
    files: tuple[tuple[str, str], ...] = ()
    """Path and hash of each data file in its folder that the agent opened for the first time. Stored with the run."""
    transcript: bytes | None = None
    """The packed transcript, if the agent has one and the turns are kept."""


class PackedRows(NamedTuple):
    """Finished games that are stored without rows and turns. A worker has packed their scores into one block."""

    chunk: Chunk
    head: str
    """JSON that describes `data`: see `sweepstakes.tournaments.storage.packed`."""
    data: bytes
    took: float
    """The sum of `Row.took`."""
    scored: int
    """Number of games whose ranking score is known. This and `total` are for the display of progress."""
    total: float
    """The sum of the ranking scores."""
    noted: tuple[Row, ...] = ()
    """The rows of games that also have output or newly opened data files."""

    @property
    def fixture(self) -> Fixture:
        """The first game."""
        return Fixture(*self.chunk[:3])


Finished = Row | PackedRows


def count_games(batch: Iterable[Finished]) -> int:
    """Count the games in finished rows and blocks."""
    return sum(len(each.chunk.numbers) if isinstance(each, PackedRows) else 1 for each in batch)


class Guard(Protocol):
    """Enforces limits on the agent that plays a game, and on the agent that plays it again to explain it.

    An executor may pass a guard to `GamePlayer.play`.
    """

    def __call__(self, factory: Callable[[], Agent]) -> Agent:
        """Call the factory. The limits apply to the constructor and to the agent's turns."""

    def second_playing(self, row: Row) -> AbstractContextManager[None]:
        """Return a context manager that surrounds the second playing of a game, which explains it.

        `row` is the row of the game. Its scores that need no evidence are already measured, and it counts even if the
        second playing fails.
        """


class GamePlayer(Protocol):
    """Plays games in the process in which it was opened."""

    def play(self, fixture: Fixture, guard: Guard | None = None) -> Row:
        """Play one game. If there is a guard, it makes every agent that lives in this process."""

    def packs(self, fixture: Fixture) -> bool:
        """Return whether `pack` packs the row of this game."""

    def pack(self, rows: Sequence[Row]) -> list[Finished]:
        """Pack the rows that are stored without turns. Return the other rows unchanged."""

    def end_chunk(self) -> None:
        """End the host process of the chunk's agent, if there is one. Called after the games of a chunk."""

    def close(self) -> None:
        """End all processes. Called after the last game."""


class Workload(Protocol):
    """A tournament as executors see it. It can be pickled."""

    def open(self, limits: Limits | None = None, hosts: Hosts | None = None) -> GamePlayer:
        """Load the plugins that the games need. Call this once in each process.

        The player enforces the limits, by default those of the tournament, on agents in host processes. A guard
        enforces them on agents in this process. `hosts` starts the host processes; without it, the player starts its
        own server.
        """

    def warm_agents(self) -> Sequence[str] | None:
        """Return the built-in agents whose compiled code host processes need, or None without host processes."""

    def forfeit(self, fixture: Fixture, ending: Ending, what: str, seconds: float) -> Row:
        """Return the row of a game whose process died. `what` says what the agent did, as in "took too long"."""

    def check(self, row: Finished) -> None:
        """Raise `ValueError` with the reason if no game of the tournament can have this row or be in this block."""

    def title(self, fixture: Fixture) -> str:
        """Return the name of a game: AGENT/CONDITION/NUMBER."""

    def repeats(self, fixture: Fixture) -> bool:
        """Return whether the game ends the same way each time it is played. This depends on `Agent.repeatable`."""

    def parcel(self) -> Parcel:
        """Return the tournament with the contents of all files that it names, for another machine."""

    def prepare(self) -> None:
        """Compile what the games need, before any clock runs. Call this once per machine, after unpacking a parcel.

        Raises `SweepstakesError` if this machine cannot play a game of the tournament.
        """


class Parcel(Protocol):
    """A tournament to be sent to another machine. It can be pickled."""

    def unpack(self, folder: Path) -> Workload:
        """Write the files into the folder, which exists, and return the tournament that names them there."""


class Executor(ABC):
    """Plays chunks of games, in any order."""

    @abstractmethod
    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[Sequence[Finished]]:
        """Yield the rows of all games, each exactly once, in lists, as games finish.

        Rows need not be packed: the run packs those that it stores without turns.

        Take a chunk from the iterable only when a worker is free to play it. Closing the iterator must stop all games
        at once and leave no process running.
        """

    def status(self) -> str:
        """Return what to show next to the number of finished games, such as machines and their speed; "" by default."""
        return ""
