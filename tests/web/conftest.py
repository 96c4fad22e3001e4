"""A small run, a server on it, and a browser that visits it."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from arena_page import Page, until
from selenium import webdriver
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from sweepstakes import Registry, View, open_run
from sweepstakes.tournaments import run_tournament
from sweepstakes.warm_up import warm_up
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.server.app import make_app

HERE = Path(__file__).parent
ADDRESS = "http://127.0.0.1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that needs a browser belongs to the system tier."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.system)


@pytest.fixture(scope="session")
def registry() -> Registry:
    """A run with agents that misbehave."""
    registry = Registry([HERE / "faulty_agents.py"])
    registry.check()
    return registry


@pytest.fixture(scope="session")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with all its moves."""
    directory = tmp_path_factory.mktemp("runs") / "small"
    run_tournament(
        {
            "name": "small",
            "seed": 11,
            "games": 12,
            "boards": [{"rows": 6, "cols": 7, "mines": 8}, {"size": 5, "density": [0.1, 0.2]}],
            "agents": ["random", "basic"],
            "moves": "all",
        },
        out=directory,
        workers=1,
    )
    return directory


@pytest.fixture
def half(run_directory: Path, tmp_path: Path) -> Path:
    """The run before its second half was played."""
    directory = tmp_path / "half"
    shutil.copytree(run_directory, directory)
    (directory / "leaderboard.json").unlink()
    with closing(sqlite3.connect(directory / "games.sqlite")) as db, db:
        db.execute("delete from games where number >= 6")
    return directory


def without_words(leaderboard: dict[str, Any]) -> dict[str, Any]:
    """Return the leaderboard of the pages in the form of `leaderboard.json`, without what only the pages have."""
    kept = ("name", "more_is_better", "proportion")
    tables = [
        table | {"pairs": [{k: v for k, v in pair.items() if k != "significant"} for pair in table["pairs"]]}
        for table in leaderboard["tables"]
    ]
    scores = [{key: score[key] for key in kept} for score in leaderboard["scores"]]
    return leaderboard | {"scores": scores, "tables": tables}


def finish(half: Path, whole: Path) -> None:
    """Play the second half."""
    with closing(sqlite3.connect(half / "games.sqlite")) as db, db:
        db.execute("attach ? as whole", [str(whole / "games.sqlite")])
        db.execute("insert or ignore into games select * from whole.games")
    shutil.copy(whole / "leaderboard.json", half)


@pytest.fixture(scope="session")
def agent_service(registry: Registry) -> Iterator[AgentService]:
    # Compiled here, so that no test has to wait for compilation and none depends on a fast machine.
    warm_up(review=True, quiet=True)
    agent_service = AgentService(registry, seconds=60, first_seconds=60)
    agent_service.advise(View.parse("4 4 3\n1...\n....\n....\n....\n"))  # answered when the worker is ready
    yield agent_service
    agent_service.close()


@pytest.fixture(scope="session")
def app(registry: Registry, run_directory: Path, agent_service: AgentService) -> Starlette:
    return make_app(registry, open_run(run_directory), agent_service=agent_service)


@pytest.fixture
def client(app: Starlette) -> TestClient:
    """A client that does not start and close the agent service: the fixture `agent_service` does."""
    return TestClient(app, base_url=ADDRESS, raise_server_exceptions=False)


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """A real server, and its address."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    until(lambda: server.started, "the server does not start")
    try:
        yield f"{ADDRESS}:{listening.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture(scope="session")
def address(app: Starlette) -> Iterator[str]:
    with serving(app) as address:
        yield address


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium. The tests that need it are skipped if it is not installed."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no chromium and chromedriver here (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    profile = tmp_path_factory.mktemp("profile")
    for word in ("headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync"):
        options.add_argument(f"--{word}")
    for word in ("disable-background-networking", "disable-component-update", f"user-data-dir={profile}"):
        options.add_argument(f"--{word}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    browser.set_script_timeout(20)
    yield browser
    browser.quit()


@pytest.fixture(scope="session")
def axe() -> str:
    """The code of axe-core, for `Page.violations`."""
    pytest.importorskip("axe_core_python", reason="pip install axe-core-python")
    return (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Page]:
    """The browser at the server's pages; an error in its console fails the test."""
    page = Page(chromium, address)
    page.size(1280, 900)
    yield page
    assert page.console_errors() == []
