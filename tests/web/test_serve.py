"""The commands `serve` and `publish --site` in a terminal."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from arena_page import TIMEOUT
from said import Said

COMMAND = [sys.executable, "-m", "sweepstakes"]


def test_serve_starts_says_where_and_ends_on_ctrl_c(run_directory: Path) -> None:
    server = subprocess.Popen(
        [*COMMAND, "serve", str(run_directory), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
        assert found
        with urllib.request.urlopen(found[0] + "api/run", timeout=TIMEOUT) as answer:
            assert b'"small"' in answer.read()
    finally:
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=TIMEOUT)
    assert "Traceback" not in errors
    assert server.returncode == 0


@pytest.mark.system
def test_run_serves_its_standings_and_prints_its_table(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("games: 3\nboards: 4x4/2\nagents: [random, basic]\nexecutor: serial\n")
    command = subprocess.Popen(
        [*COMMAND, "run", "t.yaml", "--out", "run", "--serve"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1", "BROWSER": "true"},
        start_new_session=True,
    )
    try:
        assert command.stderr is not None
        found = None
        while found is None:
            line = command.stderr.readline()
            assert line, "it ended without saying where the arena is"
            found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        with urllib.request.urlopen(found[0] + "api/run", timeout=TIMEOUT) as answer:
            assert b"basic" in answer.read()
        assert command.stdout is not None
        assert any("| basic" in line for line in command.stdout), "the table is printed, and the server goes on"
        with urllib.request.urlopen(found[0] + "api/run", timeout=TIMEOUT) as answer:
            assert b"basic" in answer.read()
    finally:
        os.killpg(command.pid, signal.SIGINT)  # as Ctrl-C in a terminal
        _, errors = command.communicate(timeout=TIMEOUT)
    assert "Traceback" not in errors


def error_line(said: Said) -> str:
    """The one line that the command prints when it fails."""
    assert said.code == 2
    (line,) = said.err.splitlines()
    return line


def test_a_port_that_is_taken_is_named(sweepstakes: Callable[..., Said]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"port {port}" in error_line(sweepstakes("serve", "--port", str(port)))


def test_what_is_no_run_is_named(sweepstakes: Callable[..., Said]) -> None:
    for words in (("serve", "."), ("publish", ".", "--site", "site")):
        assert "expected the directory of a run" in error_line(sweepstakes(*words))


def test_publish_wants_to_know_where(sweepstakes: Callable[..., Said]) -> None:
    assert "--site DIR" in error_line(sweepstakes("publish", "."))


def test_publish_writes_the_site(sweepstakes: Callable[..., Said], run_directory: Path, tmp_path: Path) -> None:
    said = sweepstakes("publish", str(run_directory), "--site", "site", "--replays", "1")
    assert said.code == 0, said.err
    assert (tmp_path / "site" / "index.html").is_file()


def test_without_the_extra_one_line_says_what_to_install() -> None:
    code = "import sys; sys.modules['uvicorn'] = None; sys.argv = ['sweepstakes', 'serve']\n"
    code += "from sweepstakes.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "pip install 'sweepstakes[web]'" in line


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from sweepstakes.cli.main import cli; cli(['--help'], standalone_mode=False)\n"
    code += "print(sorted({'numba', 'starlette', 'uvicorn', 'numpy'} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.stderr.strip() == "[]"
    assert "serve" in done.stdout
