"""The writer of a run by itself: which stored games count when the tournament has changed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import GameResult
from sweepstakes.executor import Fixture
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.workload import PlanWorkload
from sweepstakes.tournaments.storage.joining import import_games
from sweepstakes.tournaments.storage.run_writer import RunWriter

BROKEN = """
from sweepstakes import Agent, hookimpl

class Broken(Agent):
    def act(self, view):
        raise ValueError("no")

@hookimpl
def sweepstakes_agents():
    return {"broken": Broken}
"""


@pytest.fixture
def data(tmp_path: Path) -> dict[str, Any]:
    """A tournament of two agents, of which one loses every game by a fault."""
    (tmp_path / "broken.py").write_text(BROKEN)
    agents = ["random", str(tmp_path / "broken.py")]
    return {"games": 3, "boards": "4x4/3", "agents": agents, "scores": ["win"], "isolation": "none"}


def writer(tmp_path: Path, data: dict[str, Any]) -> RunWriter:
    return RunWriter(tmp_path / "run", *make_plan(parse(data)))


def play_all(store: RunWriter) -> None:
    with closing(PlanWorkload(store.plan).open()) as worker:
        store.add([worker.play(fixture) for chunk in store.missing() for fixture in chunk.fixtures()])


def test_faults_under_another_isolation_are_doubtful_until_their_games_were_played_again(
    tmp_path: Path, data: dict[str, Any]
) -> None:
    with closing(writer(tmp_path, data)) as store:
        play_all(store)
        store.note_isolation()
        assert (store.isolation_before, store.doubtful(), store.pending()) == ("none", 0, 0)
    hosted = data | {"isolation": "process"}
    for _ in range(2):  # a run that is interrupted before the games were played finds them again
        with closing(writer(tmp_path, hosted)) as store:
            assert (store.isolation_before, store.doubtful(), store.pending()) == ("none", 3, 3)
    with closing(writer(tmp_path, hosted | {"games": 2})) as store:
        assert (store.doubtful(), store.pending()) == (2, 2)
    with closing(writer(tmp_path, hosted)) as store:
        store.note_isolation()
        assert (store.isolation_before, store.doubtful(), store.pending()) == ("process", 0, 0)
    with closing(writer(tmp_path, hosted)) as store:
        assert (store.isolation_before, store.doubtful(), store.pending()) == ("process", 0, 0)


def test_faults_stay_as_they_are_once_the_seed_is_public(tmp_path: Path, data: dict[str, Any]) -> None:
    secret = data | {"seed": "secret"}
    with closing(writer(tmp_path, secret)) as store:
        play_all(store)
        store.reveal_seed()
    hosted = secret | {"isolation": "process"}
    for _ in range(2):
        with closing(writer(tmp_path, hosted)) as store:
            assert (store.isolation_before, store.doubtful(), store.pending()) == ("none", 3, 0)
            store.note_isolation()


def test_a_sample_of_the_imported_games_is_checked_if_there_are_any(tmp_path: Path, data: dict[str, Any]) -> None:
    checked: list[int] = []

    def check(sample: Mapping[Fixture, GameResult]) -> None:
        checked.append(len(sample))

    with closing(writer(tmp_path / "from", data)) as source:
        with closing(writer(tmp_path / "empty", data)) as store:
            assert import_games(store, source, check) == 0
        assert checked == []
        play_all(source)
        with closing(writer(tmp_path / "checked", data)) as store:
            assert import_games(store, source, check) == 6
        assert checked == [6]
        with closing(writer(tmp_path / "trusted", data)) as store:
            assert import_games(store, source) == 6
        assert checked == [6]
