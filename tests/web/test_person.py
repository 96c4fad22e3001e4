"""A person's games on the boards of a run, and the person among the agents."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial
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
from sweepstakes.web.site.site import write_site

PLUGINS = (str(Path(__file__).with_name("faulty_agents.py")),)
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


def test_games_are_kept_with_the_scores_of_the_agents_on_their_boards(person: TestClient, own_run: Path) -> None:
    assert all(each["games"] == [] for each in person.get(PERSON).json().values())
    for number in range(8):
        answer = person.post(PERSON, json=game(own_run, number))
        assert answer.status_code == 200, answer.text
    found = answer.json()["1"]
    run = open_run(own_run)
    known = []
    for place in range(len(run.agents)):
        numbers, _, results = run.results(0, place)
        known.append(dict(zip(numbers, map(run.make("score", "identified"), results), strict=True)))
    assert found["boards"] == run.boards(0)
    assert found["games"] == [
        {"number": number, "helped": False, "value": 1.0, "agents": [each[number] for each in known]}
        for number in range(8)
    ]
    assert person.get(PERSON).json() == answer.json()  # kept in the run directory


def test_the_first_game_on_a_board_counts_and_games_with_help_say_so(person: TestClient, own_run: Path) -> None:
    assert person.post(PERSON, json=game(own_run, 0, careful=False)).status_code == 200
    person.post(PERSON, json=game(own_run, 0))
    found = person.post(PERSON, json=game(own_run, 2, helped=True)).json()["1"]["games"]
    assert [(each["number"], each["value"], each["helped"]) for each in found] == [(0, 0.0, False), (2, 1.0, True)]


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


def is_board(page: Page, number: int) -> bool:
    address: str = page.script("return location.hash")
    return ("number=1" in address) == (number == 1)


def test_a_site_keeps_the_games_in_the_browser(chromium: Any, own_run: Path, tmp_path: Path) -> None:
    page = Page(chromium, write_site(own_run, tmp_path / "site", boards=1, plugins=PLUGINS).as_uri())
    page.size(1280, 900)
    page.visit("#/leaderboard?condition=6x7%2F8")
    page.script("localStorage.clear()")
    page.visit("#/leaderboard?condition=6x7%2F8")
    page.click(".you a.button")
    for number in (0, 1):
        page.until(partial(is_board, page, number), "another board")
        page.one(".play-page .board")
        page.settle()
        for turn in game(own_run, number, careful=number == 0)["turns"]:
            for cell in turn["flag"]:
                page.do().context_click(page.cell(cell)).perform()
            for cell in turn["open"]:
                page.cell(cell).click()
            page.settle()
        page.until(lambda: page.all(".place a"), "the game is not kept")
        links = page.all(".place a")
        links[-1].click()
    page.visit("#/leaderboard?condition=6x7%2F8")
    page.until(lambda: len(page.all(".you tbody tr")) == 3, "no table")
    rows = [row.text for row in page.all(".you tbody tr")]
    assert any(row.startswith(("1 you 0.5", "2 you 0.5", "1 you 50", "2 you 50")) for row in rows), rows
    assert "on 2 boards" in page.text(".you")
    assert page.console_errors() == []


def test_a_damaged_file_is_named(person: TestClient, own_run: Path) -> None:
    (own_run / "person.jsonl").write_text("{}\n")
    answer = person.get(PERSON)
    assert answer.status_code == 422
    assert "person.jsonl: a line is damaged" in answer.json()["error"]
