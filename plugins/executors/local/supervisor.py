"""The supervisor: hands games to workers, watches their clocks, and settles who pays when one dies."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from selectors import EVENT_READ, DefaultSelector
from time import monotonic
from typing import Any

from sweepstakes import Ending, GameResult, RunError
from sweepstakes.executor import Chunk, Fixture, Limits, Row, Workload
from sweepstakes.game.result import ENDINGS, LONGEST_FAULT
from sweepstakes.game.size import Size
from sweepstakes.inference.explaining import second_limits
from sweepstakes.plugins.executors.local import os_support, protocol
from sweepstakes.plugins.executors.local.forkserver_client import KeeperLink
from sweepstakes.plugins.executors.local.protocol import BASE, SPENT, Control
from sweepstakes.plugins.executors.local.time_guard import too_long
from sweepstakes.plugins.executors.local.worker_slot import Seat, Sight, Task, Verdict
from sweepstakes.untrusted.text import clean

ROUND = 0.2
"""Seconds between two rounds of the supervisor when nothing arrives."""
STALLED = 120.0
"""Seconds that a worker may be silent while no agent's clock runs: compiling, setting up, cleaning up."""
STRIKES = 3
"""Workers that may die in a row on one seat without a game begun or finished."""

CLOSED = "closed the files of its process"
WROTE = "wrote into the files of its process"
RUINED = "left its process in a state in which nobody can play"


