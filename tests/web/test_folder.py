"""The arena of a folder of runs and published leaderboards."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena_page import Page
from conftest import ADDRESS, serving
from starlette.applications import Starlette
from starlette.testclient import TestClient

from sweepstakes import Registry, open_run
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.server.app import make_app
from sweepstakes.web.server.folder import HOME, MAX_OPEN, is_folder, listed, make_folder_app

RUNS = ["a & b", "c", "d", "e"]


class Arenas:
    """Makes arenas, and counts those that are open."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.services: list[tuple[Path, AgentService]] = []
        self.closed: list[str] = []

    def __call__(self, path: Path) -> Starlette:
        service = AgentService(self.registry)
        service.start = lambda: None  # type: ignore[method-assign]  # no agent is asked
        service.close = lambda: self.closed.append(path.name)  # type: ignore[method-assign]
        self.services.append((path, service))
        return make_app(self.registry, open_run(path), agent_service=service, home=HOME)


@pytest.fixture
def folder(run_directory: Path, tmp_path: Path) -> Path:
    """Four runs, one of which is not finished, one published leaderboard, one broken run, and something else."""
    for name in RUNS:
        shutil.copytree(run_directory, tmp_path / name)
    (tmp_path / "d" / "leaderboard.json").unlink()
    shutil.copytree(run_directory, tmp_path / "published", ignore=shutil.ignore_patterns("games.sqlite"))
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "tournament.yaml").touch()
    (tmp_path / "notes").mkdir()
    return tmp_path


@pytest.fixture
def arenas(registry: Registry) -> Arenas:
    return Arenas(registry)


@pytest.fixture
def client(folder: Path, arenas: Arenas) -> Iterator[TestClient]:
    with TestClient(make_folder_app(folder, arenas), base_url=ADDRESS) as client:
        yield client


def test_the_list_has_runs_and_published_leaderboards_with_their_winners(folder: Path) -> None:
    lines = {line.name: line for line in listed(folder)}
    assert list(lines) == ["a & b", "broken", "c", "d", "e", "published"]
    assert [lines[name].kind for name in ("c", "d", "published")] == [
        "run",
        "run, not finished",
        "published leaderboard",
    ]
    assert (lines["c"].agents, lines["c"].winners) == (2, ["basic"])
    assert (lines["d"].agents, lines["d"].winners) == (0, [])


def test_a_run_is_no_folder_of_runs(folder: Path) -> None:
    assert is_folder(folder)
    assert not is_folder(folder / "c")
    assert not is_folder(folder / "notes")
    assert not is_folder(folder / "missing")


def test_every_run_has_its_own_arena_which_links_to_the_list(client: TestClient) -> None:
    text = client.get("/").text
    assert '<a href="runs/a%20%26%20b/">a &amp; b</a>' in text
    page = client.get("/runs/a%20%26%20b")
    assert page.history[0].headers["location"] == "/runs/a%20%26%20b/"
    assert f'href="{HOME}"' in page.text
    assert client.get("/runs/c/api/run").json()["name"] == "c"
    assert client.get("/runs/c/static/style.css").text == client.get("/static/style.css").text
    assert client.get("/runs/notes/").status_code == client.get("/static/nothing").status_code == 404
    broken = client.get("/runs/broken/")
    assert broken.status_code == 422
    assert "no tournament has been run here" in broken.text


def test_few_arenas_are_open_at_the_same_time(client: TestClient, arenas: Arenas) -> None:
    for name in [*RUNS[:MAX_OPEN], RUNS[0], RUNS[MAX_OPEN]]:
        assert client.get(f"/runs/{name}/").status_code == 200
    assert arenas.closed == [RUNS[1]]  # the one that was not visited for the longest time
    assert [path.name for path, _ in arenas.services] == RUNS
    client.__exit__()
    assert sorted(arenas.closed) == sorted(RUNS)


def test_a_run_is_opened_from_the_list_in_a_browser(folder: Path, arenas: Arenas, chromium: object) -> None:
    with serving(make_folder_app(folder, arenas)) as address:
        page = Page(chromium, address)
        page.size(390, 844)
        page.open()
        assert page.overflow() <= 0
        page.click("a[href='runs/c/']")
        assert page.text("h1") == "small"
        page.click("a.home")
        assert page.text("h1").startswith("Runs and leaderboards in ")
        assert page.console_errors() == []
