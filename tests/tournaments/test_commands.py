"""The commands, run as a user would."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest
from waiting import wait_until


def sweepstakes(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "sweepstakes", *words], cwd=cwd, capture_output=True, text=True)


def test_run_writes_the_promised_files_and_prints_the_table(tmp_path: Path) -> None:
    done = sweepstakes("run", "quick", "--games", "3", "--workers", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "| basic" in done.stdout
    assert {path.name for path in (tmp_path / "runs" / "quick").iterdir()} >= {
        "tournament.yaml",
        "leaderboard.md",
        "leaderboard.csv",
        "leaderboard.json",
        "head-to-head.csv",
        "timings.csv",
        "games.sqlite",
    }
    json.loads((tmp_path / "runs" / "quick" / "leaderboard.json").read_text())


def test_a_table_is_readable_at_100_characters(tmp_path: Path) -> None:
    done = sweepstakes("run", "quick", "--games", "2", "--quiet", cwd=tmp_path)
    assert max(len(line) for line in done.stdout.splitlines() if line.startswith("|")) <= 110


def test_dry_run_says_what_would_be_played_and_plays_nothing(tmp_path: Path) -> None:
    done = sweepstakes("run", "quick", "--dry-run", "--games", "7", cwd=tmp_path)
    assert done.returncode == 0
    assert "x 7 boards" in done.stdout
    assert not (tmp_path / "runs").exists()


def has_games(file: Path) -> bool:
    """Return whether a run that is being played has stored its first games."""
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as db:
        return bool(db.execute("select count(*) from games").fetchone()[0])
    return False


@pytest.mark.system
def test_ctrl_c_prints_the_command_that_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sweepstakes", "run", "quick", "--games", "1000000", "--out", "long"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        assert wait_until(lambda: has_games(tmp_path / "long" / "games.sqlite"))
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "to resume: sweepstakes run quick --games 1000000 --out long" in error
    assert "Traceback" not in error


def test_an_unwritable_place_is_answered_by_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = sweepstakes("run", "quick", "--games", "1", "--out", "file/run", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("sweepstakes: file/run: cannot be written")
    assert done.stderr.count("\n") == 1


def test_the_schema_is_printed_as_json(tmp_path: Path) -> None:
    assert "properties" in json.loads(sweepstakes("schema", cwd=tmp_path).stdout)