class Supervisor:
    """Plays the games of one run in the workers that the other process starts for it."""

    def __init__(self, keeper: KeeperLink, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> None:
        self._keeper = keeper
        self._stage = workload
        self._limits, self._second_limits = limits, second_limits(limits)
        self._chunks = iter(chunks)
        self._again: deque[Task] = deque()
        self._played: dict[Fixture, Row] = {}
        """The rows of games that are being played again."""
        self._suspects: set[int] = set()
        """Agents that lost a worker: they play alone from then on, lest every loss is looked into twice."""
        self._seats = [Seat(number, slot) for number, slot in enumerate(keeper.slots)]
        self._selector = DefaultSelector()
        self._selector.register(keeper.socket, EVENT_READ)

    def rows(self) -> Iterator[list[Row]]:
        """Hand out tasks and take in rows until there are no more of either."""
        try:
            while self._hand_out():
                rows: list[Row] = []
                for key, _ in self._selector.select(self._pause()):
                    if key.data is None:
                        for message in self._keeper.messages():
                            rows += self._heard(message)
                    elif key.data.link is key.fileobj:  # not closed earlier in this round
                        rows += self._take_in(key.data)
                for seat in self._seats:
                    self._watch(seat)
                if rows:
                    self._hand_out()  # first, so that nobody waits for whoever takes the rows
                    yield rows
        finally:
            for seat in self._seats:
                seat.clear()
            self._selector.close()

    # Handing out.

    def _hand_out(self) -> bool:
        """Give every free seat a task; whether any seat has one."""
        for seat in self._seats:
            if seat.task is None:
                seat.task = self._next_task()
            if seat.task is None:
                continue
            if seat.link is None:
                self._start(seat)
            elif seat.ready and not seat.given and not seat.leaving:
                if seat.fits:
                    seat.give()
                else:
                    self._send_off(seat)
        return any(seat.task is not None for seat in self._seats)

    def _next_task(self) -> Task | None:
        if self._again:
            return self._again.popleft()
        chunk = next(self._chunks, None)
        return Task(chunk, apart=chunk.agent in self._suspects) if chunk is not None else None

    def _start(self, seat: Seat) -> None:
        self._keeper.start(seat.number, seat.begin())
        assert seat.link is not None
        self._selector.register(seat.link, EVENT_READ, seat)

    def _send_off(self, seat: Seat) -> None:
        """Have the worker replaced, which is nobody's fault: when its death is reported, a new one starts."""
        seat.leaving = True
        self._keeper.kill(seat.number)

    # Taking in.

    def _take_in(self, seat: Seat) -> list[Row]:
        """The rows that a worker has sent."""
        rows: list[Row] = []
        try:
            for message in seat.received():
                kind, *content = message
                if kind == protocol.READY:
                    seat.ready = True
                elif kind == protocol.FAILED:
                    raise RunError(clean(content[0], 400))
                elif kind == protocol.PLAYED:
                    self._note(seat, *content)
                else:
                    rows += self._read(seat, *content)
        except (TypeError, ValueError, LookupError):
            self._condemn(seat, Ending.CRASH, WROTE)
            seat.hung_up = True
        if seat.hung_up and seat.link is not None and seat.link in self._selector.get_map():
            self._selector.unregister(seat.link)
        return rows

    def _read(self, seat: Seat, serial: int, games: list[tuple[Any, ...]], state: int) -> list[Row]:
        task = self._task(seat, serial)
        rows = [self._settled(self._row(task, place, game)) for place, game in enumerate(games, seat.done)]
        seat.done += len(rows)
        seat.strikes = 0
        if any(row.result.ending is Ending.CRASH for row in rows):  # which no worker says of itself
            state = protocol.RETIRE
        if state == protocol.MORE:
            return rows
        if state == protocol.RETIRE:
            self._again += task.part(seat.done, task.games)
            self._send_off(seat)
        seat.task = None
        seat.given = False
        return rows

    def _task(self, seat: Seat, serial: int) -> Task:
        if seat.task is None or serial != seat.serial or not seat.given:
            raise ValueError("rows of another task")
        return seat.task

    def _note(self, seat: Seat, serial: int, game: tuple[Any, ...]) -> None:
        """Keep the row of a game that is about to be played again: the first one, if that has happened before."""
        row = self._row(self._task(seat, serial), game[0], game)
        self._played.setdefault(row.fixture, row)

    def _settled(self, row: Row) -> Row:
        """The row of a game, or the one it had at first, with what was measured if it is the same game."""
        first = self._played.pop(row.fixture, None)
        if first is None:
            return row
        measured = first.result._replace(measures=row.result.measures)
        return first._replace(result=measured, took=row.took) if measured == row.result else first

    def _row(self, task: Task, place: int, game: tuple[Any, ...]) -> Row:
        said, result, *rest = game
        if said != place:
            raise ValueError("rows out of order")
        fixture = task.fixture(place)
        try:
            row = self._told(fixture, result, rest)
            self._stage.check(row)
        except (TypeError, ValueError, LookupError, RecursionError):
            return self._forfeit(fixture, Ending.CRASH, WROTE, 0.0, 0.0)
        return row

    def _told(self, fixture: Fixture, result: Any, rest: list[Any]) -> Row:
        """The row as the worker has it, unchecked."""
        if isinstance(result, tuple):
            seconds, moves, took = rest
            ended = GameResult.from_row(Size(*result[0]), result[1])
            return Row(fixture, ended._replace(fault=clean(ended.fault, LONGEST_FAULT)), seconds, moves, took)
        what, seconds, took = rest
        return self._forfeit(fixture, ENDINGS[result], clean(what), seconds, took)

    def _forfeit(self, fixture: Fixture, ending: Ending, what: str, seconds: float, took: float) -> Row:
        return self._stage.forfeit(fixture, ending, what, seconds)._replace(took=took)

    # Deaths.

    def _heard(self, message: Control) -> list[Row]:
        seat = self._seats[message.seat]
        if message.kind == protocol.STARTED_ONE:
            seat.pid = message.value
            return []
        if message.kind != protocol.DIED:
            return []
        rows = self._take_in(seat)  # what it sent before it died
        if seat.task is not None and not seat.leaving:
            rows += self._judge(seat, seat.task, message)
        if seat.link is not None and seat.link in self._selector.get_map():
            self._selector.unregister(seat.link)
        seat.clear()
        return rows

    def _judge(self, seat: Seat, task: Task, death: Control) -> list[Row]:
        """Decide who pays for a worker that died over a task, and have the rest played again."""
        if not seat.given:
            self._strike(seat, death.value)
            return []  # the task stays with the seat, for the next worker
        sight = seat.look()
        games = task.games
        seat.task = None
        if sight.task != seat.serial or sight.game < seat.done:  # it died between games: nobody's fault
            self._strike(seat, death.value)
            self._again += task.part(seat.done, games)
            return []
        verdict = seat.verdict
        if verdict is None:
            own = {protocol.LOST_FILES: CLOSED, protocol.RUINED: RUINED}  # exit codes of ours
            verdict = Verdict(Ending.CRASH, own.get(death.value) or os_support.how_it_died(death.value), sight)
        elif not verdict.strikes(sight):  # it moved on before the signal came
            self._again += task.part(seat.done, games)
            return []
        self._suspects.add(task.chunk.agent)
        self._again += task.part(seat.done, sight.game, apart=True)
        if seat.agents != {task.chunk.agent}:  # perhaps another agent did it: this one plays alone
            self._again += task.part(sight.game, games, apart=True)
            return []
        self._again += task.part(sight.game + 1, games, apart=True)
        seat.strikes = 0
        fixture = task.fixture(sight.game)
        took = max(monotonic() - sight.started, 0.0) if sight.started > 0 else 0.0
        if fixture in self._played:  # it was played to its end, and only explaining it failed
            return [self._played.pop(fixture)._replace(took=took)]
        spent = max(death.spent - seat.slot[SPENT], 0.0)
        return [self._forfeit(fixture, verdict.ending, verdict.what, spent, took)]

    def _strike(self, seat: Seat, status: int) -> None:
        """Count a worker that died by itself, without an agent to blame; too many stop the run."""
        seat.strikes += 1
        if seat.strikes >= STRIKES:
            how = os_support.how_it_died(status)
            raise RunError(f"{STRIKES} workers in a row died before a game: the last {how}")

    # Watching.

    def _pause(self) -> float:
        """How long to wait for messages: until the next moment at which a limit could strike, or a round."""
        now = monotonic()
        pause = ROUND
        for seat in self._seats:
            sight = seat.look()
            if seat.given and sight.turn and seat.verdict is None:
                turn, game, _ = self._limits_of(sight)
                if turn is not None:
                    pause = min(pause, sight.turn + turn - now)
                if game is not None:
                    pause = min(pause, sight.started + game - now)
        return max(pause, 0.001)

    def _watch(self, seat: Seat) -> None:
        """Kill the worker if it is over a limit."""
        if seat.link is None or seat.verdict is not None:
            return
        now = monotonic()
        sight = seat.look()
        if sight != seat.last:
            seat.last, seat.since = sight, now
        if not seat.given:
            if not seat.ready and now - seat.since > STALLED:
                raise RunError(f"a worker was not ready to play after {STALLED:g} s")
            return
        if seat.hung_up:
            if now - seat.since > ROUND:  # dying takes a moment: one that lives on has closed its files
                self._condemn(seat, Ending.CRASH, CLOSED)
        elif sight.turn:
            what = too_long(self._limits_of(sight), now - sight.turn, now - sight.started)
            if what:
                self._condemn(seat, Ending.TIME_OUT, what)
            elif self._limits.memory_mb is not None:
                self._weigh(seat, self._limits.memory_mb)
        elif now - seat.since > STALLED:
            self._condemn(seat, Ending.TIME_OUT, f"held up its process for more than {STALLED:g} s")

    def _limits_of(self, sight: Sight) -> Limits:
        return self._second_limits if sight.again else self._limits

    def _weigh(self, seat: Seat, allowed: int) -> None:
        """Kill a worker that holds too much. Its own limit stops most of that, but not shared memory."""
        if monotonic() - seat.weighed < ROUND or not seat.pid:
            return
        seat.weighed = monotonic()
        now = os_support.memory(seat.pid)
        if now is not None and seat.slot[BASE] and now.held - seat.slot[BASE] > allowed * os_support.MB:
            self._condemn(seat, Ending.MEMORY, f"held more than {allowed} MB")

    def _condemn(self, seat: Seat, ending: Ending, what: str) -> None:
        if seat.verdict is None:
            seat.verdict = Verdict(ending, what, seat.look())
            self._keeper.kill(seat.number)
