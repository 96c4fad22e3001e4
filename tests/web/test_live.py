"""A run that is being played: its progress, its standings so far, and nothing that a secret seed hides."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena_page import until
from conftest import finish, without_words

from sweepstakes import Registry, open_run
from sweepstakes.tournaments import run_tournament
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.data.overview import Overview
from sweepstakes.web.server.api_error import ApiError


def counted(pages: Overview, games: int) -> dict[str, Any]:
    """Return the overview once its standings have `games` games."""

    def found() -> dict[str, Any] | None:
        overview = pages.overview()
        return overview if overview["progress"]["counted"] == games else None

    overview: dict[str, Any] = until(found, f"the standings never have {games} games")
    return overview


def test_a_run_that_is_being_played_has_standings_so_far_and_then_its_own(
    half: Path, run_directory: Path, registry: Registry
) -> None:
    pages = Overview(open_run(half), registry)
    found = counted(pages, 36)
    assert found["progress"] == {"finished": 36, "total": 72, "complete": False, "counted": 36}
    with open_run(half) as run:
        assert without_words(found["leaderboard"]) == json.loads(
            run.registry.make("report", "json").text(run.standings())
        )
    assert found["leaderboard"]["tables"][0]["boards"] == 18
    assert [(game["agent"], game["number"], game["condition"]) for game in found["latest"]] == [
        ("random", 5, 3),
        ("basic", 5, 3),
    ]
    finish(half, run_directory)
    found = pages.overview()
    assert found["progress"]["complete"]
    assert without_words(found["leaderboard"]) == json.loads((run_directory / "leaderboard.json").read_text())
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
