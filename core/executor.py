"""The interface of executors, which play the games of a tournament in this process or in others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sweepstakes.agent import Agent
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.limits import Limits as Limits  # executors get them

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
        """The games of the chunk, by board number."""
        return [Fixture(self.agent, self.condition, number) for number in self.numbers]

    def cut(self, first: int, last: int) -> Chunk:
        """The games at the places `first` to `last - 1` of the chunk."""
        numbers = self.numbers[first:last]
        return self._replace(first=numbers.start, last=numbers.stop)


class Row(NamedTuple):
    """One finished game, as it is stored."""

    fixture: Fixture
    result: GameResult
    seconds: float
    """Processor time of the agent. It differs from run to run, and is reported apart from the results."""
    moves: bytes | None
    """The packed turns, if they were recorded."""
    took: float = 0.0
    """Wall-clock seconds that the game kept its process busy, with a second playing and without the start of a host
    process; not stored."""
    output: str = ""
    """What the agent wrote to standard output and standard error, if requested. It is not stored with the game."""
    files: tuple[tuple[str, str], ...] = ()
    """Data files below its folder that the agent has opened for the first time: place and hash; stored with the run."""
    transcript: bytes | None = None
    """The packed transcript, if the agent has one and the turns are kept."""


class PackedRows(NamedTuple):
    """Finished games that are stored without rows and turns: a worker has packed their scores into one block."""

    chunk: Chunk
    head: str
    """JSON that describes `data`: see `sweepstakes.tournaments.storage.packed`."""
    data: bytes
    took: float
    """The sum of `Row.took`."""
    scored: int
    """Games whose ranking score is known, for the display of progress, as is `total`."""
    total: float
    """The sum of the ranking score."""
    noted: tuple[Row, ...] = ()
    """Rows that have something besides the game: output, or data files that were opened."""

    @property
    def fixture(self) -> Fixture:
        """The first game."""
        return Fixture(*self.chunk[:3])


Finished = Row | PackedRows


def count_games(batch: Iterable[Finished]) -> int:
    """Count the games in finished rows and blocks."""
    return sum(len(each.chunk.numbers) if isinstance(each, PackedRows) else 1 for each in batch)


class Guard(Protocol):
    """Enforces limits on the agents of a game: the one that plays it, and the one that replays it to explain it.

    An executor may pass one to `GamePlayer.play`.
    """

    def __call__(self, factory: Callable[[], Agent]) -> Agent:
        """Call the factory. The limits apply to the constructor and to the agent's turns."""

    def second_playing(self, row: Row) -> AbstractContextManager[None]:
        """Surrounds the second playing of a game, which explains it.

        `row` is that of the game, with what needs no evidence measured: it counts even if the second playing fails.
        """


class GamePlayer(Protocol):
    """Plays games in the process in which it was opened."""

    def play(self, fixture: Fixture, guard: Guard | None = None) -> Row:
        """Play one game. A guard, if there is one, is called to make every agent that lives in this process."""

    def packs(self, fixture: Fixture) -> bool:
        """Whether `pack` packs the row of this game."""

    def pack(self, rows: Sequence[Row]) -> list[Finished]:
        """Pack those of the rows that are stored without turns; the others are returned as they are."""

    def end_chunk(self) -> None:
        """Called after the games of a chunk: ends the host process of its agent, if there is one."""

    def close(self) -> None:
        """Called after the last game: leaves no process behind."""


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
        """`ValueError`, with a sentence, if no game of the tournament can have this row, or no games this block."""

    def title(self, fixture: Fixture) -> str:
        """The name of a game: AGENT/CONDITION/NUMBER."""

    def repeats(self, fixture: Fixture) -> bool:
        """Return whether the game ends the same way each time it is played. It depends on `Agent.repeatable`."""

    def parcel(self) -> Parcel:
        """The tournament with the contents of all files that it names, for another machine."""

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
