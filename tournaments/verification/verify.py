"""Check the stored rows of a run or of a publication against their games.

Every game that kept its moves is set up again, and the referee repeats its turns. A sample of all games is played again
by their agents, in worker processes and under the limits of the run; then the referee of this process repeats the turns
that the workers report. This process loads no code of an agent, so an agent that alters the referee of its own process
cannot alter the result of the check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from sweepstakes.executor import Executor, Fixture, Row
from sweepstakes.game.result import GameResult
from sweepstakes.spec import Spec
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.resolve.playable import find_playable
from sweepstakes.tournaments.running.again import difference, play_again
from sweepstakes.tournaments.running.executors import LOCAL, pick_executor
from sweepstakes.tournaments.statistics.published_tally import FILE as TALLY
from sweepstakes.tournaments.statistics.published_tally import PublishedTally, read_tally
from sweepstakes.tournaments.storage.packed import PackedGames
from sweepstakes.tournaments.storage.packed_joining import difference as packed_difference
from sweepstakes.tournaments.storage.packed_joining import pack_result
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.tournaments.verification.sampling import Drawn, draw, draw_packed, draw_tallied
from sweepstakes.tournaments.verification.stored_rows import (
    check_forfeits,
    check_named,
    check_stored,
    check_time_outs,
    games_not_in_plan,
    missing_games,
)
from sweepstakes.tournaments.verification.tallied_scores import TalliedScores

LIMIT = "by a time-out, a crash or lack of memory"


class Unverified(NamedTuple):
    """Something that could not be compared."""

    about: str
    """The label of an agent or a condition, or the name of a file."""
    why: str
    agent: str = ""
    """The label of the agent; "" if it is about something else."""


class VerificationReport(NamedTuple):
    """The numbers of checked and differing rows."""

    games: int
    """Rows that were read, and games of which a publication has only the winner."""
    repeated: int
    """Games that kept their moves: the referee has repeated their turns."""
    played_again: int
    """Games that their agents have played again."""
    differing: int
    """Rows that differ from their game, games that are missing or that the tournament does not have, and agents that
    are not those of the tournament file."""
    unverified: tuple[Unverified, ...]
    """The games that could not be compared."""


def verify(
    run: RunReader,
    *,
    sample: float | None = None,
    seed: int,
    workers: int | None,
    on_difference: Callable[[str], None],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> VerificationReport:
    """Check every row, and play a sample of the games again.

    The games of built-in agents that ended by a limit are all played again: these agents limit their searches by
    counting, so that only a slow machine can stop them. `sample` is a share; by default it is `SAMPLE`, and at least
    `MIN_SAMPLE` games are played. `on_difference` is called with a line for each difference; `on_progress` with the
    number of games that have just been played again, and the number of games in the sample.
    """
    plan = run.plan
    found = _Findings(run, on_difference)
    for place in sorted(run.changed):
        why = "cannot be verified: its board source or its noise has changed since"
        found.unverified.append(Unverified(plan.conditions[place].label, why))
    tallied = read_tally(run)
    for about, how in games_not_in_plan(run) if run.published else ():
        found.differs(about, how)
    for about, how in missing_games(run, tallied) if run.complete else ():
        found.differs(about, how)
    rows, repeated = check_stored(run, found.differs)
    playable = find_playable(run, plan.entries, plan.scores)
    named = check_named(run, playable, found.differs)
    check_forfeits(run, playable.forfeits, found.differs)
    for label, why in named.items():
        if label not in playable.forfeits:
            found.unverified.append(Unverified(label, f"cannot be verified: {why}", label))
    once = [entry.label for entry in playable.plan.entries if not entry.repeatable and entry.label not in named]
    for label in once:
        why = "not repeatable: the turns of its games are repeated, and no game is played again"
        found.unverified.append(Unverified(label, why, label))
    agents = {i for i, entry in enumerate(plan.entries) if entry.label not in named and entry.label not in once}
    drawn = draw(run, agents, sample, seed, check_time_outs(run, found.differs))
    known = draw_tallied(run, tallied, agents, sample, seed) if tallied else {}
    packed = draw_packed(run, agents, sample, seed)
    found.add_counts(
        Counter(map(plan.name, [*drawn.not_played, *packed.not_played])),
        f"{{:,}} games ended {LIMIT}: they are not played again",
    )
    executor = pick_executor(run.registry, LOCAL, workers)
    total = len(drawn.games) + len(known) + len(packed.games)
    found.play_sample(playable.plan, drawn, executor, lambda: on_progress(1, total))
    if tallied:
        found.play_tallied(playable.plan, tallied, known, executor, lambda: on_progress(1, total))
    found.play_packed(playable.plan, packed.games, executor, lambda: on_progress(1, total))
    found.end()
    games = plan.games if tallied else rows + packed.total
    return VerificationReport(games, repeated, found.played_again, len(found.differing), tuple(found.unverified))


class _Findings:
    """The findings so far."""

    def __init__(self, run: RunReader, on_difference: Callable[[str], None]) -> None:
        self._run, self._on_difference = run, on_difference
        self.differing: set[object] = set()
        self.unverified: list[Unverified] = []
        self.played_again = 0
        self._stopped_again: Counter[str] = Counter()
        """Games that ended by a limit when they were played again, by agent."""
        self._measured_once: Counter[str] = Counter()
        """Games that have a measure in only one of two playings, by agent."""

    def differs(self, about: object, how: str) -> None:
        """Report a difference, once for each game or other thing."""
        if about not in self.differing:
            self.differing.add(about)
            self._on_difference(f"{self._run.name(about) if isinstance(about, Fixture) else about}: {how}")

    def add_counts(self, counts: Counter[str], why: str) -> None:
        """Note that games of some agents could not be compared; `why` has a place for their number."""
        self.unverified += [Unverified(label, why.format(count), label) for label, count in counts.items()]

    def play_sample(self, plan: Plan, drawn: Drawn, executor: Executor, on_game: Callable[[], None]) -> None:
        """Have the games of the sample played again, and compare their rows."""
        for row in play_again(plan, drawn.games, executor):
            on_game()
            self._compare(drawn.games[row.fixture], row)

    def _compare(self, then: GameResult, row: Row) -> None:
        plan, label = self._run.plan, self._run.plan.name(row.fixture)
        if how := _limit_difference(then, row.result):
            self.differs(row.fixture, how)
        elif not row.result.ending.repeatable or row.moves is None:
            if row.result.ending != then.ending:
                self._stopped_again[label] += 1
                return
        elif how := difference(plan, self._run.registry, then, row):
            self.differs(row.fixture, how)
        elif self._run.complete and (how := _measured_once(plan, then, row.result)):
            if plan.entries[row.fixture.agent].built_in:
                self.differs(row.fixture, how)
            else:  # a second playing that comes to nothing may depend on the machine
                self._measured_once[label] += 1
        self.played_again += 1

    def play_packed(
        self, plan: Plan, games: Mapping[Fixture, PackedGames], executor: Executor, on_game: Callable[[], None]
    ) -> None:
        """Have packed games played again, and compare their scores and faults."""
        for row in self._repeated(plan, games, executor, on_game):
            if how := packed_difference(games[row.fixture], pack_result(self._run, row.fixture, row.result)):
                self.differs(row.fixture, f"packed with {how} as played again")

    def play_tallied(
        self,
        plan: Plan,
        tallied: PublishedTally,
        known: dict[Fixture, bool],
        executor: Executor,
        on_game: Callable[[], None],
    ) -> None:
        """Have games played again of which only who won is published, and compare that and the published sums."""
        scores = TalliedScores(self._run, tallied)
        for row in self._repeated(plan, known, executor, on_game):
            scores.add(row)
            if row.result.won != known[row.fixture]:
                said = "it was won" if known[row.fixture] else "it was not won"
                self.differs(row.fixture, f"{TALLY} says {said}; played again it is otherwise")
        if why := scores.compare(self.differs):
            self.unverified.append(Unverified(TALLY, why))

    def _repeated(
        self, plan: Plan, games: Collection[Fixture], executor: Executor, on_game: Callable[[], None]
    ) -> Iterator[Row]:
        """Yield the rows of games that were played again and can be compared, and count all."""
        for row in play_again(plan, games, executor):
            on_game()
            if row.result.ending.repeatable:
                self.played_again += 1
                yield row
            else:
                self._stopped_again[plan.name(row.fixture)] += 1

    def end(self) -> None:
        """Note which games could not be compared."""
        why = f"{{:,}} games ended {LIMIT} when they were played again: these are not compared"
        self.add_counts(self._stopped_again, why)
        for label, count in self._measured_once.items():
            games = f"{count:,} game{'s were' if count > 1 else ' was'}"
            why = f"{games} measured only once of two times: this is not compared"
            self.unverified.append(Unverified(label, why, label))


def _limit_difference(then: GameResult, now: GameResult) -> str:
    """Say how a game that had ended by a limit ends now; "" if it ends the same way, or had not ended by a limit."""
    if then.ending.repeatable or not now.ending.repeatable:
        return ""
    return f"the row says {then.ending}; played again it is {now.ending} after {now.turns} turns"


def _measured_once(plan: Plan, stored: GameResult, again: GameResult) -> str:
    """Name the measure that only the row or only the game played again has; "" if there is no such measure."""
    for name in (Spec.parse(measure).name for measure in plan.measures):
        then, now = stored.measures.get(name), again.measures.get(name)
        if (then is None) != (now is None):
            return f"the row says {_measured(name, then)}; played again it is {_measured(name, now)}"
    return ""


def _measured(name: str, value: float | None) -> str:
    return f"no {name}" if value is None else f"{name} {value:g}"
