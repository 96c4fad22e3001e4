"""A person's games on the boards of a run, and the person among the agents."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arena_page import Page
from conftest import ADDRESS, serving
from starlette.testclient import TestClient

from sweepstakes import Registry, Turn, open_run
from sweepstakes.executor import Fixture
from sweepstakes.game.codes import COVERED
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.server.app import make_app

PERSON = "/api/run/person"


@pytest.fixture
def own_run(run_directory: Path, tmp_path: Path) -> Path:
    directory = tmp_path / "run"
    shutil.copytree(run_directory, directory)
    return directory


@pytest.fixture
def person(own_run: Path, registry: Registry, agent_service: AgentService) -> TestClient:
    app = make_app(registry, open_run(own_run), agent_service=agent_service)
    return TestClient(app, base_url=ADDRESS, raise_server_exceptions=False)


def game(run: Path, number: int, *, careful: bool = True, helped: bool = False) -> dict[str, Any]:
    """A game on a board of the first condition: flags or sets off every mine, and opens every safe cell."""
    referee = open_run(run).set_up(Fixture(0, 0, number))
    layout = referee.board.layout
    turns: list[dict[str, list[int]]] = []

    def take(*, opens: Sequence[int] = (), flags: Sequence[int] = ()) -> None:
        if not referee.over:
            turns.append({"open": [*opens], "flag": [*flags], "unflag": []})
            referee.take(Turn(open=np.array(opens, np.int64), flag=np.array(flags, np.int64)))

    for cell, mine in enumerate(layout):
        if mine:
            take(flags=[cell] if careful else [], opens=[] if careful else [cell])
    for cell, mine in enumerate(layout):
        if not mine and referee.view().shown.reshape(-1)[cell] == COVERED:
            take(opens=[cell])
    assert referee.over
    return {"condition": 1, "number": number, "helped": helped, "turns": turns}


def test_perfect_games_are_first_on_the_boards_that_were_played(person: TestClient, own_run: Path) -> None:
    before = person.get(PERSON).json()["conditions"]["1"]
    assert (before["next"], before["games"], before["lines"]) == (0, 0, [])
    for number in range(8):
        answer = person.post(PERSON, json=game(own_run, number))
        assert answer.status_code == 200, answer.text
    found = answer.json()["conditions"]["1"]
    assert (found["next"], found["boards"], found["games"]) == (8, 8, 8)
    lines = {line["agent"]: line for line in found["lines"]}
    assert found["lines"][0] == lines["you"]
    assert (lines["you"]["rank"], lines["you"]["mean"]) == (1, 1.0)
    run = open_run(own_run)
    for place, entry in enumerate(run.agents):
        numbers, _, results = run.results(0, place)
        by_board = dict(zip(numbers, results, strict=True))
        scores = [float(run.make("score", "identified")(by_board[number])) for number in range(8)]
        line = lines[entry.label]
        assert line["mean"] == pytest.approx(np.mean(scores))
        assert line["better"] == sum(score < 1 for score in scores)
        assert (line["worse"], line["equal"]) == (0, 8 - line["better"])
        assert line["difference"]["mean"] == pytest.approx(1 - np.mean(scores))
    assert lines["random"]["rank"] > 1
    assert lines["random"]["significant"]
    assert person.get(PERSON).json() == answer.json()  # kept in the run directory


def test_the_first_game_on_a_board_counts_and_games_with_help_count_apart(person: TestClient, own_run: Path) -> None:
    assert person.post(PERSON, json=game(own_run, 0, careful=False)).status_code == 200
    person.post(PERSON, json=game(own_run, 0))
    found = person.post(PERSON, json=game(own_run, 2, helped=True)).json()["conditions"]["1"]
    (you,) = [line for line in found["lines"] if line["you"]]
    assert (you["mean"], found["boards"], found["games"], found["next"]) == (0.0, 1, 1, 1)
    assert (found["helped"]["games"], found["helped"]["mean"]) == (1, 1.0)


def test_what_is_no_finished_game_is_refused(person: TestClient, own_run: Path) -> None:
    whole = game(own_run, 1)
    cell = whole["turns"][0]["flag"][0]
    illegal = [{"open": [cell], "flag": [cell], "unflag": []}]
    for turns in (whole["turns"][:-1], [], illegal, [*whole["turns"], whole["turns"][-1]], illegal * 2):
        assert person.post(PERSON, json=whole | {"turns": turns}).status_code == 422
    assert person.post(PERSON, json=whole | {"turns": [{"open": [99999], "flag": [], "unflag": []}]}).status_code == 422
    assert person.post(PERSON, json=whole | {"number": 12}).status_code == 404
    assert person.post(PERSON, json=whole | {"condition": 9}).status_code == 404
    assert person.post(PERSON, json=whole | {"seat": 9}).status_code == 422
    assert not (own_run / "person.jsonl").exists()


def test_a_game_on_a_board_of_the_run_is_kept_by_the_page(
    chromium: Any, own_run: Path, registry: Registry, agent_service: AgentService
) -> None:
    with serving(make_app(registry, open_run(own_run), agent_service=agent_service)) as address:
        page = Page(chromium, address)
        page.size(1280, 900)
        page.open("#/leaderboard?condition=6x7%2F8")
        assert "Play the same boards as the agents" in page.text(".you")
        page.click(".you a.button")
        page.one(".play-page .board")
        page.settle()
        for turn in game(own_run, 0)["turns"]:
            for cell in turn["flag"]:
                page.do().context_click(page.cell(cell)).perform()
            for cell in turn["open"]:
                page.cell(cell).click()
            page.settle()
        page.until(lambda: page.all(".place a"), "the game is not kept")
        assert "You are rank 1 of 3" in page.text(".status")
        page.click(".place a")
        page.until(lambda: page.all(".you tbody tr"), "no table")
        assert len((own_run / "person.jsonl").read_text().splitlines()) == 1
        assert page.text(".you .is-you th") == "you"
        page.click(".you a.button")
        page.until(lambda: "number=1" in page.script("return location.hash"), "not the next board")
        assert page.console_errors() == []


def test_a_damaged_file_is_named(person: TestClient, own_run: Path) -> None:
    (own_run / "person.jsonl").write_text("{}\n")
    answer = person.get(PERSON)
    assert answer.status_code == 422
    assert "person.jsonl: a line is damaged" in answer.json()["error"]
