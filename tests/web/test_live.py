"""A run that is being played: its progress, its standings so far, and nothing that a secret seed hides."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from arena_page import Page
from conftest import serving

from sweepstakes import Registry, open_run
from sweepstakes.tournaments import run_tournament
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.data.overview import Overview
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.app import make_app


@pytest.fixture
def half(run_directory: Path, tmp_path: Path) -> Path:
    """The run before its second half was played."""
    directory = tmp_path / "half"
    shutil.copytree(run_directory, directory)
    (directory / "leaderboard.json").unlink()
    with closing(sqlite3.connect(directory / "games.sqlite")) as db, db:
        db.execute("delete from games where number >= 6")
    return directory


def counted(pages: Overview, games: int) -> dict[str, Any]:
    """The overview, once its standings have so many games."""
    end = time.monotonic() + 60
    while (found := pages.overview())["progress"]["counted"] != games:
        assert time.monotonic() < end, found["progress"]
        time.sleep(0.05)
    return found


def finish(half: Path, whole: Path) -> None:
    """Play the second half."""
    with closing(sqlite3.connect(half / "games.sqlite")) as db, db:
        db.execute("attach ? as whole", [str(whole / "games.sqlite")])
        db.execute("insert or ignore into games select * from whole.games")
    shutil.copy(whole / "leaderboard.json", half)


def test_a_run_that_is_being_played_has_standings_so_far_and_then_its_own(
    half: Path, run_directory: Path, registry: Registry
) -> None:
    pages = Overview(open_run(half), registry)
    found = counted(pages, 36)
    assert found["progress"] == {"finished": 36, "total": 72, "complete": False, "counted": 36}
    with open_run(half) as run:
        assert found["leaderboard"] == json.loads(run.registry.make("report", "json").text(run.standings()))
    assert found["leaderboard"]["tables"][0]["boards"] == 18
    assert [(game["agent"], game["number"], game["condition"]) for game in found["latest"]] == [
        ("random", 5, 3),
        ("basic", 5, 3),
    ]
    finish(half, run_directory)
    found = pages.overview()
    assert found["progress"]["complete"]
    assert found["leaderboard"] == json.loads((run_directory / "leaderboard.json").read_text())
    assert found["latest"] == []


def test_a_leaderboard_of_fewer_agents_is_not_the_final_one(
    half: Path, run_directory: Path, registry: Registry
) -> None:
    finish(half, run_directory)
    old = json.loads((half / "leaderboard.json").read_text())
    for table in old["tables"]:
        table["standings"] = table["standings"][:1]
    (half / "leaderboard.json").write_text(json.dumps(old))
    found = counted(Overview(open_run(half), registry), 72)
    assert not found["progress"]["complete"]
    assert len(found["leaderboard"]["tables"][0]["standings"]) == 2


def test_the_page_updates_itself_until_it_shows_the_final_table(
    chromium: Any, registry: Registry, agent_service: AgentService, half: Path, run_directory: Path
) -> None:
    with serving(make_app(registry, open_run(half), agent_service=agent_service)) as address:
        page = Page(chromium, address)
        page.size(1280, 900)
        page.open("#/leaderboard")
        page.until(lambda: page.text(".standings caption") == "all conditions: 18 boards so far", "no standings so far")
        assert page.text(".progress-text").startswith("36 of 72 games played (50 %)")
        assert len(page.all(".latest a")) == 2
        page.script("window.isSamePage = true")
        finish(half, run_directory)
        page.until(lambda: page.text(".standings caption") == "all conditions: 36 boards", "no final table")
        assert page.script("return window.isSamePage")
        assert not page.one(".live").is_displayed()
        assert page.console_errors() == []


def test_no_board_of_a_secret_seed_is_shown_before_its_end(
    registry: Registry, agent_service: AgentService, tmp_path: Path
) -> None:
    data = {"seed": "secret", "games": 2, "boards": {"size": 4, "mines": 2}, "agents": ["random"], "moves": "all"}
    run_tournament(data, out=tmp_path / "run", workers=1)
    revealed = (tmp_path / "run" / "seed.json").read_text()
    public = {key: value for key, value in json.loads(revealed).items() if key != "seed"}
    (tmp_path / "run" / "seed.json").write_text(json.dumps(public))
    pages = Overview(open_run(tmp_path / "run"), registry, agent_service)
    found = pages.overview()
    assert found["secret"]
    assert found["conditions"][0]["seed"] is None
    asked: list[Callable[..., Any]] = [pages.replay, pages.stored_replay, pages.views, pages.turns_known]
    for ask in asked:
        with pytest.raises(ApiError, match="secret until its last game"):
            ask(1, 1, 0)
    (tmp_path / "run" / "seed.json").write_text(revealed)
    for ask in asked:
        assert ask(1, 1, 0)
    assert not pages.overview()["secret"]


def test_a_stored_game_is_shown_before_its_reasons_are_known(
    run_directory: Path, registry: Registry, agent_service: AgentService
) -> None:
    pages = Overview(open_run(run_directory), registry, agent_service)
    known = pages.stored_replay(1, 2, 3)
    whole = pages.replay(1, 2, 3)
    assert known["agent"] == "basic"
    assert known["seconds"] >= 0
    assert [turn["to"] for turn in known["replay"]["turns"]] == [turn["to"] for turn in whole["turns"]]
    assert not any(turn["evidence"] for turn in known["replay"]["turns"])
    assert any(turn["evidence"] for turn in whole["turns"])
