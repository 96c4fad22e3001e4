"""The leaderboard of a run that is still being played: its progress, the standings so far and the latest games."""

from __future__ import annotations

import json
import threading
from time import monotonic
from typing import Any

from sweepstakes.errors import RunError
from sweepstakes.executor import Fixture
from sweepstakes.tournaments.statistics.standings import tabulate
from sweepstakes.tournaments.statistics.tally import Tally, read_blocks
from sweepstakes.tournaments.storage import database
from sweepstakes.tournaments.stored_run import StoredRun

PATIENCE = 0.3
"""Maximum seconds that an answer waits for new standings. The standings of a large run come with a later answer."""
REST = 9
"""After computing the standings, the server rests for this multiple of the time, because the run needs the processor.
"""
LATEST = 12
"""The number of latest games that are listed."""


class LiveLeaderboard:
    """The leaderboard of a run, computed in a separate thread while the run is being played."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._computed: tuple[int, Any] = (-1, None)
        """The number of games that the last standings contain, and these standings as `leaderboard.json` has them."""
        self._not_before = 0.0
        self._tallies: dict[str, tuple[int, Tally]] = {}
        """The tallies of the conditions by key, each with its number of games."""

    def describe(self, run: StoredRun) -> dict[str, Any]:
        """Return the leaderboard or the standings so far, the number of stored games, and the latest games.

        `complete` says whether the leaderboard is final.
        """
        finished, total = run.finished(), run.plan.games
        final = run.leaderboard()
        published = not (run.directory / database.FILE).is_file()  # may lack some of its games
        ended = published or (finished >= total and _agents(final) in (None, _labels(run)))
        complete = final is not None and ended
        so_far: tuple[int, Any] = (finished, final) if complete else self._so_far(run, finished)
        if so_far[1] is None and final is not None:  # of a part of the tournament that was played earlier
            so_far = sum(line["games"] for table in final["tables"][:1] for line in table["standings"]), final
        return {
            "leaderboard": so_far[1],
            "progress": {"finished": finished, "total": total, "complete": complete, "counted": so_far[0]},
            "latest": [] if complete else latest_games(run),
        }

    def _so_far(self, run: StoredRun, finished: int) -> tuple[int, Any]:
        """Return the newest standings and their number of games. A thread updates them if there are new games."""
        with self._lock:
            due = self._thread is None and finished != self._computed[0] and monotonic() >= self._not_before
            if due:
                self._thread = threading.Thread(target=self._compute, args=(run, finished), daemon=True)
                self._thread.start()
            thread = self._thread
        if thread is not None:
            thread.join(PATIENCE)
        return self._computed

    def _compute(self, run: StoredRun, finished: int) -> None:
        begun = monotonic()
        try:
            self._computed = finished, self._standings(run)
        except RunError:  # the ranking score is missing for an agent, which the end of the run will report
            self._computed = finished, None
        finally:
            with self._lock:
                self._not_before = monotonic() + REST * (monotonic() - begun)
                self._thread = None

    def _standings(self, run: StoredRun) -> Any:
        tallies = {}
        for place, condition in enumerate(run.conditions):
            count = run.finished_under(place)
            known = self._tallies.get(condition.key)
            if known is None or known[0] != count:
                known = self._tallies[condition.key] = count, Tally.joined(map(Tally.of, read_blocks(run, place)))
            tallies[condition.label] = known[1]
        standings = tabulate(run, tallies)
        if run.secret is not None and not run.secret.revealed:
            standings = standings._replace(faults=())  # their messages may contain information about boards
        return json.loads(run.registry.make("report", "json").text(standings))


def latest_games(run: StoredRun) -> list[dict[str, Any]]:
    """Return the game with the highest number of each agent, under the last condition that has games."""
    found: list[dict[str, Any]] = []
    for condition in reversed(range(len(run.conditions))):
        if not run.finished_under(condition):
            continue
        for agent, entry in enumerate(run.agents):
            number = run.last_board(condition, agent)
            stored = None if number is None else run.find(Fixture(agent, condition, number))
            if stored is not None:
                ending = "won" if stored.result.won else str(stored.result.ending)
                found.append({"condition": condition + 1, "agent": entry.label, "number": number, "ending": ending})
        break
    found.sort(key=lambda game: -game["number"])
    return found[:LATEST]


def _labels(run: StoredRun) -> set[str]:
    return {agent.label for agent in run.agents}


def _agents(leaderboard: Any) -> set[str] | None:
    """Return the agents of a leaderboard, or None if it does not exist or has no table."""
    tables = leaderboard["tables"] if leaderboard is not None else []
    return {line["agent"] for line in tables[0]["standings"]} if tables else None
