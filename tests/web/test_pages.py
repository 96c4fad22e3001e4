"""The data of the Leaderboard and Watch pages: the overview, replays and decisive boards of a run."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from conftest import without_words
from starlette.testclient import TestClient

from sweepstakes import Registry, RunError, Spec, open_run
from sweepstakes.game.turn_codec import unpack
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.plan import Entry
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.data.overview import Overview
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.app import make_app


def test_the_overview_has_the_leaderboard_and_what_can_be_watched(client: TestClient, run_directory: Path) -> None:
    overview = client.get("/api/run").json()
    stored = json.loads((run_directory / "leaderboard.json").read_text())
    assert without_words(overview["leaderboard"]) == stored
    assert all(score["title"] and score["about"] for score in overview["leaderboard"]["scores"])
    assert [agent["label"] for agent in overview["agents"]] == ["random", "basic"]
    assert [c["boards"] for c in overview["conditions"]] == [12, 12, 12]


def test_a_replay_ends_where_the_stored_game_ended(client: TestClient, run_directory: Path) -> None:
    run = open_run(run_directory)
    for agent, entry in enumerate(run.agents, 1):
        for number in range(12):
            found = client.get(f"/api/run/replay/1/{agent}/{number}").json()
            stored = run.game(f"{entry.label}/1/{number}")
            marks = list(found["start"])
            for turn in found["turns"]:
                for cell, mark in zip(turn["at"], turn["to"], strict=True):
                    marks[cell] = mark
            assert len(found["turns"]) == stored.result.turns
            assert marks.count("*") == stored.result.detonated
            assert marks.count("F") == stored.result.right_flags + stored.result.wrong_flags
            assert sum(mark.isdigit() for mark in marks) == stored.result.opened


def test_two_agents_have_the_same_board(client: TestClient) -> None:
    layouts = {client.get(f"/api/run/replay/2/{agent}/5").json()["layout"] for agent in (1, 2)}
    assert len(layouts) == 1


def test_decisive_boards_are_those_with_a_difference(client: TestClient, run_directory: Path) -> None:
    found = client.get("/api/run/decisive/1/2/1").json()
    table = json.loads((run_directory / "leaderboard.json").read_text())["tables"][1]
    (pair,) = table["pairs"]
    wins = (pair["worse"], pair["better"]) if pair["first"] == "random" else (pair["better"], pair["worse"])
    assert (found["better"], found["worse"]) == wins
    leads = [mine - theirs for _, mine, theirs in found["won"]]
    assert leads == sorted(leads, reverse=True)
    mirrored = client.get("/api/run/decisive/1/1/2").json()
    assert [board for board, *_ in mirrored["lost"]] == [board for board, *_ in found["won"]]


def rename(db: sqlite3.Connection, entry: Entry) -> None:
    """Have an agent's games played by another."""
    db.execute(
        "update meta set value = replace(value, (select key from agents where label = ?), ?)", [entry.label, entry.key]
    )
    change = "update agents set key = ?, name = ?, parameters = ?, version = ? where label = ?"
    db.execute(
        change, [entry.key, entry.spec.name, json.dumps(dict(entry.spec.parameters)), entry.version, entry.label]
    )


def reasons(replay: dict[str, Any]) -> int:
    return sum(len(turn["evidence"]) for turn in replay["turns"] if turn["why"] == "proof")


def test_a_replay_has_the_reasons_of_a_second_playing(client: TestClient, run_directory: Path) -> None:
    stored = open_run(run_directory).game("basic/1/3")
    assert stored.moves is not None
    assert all(turn.evidence is None for turn in unpack(stored.moves))
    found = client.get("/api/run/replay/1/2/3").json()
    assert reasons(found) > 0
    assert found["note"] == ""


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (Entry("basic", Spec("basic"), "99"), "basic has changed since the game was played"),
        (Entry("basic", Spec("gone"), "v1"), "unknown agent 'gone'"),
        (Entry("basic", Spec("llm", {"model": "m"}), "v1"), "basic is not repeatable, so it is not asked again"),
    ],
)
def test_a_game_that_cannot_be_played_again_is_shown_with_the_engines_reasons(
    run_directory: Path, registry: Registry, agent_service: AgentService, tmp_path: Path, change: Entry, why: str
) -> None:
    shutil.copytree(run_directory, tmp_path / "run")
    with sqlite3.connect(tmp_path / "run" / "games.sqlite") as db:
        rename(db, change)
    db.close()
    found = Overview(open_run(tmp_path / "run"), registry, agent_service).replay(1, 2, 3)
    assert found["note"].startswith(f"The reasons are the engine's smallest proofs: {why}")
    assert reasons(found) > 0


