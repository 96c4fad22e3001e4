"""The agents of a run in its arena: from the files that the run names, in the versions that played."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from arena_page import TIMEOUT

pytestmark = pytest.mark.system

EXAMPLE = Path(__file__).parents[2] / "examples" / "edge_first.py"
COMMAND = [sys.executable, "-m", "sweepstakes"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an agent and its run, as the first steps of the README make them."""
    folder = tmp_path_factory.mktemp("own")
    shutil.copy(EXAMPLE, folder / "edge_first.py")
    tournament = "games: 3\nboards: 6x6/6\nagents: [basic, edge_first.py]\nmoves: none\n"
    (folder / "t.yaml").write_text(tournament)
    subprocess.run([*COMMAND, "run", "t.yaml", "--out", "runs/mine"], cwd=folder, check=True, capture_output=True)
    return folder


@contextmanager
def arena(folder: Path, *arguments: str) -> Iterator[tuple[str, list[str]]]:
    """`sweepstakes serve runs/mine`: its address, and what it has written to stderr once it has ended."""
    errors: list[str] = []
    server = subprocess.Popen(
        [*COMMAND, "serve", "runs/mine", "--port", "0", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
        assert found
        yield found[0], errors
    finally:
        server.send_signal(signal.SIGINT)
        errors += server.communicate(timeout=TIMEOUT)[1].splitlines()


TURN = {"rows": 9, "cols": 9, "mines": 10, "shown": "." * 81, "agent": "edge-first"}


def ask(address: str, path: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        return json.loads(answer.read())


def test_the_agent_of_a_run_is_offered_first_and_plays_in_its_arena(played: Path) -> None:
    with arena(played) as (address, errors):
        (first, *_) = ask(address, "api/options")["agents"]
        assert first["name"] == "edge-first"
        assert first["summary"].endswith("nearest to the border.")
        assert ask(address, "api/positions/turn", TURN)["open"] == [0]
        replay = ask(address, "api/run/replay/1/2/0")  # its moves were not kept
        assert replay["agent"] == "edge-first"
        assert replay["note"] == ""
        (own,) = [agent for agent in ask(address, "api/run")["agents"] if agent["label"] == "edge-first"]
        assert own["missing"] == ""
        assert own["about"].endswith("nearest to the border.")
    assert not any("edge-first" in line for line in errors)


def test_an_agent_that_has_changed_since_is_not_passed_off_as_the_one_that_played(played: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(played, folder)
    config = folder / "runs" / "mine" / "tournament.yaml"
    config.write_text(config.read_text().replace(str(played), str(folder)))
    with (folder / "edge_first.py").open("a") as file:
        file.write("# changed\n")
    with arena(folder) as (address, errors):
        (first, *_) = ask(address, "api/options")["agents"]
        assert first["missing"].startswith("it has changed since: version ")
        with pytest.raises(urllib.error.HTTPError, match="409"):
            ask(address, "api/positions/turn", TURN)
        (own,) = [agent for agent in ask(address, "api/run")["agents"] if agent["label"] == "edge-first"]
        assert own["missing"] == first["missing"]
        assert "edge_first.py" in own["missing"]
    assert errors[0].startswith("agent 'edge-first' is not offered: it has changed since: version ")
    with arena(folder, "--plugin", "edge_first.py") as (address, _):  # the present version, which the user asked for
        offered = {agent["name"]: agent["missing"] for agent in ask(address, "api/options")["agents"]}
        assert offered["edge-first"] == ""
