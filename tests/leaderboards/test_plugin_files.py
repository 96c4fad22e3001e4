"""A publication with a noise, a score or a board source of its own can be repeated in another folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Terminal = Callable[..., Any]
OWN = """
from sweepstakes import BoardSource, ClueNoise, Registry, Score, hookimpl


RATE = 0.25


class Plain(BoardSource):
    def board(self, seed, number, size, protected):
        return Registry.default().source("uniform").board(seed, number, size, protected)


class Fog(ClueNoise):
    def likelihood(self, count, neighbours):
        return {"withheld": RATE, count: 1 - RATE}


class Bold(Score):
    def of(self, result):
        return float(result.cells_clicked)

    worst = of


@hookimpl
def sweepstakes_boards():
    return {"plain": Plain}


@hookimpl
def sweepstakes_clue_noise():
    return {"fog": Fog}


@hookimpl
def sweepstakes_scores():
    return {"bold": Bold}
"""
CHANGES = {"cells_clicked": "turns", "*..": "..*"}
BY_FILE = """
games: 3
boards: {size: 5, mines: 4, source: own.py:plain}
noise: own.py:fog
scores: [win, "own.py:bold"]
agents: [basic, random]
moves: none
executor: serial
"""
BY_NAME = """
games: 3
boards: {size: 5, mines: 4, source: plain}
noise: fog
scores: [win, bold]
agents: [basic, random]
plugins: [own.py]
moves: none
executor: serial
"""
OF_BOARDS = """
games: 1
boards: {size: 3, mines: 1, source: {file: {path: boards.txt}}}
agents: [basic, random]
moves: none
executor: serial
"""


@pytest.fixture(
    params=[BY_FILE, pytest.param(BY_NAME, marks=pytest.mark.system), OF_BOARDS], ids=["by file", "by name", "boards"]
)
def moved(request: pytest.FixtureRequest, tmp_path: Path, sweepstakes: Terminal) -> Path:
    """A publication that was moved to another folder after everything else had been deleted."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "own.py").write_text(OWN)
    (home / "boards.txt").write_text("*..\n...\n...\n")
    (home / "t.yaml").write_text(request.param)
    assert sweepstakes("run", "home/t.yaml", "--quiet", "--out", "home/run").code == 0
    assert sweepstakes("publish", "home/run", "--to", "home/published").code == 0
    (tmp_path / "other").mkdir()
    shutil.move(home / "published", tmp_path / "other" / "place")
    shutil.rmtree(home)
    return tmp_path / "other" / "place"


def test_it_can_be_run_read_and_verified_elsewhere(moved: Path, sweepstakes: Terminal, tmp_path: Path) -> None:
    shown = sweepstakes("leaderboard", str(moved))
    assert (shown.code, shown.err) == (0, ""), shown
    done = sweepstakes("verify", str(moved), "--quiet")
    assert done.code == 0, done
    assert sweepstakes("run", str(moved), "--quiet", "--out", "again").code == 0
    assert (tmp_path / "again" / "leaderboard.csv").read_bytes() == (moved / "leaderboard.csv").read_bytes()
    assert sweepstakes("publish", "again", "--to", "twice").code == 0
    for name in ("README.md", "tournament.yaml", "keys.json", "SHA256SUMS", "games.csv.gz"):
        assert (tmp_path / "twice" / name).read_bytes() == (moved / name).read_bytes(), name
    assert str(tmp_path) not in (moved / "tournament.yaml").read_text()


@pytest.mark.system
def test_a_changed_plugin_file_is_found(moved: Path, sweepstakes: Terminal) -> None:
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=moved, check=True)
    for file in sorted((moved / "plugins").rglob("*.*")):
        old = file.read_text()
        file.write_text(
            old.replace("RATE = 0.25", "RATE = 0.26").replace("cells_clicked", "turns").replace("*..", "..*")
        )
        done = sweepstakes("verify", str(moved), "--quiet")
        assert done.code == 1, done
        assert f"{file.relative_to(moved)}: not the file that was published" in done.out
        file.write_text(old)


@pytest.mark.system
def test_modules_beside_a_plugin_are_copied_too(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN.replace("RATE = 0.25", "from helping import RATE"))
    (tmp_path / "helping.py").write_text("RATE = 0.25\n")
    (tmp_path / "t.yaml").write_text(BY_FILE)

    def type_in(*words: str) -> str:  # in a process of its own: this one may have imported another `helping`
        command = [sys.executable, "-m", "sweepstakes", *words]
        done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    type_in("run", "t.yaml", "--quiet", "--out", "run")
    type_in("publish", "run", "--to", "there/published")
    (tmp_path / "helping.py").unlink()
    (tmp_path / "own.py").unlink()
    assert type_in("verify", "there/published", "--quiet").endswith("all rows and tables agree\n")
    assert (tmp_path / "there" / "published" / "plugins" / "own" / "helping.py").is_file()