def test_an_agent_that_crashes_when_it_explains_is_watched_all_the_same(
    registry: Registry, agent_service: AgentService, tmp_path: Path
) -> None:
    data = {"games": 1, "boards": {"size": 6, "mines": 6}, "agents": ["speechless"], "moves": "all"}
    run_tournament(data, out=tmp_path, plugins=(str(Path(__file__).parent / "faulty_agents.py"),))
    found = Overview(open_run(tmp_path), registry, agent_service).replay(1, 1, 0)
    assert found["note"] == "The reasons are the engine's smallest proofs: agent 'speechless' crashed its process."
    assert reasons(found) > 0


@pytest.fixture
def run_without_moves(run_directory: Path, tmp_path: Path) -> Path:
    """The run without its moves."""
    directory = tmp_path / "run_without_moves"
    shutil.copytree(run_directory, directory)
    with sqlite3.connect(directory / "games.sqlite") as db:
        db.execute("update games set moves = null")
    db.close()
    return directory


def test_a_game_without_moves_is_played_again(
    client: TestClient, registry: Registry, agent_service: AgentService, run_without_moves: Path
) -> None:
    again = TestClient(
        make_app(registry, open_run(run_without_moves), agent_service=agent_service), base_url="http://127.0.0.1"
    )
    for path in ("/api/run/replay/1/1/7", "/api/run/replay/3/2/4"):
        assert again.get(path).json() == client.get(path).json()


def test_a_game_of_a_changed_agent_is_not_passed_off_as_its_own(
    registry: Registry, agent_service: AgentService, run_without_moves: Path
) -> None:
    with sqlite3.connect(run_without_moves / "games.sqlite") as db:
        rename(db, Entry("random", Spec("random"), "v0"))
    db.close()
    with pytest.raises(ApiError, match="has changed since"):
        Overview(open_run(run_without_moves), registry, agent_service).replay(1, 1, 7)


def test_reading_leaves_the_run_as_it_was(run_directory: Path, tmp_path: Path, registry: Registry) -> None:
    directory = tmp_path / "copy"
    shutil.copytree(run_directory, directory)
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    pages = Overview(open_run(directory), registry)
    pages.overview()
    pages.replay(1, 1, 0)
    pages.decisive(1, 1, 2)
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == before


def test_games_that_an_agent_broke_off_can_be_watched(registry: Registry, tmp_path: Path) -> None:
    faulty_agents = Path(__file__).parent / "faulty_agents.py"
    faults = {"breaks": "illegal move", "raises": "error", "babbles": "illegal move", "gives-up": "gave up"}
    tournament = {"games": 2, "boards": {"size": 4, "mines": 2}, "agents": list(faults), "moves": "all"}
    run_tournament(tournament, out=tmp_path, workers=1, plugins=(str(faulty_agents),))
    run = open_run(tmp_path)
    pages = Overview(run, registry)
    for number, agent in enumerate(run.agents, 1):
        found = pages.replay(1, number, 1)
        assert found["result"]["ending"] == faults[agent.label]
        assert found["layout"].count("*") == 2
        assert len(pages.views(1, number, 1)) == len(found["turns"]) + 1


def test_a_run_is_read_while_it_is_played(run_directory: Path, tmp_path: Path) -> None:
    directory = tmp_path / "copy"
    shutil.copytree(run_directory, directory)
    db = sqlite3.connect(directory / "games.sqlite")
    assert db.execute("pragma journal_mode = wal").fetchone() == ("wal",)
    with db:
        db.execute(
            "insert into games select condition, agent, 500, ending, opened, right_flags, wrong_flags, detonated,"
            " turns, cells_clicked, guesses, fallbacks, clicks, three_bv, fault, measures, seconds, moves, limits"
            " from games limit 1"
        )
    try:
        run = open_run(directory)
        assert max(run.boards(condition) for condition in range(3)) == 501
    finally:
        db.close()


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no tournament has been run here"):
        open_run(tmp_path)
    (tmp_path / "tournament.yaml").write_text("boards: beginner\nagents: basic\n")
    (tmp_path / "games.sqlite").write_text("not a database, but long enough to be looked at" * 20)
    with pytest.raises(RunError, match="not a database"):
        open_run(tmp_path)
