"""A seat: what the supervisor knows of one worker and of the task it was given."""

from __future__ import annotations

import socket
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple

from sweepstakes.executor import Chunk, Fixture
from sweepstakes.game.result import Ending
from sweepstakes.plugins.executors.local import protocol
from sweepstakes.plugins.executors.local.protocol import AGAIN, GAME, STARTED, TASK, TURN


class Task(NamedTuple):
    """Games to be played, and whether only by a process in which no other agent has been."""

    chunk: Chunk
    apart: bool = False

    def part(self, first: int, last: int, *, apart: bool = False) -> list[Task]:
        """The games of these places in the chunk, if there are any."""
        agent, condition, start, _ = self.chunk
        return [Task(Chunk(agent, condition, start + first, start + last), apart)] if first < last else []

    @property
    def games(self) -> int:
        """How many games it has."""
        return self.chunk.last - self.chunk.first

    def fixture(self, place: int) -> Fixture:
        """The game at a place of the chunk; `IndexError` if there is none."""
        agent, condition, first, last = self.chunk
        if first + place >= last:
            raise IndexError(place)
        return Fixture(agent, condition, first + place)


class Sight(NamedTuple):
    """What the slot showed at a moment."""

    task: int
    game: int
    turn: float
    started: float
    again: bool


class Verdict(NamedTuple):
    """Why a worker is being killed, and what it was seen doing."""

    ending: Ending
    what: str
    sight: Sight

    def strikes(self, now: Sight) -> bool:
        """Whether it was still at the same game when it died, so that the game is the guilty one."""
        seen = self.sight
        return self.ending is Ending.CRASH or (seen.task, seen.game, seen.started, seen.again) == (
            now.task,
            now.game,
            now.started,
            now.again,
        )


class Seat:
    """One worker after another sits here. A worker is `link`ed from its start to the report of its death."""

    def __init__(self, number: int, slot: protocol.Slot) -> None:
        self.number = number
        self.slot = slot
        self.link: socket.socket | None = None
        self.task: Task | None = None
        self.serial = 0
        self.strikes = 0
        """Workers lost in a row before they got a game to its end."""
        self._forget()

    def _forget(self) -> None:
        self.pid = 0
        self.ready = False
        self.given = False
        self.leaving = False
        self.hung_up = False
        self.done = 0
        self.agents: set[int] = set()
        self.verdict: Verdict | None = None
        self.frames = protocol.Frames()
        self.weighed = 0.0
        self.last = Sight(0, -1, 0.0, 0.0, False)
        self.since = monotonic()

    def begin(self) -> socket.socket:
        """A new worker takes the seat: the end of the socket that is its own."""
        self._forget()
        self.link, theirs = socket.socketpair()
        self.link.setblocking(False)
        self.slot[GAME] = -1
        self.slot[TASK] = self.slot[TURN] = self.slot[STARTED] = self.slot[AGAIN] = 0
        return theirs

    def clear(self) -> None:
        """The worker is gone."""
        if self.link is not None:
            self.link.close()
        self.link = None

    @property
    def fits(self) -> bool:
        """Whether the worker that sits here may play the task."""
        assert self.task is not None
        return not (self.task.apart and self.agents - {self.task.chunk.agent})

    def give(self) -> None:
        """Send the task to the worker."""
        assert self.task is not None
        assert self.link is not None
        self.serial += 1
        self.given = True
        self.done = 0
        self.since = monotonic()
        self.agents.add(self.task.chunk.agent)
        with suppress(OSError):  # a worker that has just died will be reported
            self.link.sendall(protocol.frame((self.serial, *self.task.chunk)))

    def received(self) -> list[Any]:
        """What has arrived from the worker; `ValueError` if it is none of ours."""
        messages: list[Any] = []
        while self.link is not None and not self.hung_up:
            try:
                data = self.link.recv(1 << 20)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            self.since = monotonic()
            self.hung_up = not data
            messages += self.frames.feed(data)
        return messages

    def look(self) -> Sight:
        """What the worker is doing now."""
        task, game, turn, started, again = (self.slot[i] for i in (TASK, GAME, TURN, STARTED, AGAIN))
        return Sight(int(task), int(game), turn, started, bool(again))
