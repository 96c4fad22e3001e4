"""Odd command lines, files and outputs: one short line, the right exit code, and never a traceback."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import fuzz
from sweepstakes.cli import main

NUMBER = "9" * 5000
PLUGINS = {
    "interrupt.py": ("x = 1\nraise KeyboardInterrupt", "line 2: KeyboardInterrupt"),
    "leave.py": ("import sys\nsys.exit(3)", "line 2: SystemExit: 3"),
    "surrogate.py": ("raise ValueError('\\ud800\\x1b[31m' + 'x' * 9000)", "line 1: ValueError: \ufffdxxx"),
    "strange.py": ("class E(BaseException):\n    def __str__(self): raise SystemExit\nraise E", "line 3: E"),
}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["new", "x" * 300], "is not a valid plugin name: expected at most 60 characters"),
        (["new", "my_agent", "--dir", "y" * 300], "File name too long"),
        (["new", "my_agent", "--dir", "/dev/null"], "my_agent.py: cannot be written: /dev/null is not a folder"),
        (["check", "basic", "--limit", "nan"], "nan is not in the range 1<=x<=1000000"),
        (["check", "basic", "--limit", "inf"], "inf is not in the range"),
        (["watch", "basic", "--delay", "nan"], "nan is not in the range"),
        (["match", "basic", "random", "--delta", "nan"], "nan is not in the range"),
        (["board", "9x9/10", "--seed", "-1"], "'-1': expected a whole number from 0 to 2^128 - 1."),
        (["board", "9x9/10", "--seed", str(2**128)], "expected a whole number from 0 to 2^128 - 1."),
        (["board", "9x9/10", "--seed", NUMBER], "expected a whole number from 0 to 2^128 - 1."),
        (["board", "9x9/10", "--seed", "secret"], "'secret': expected a whole number from 0 to 2^128 - 1."),
        (["run", "quick", "--seed", str(2**128)], "from 0 to 2^128 - 1, or the word secret."),
        (["match", "basic", "random", "--seed", "x"], "'x': expected a whole number from 0 to 2^128 - 1, or the word"),
        (["run", "quick", "--workers", "0"], "0 is not in the range 1<=x<=256"),
        (["run", "quick", "--workers", "9999"], "9999 is not in the range 1<=x<=256"),
        (["board", "99999999x99999999"], "unknown board size '99999999x99999999'"),
        (["board", "9x9/10", "--start", "1e9,1"], "--start '1e9,1': expected ROW,COL"),
        (["board", "9x9/10", "--start", f"{NUMBER},1"], "expected ROW,COL"),
        (["board", "x" * 5000], "unknown board size 'xxx"),
        (["board", "/dev/zero"], "/dev/zero: cannot be read: it is not a regular file"),
        (["board", "pipe.txt"], "pipe.txt: cannot be read: it is not a regular file"),
        (["board", "large.txt"], "it has more than 20,000,000 bytes"),
        (["board", "deep.json"], "lists within lists"),
        (["board", "zero.txt"], r"row 1 of the board has '\x00'"),
        (
            ["board", "9x9/10", "--out", "/dev/null/x.txt"],
            "/dev/null/x.txt: cannot be written: /dev/null is not a folder",
        ),
        (["board", "9x9/10", "--out", "y/" * 1500 + "x.txt"], "cannot be written: File name too long"),
        (["run", "quick", "--out", "y/" * 1500], "cannot be written: File name too long"),
        (["board", "9x9/10", "--out", "pipe.txt"], "pipe.txt: cannot be written: No such device or address"),
        (
            ["board", "9x9/10", "--param", "group=2001-99-99"],
            "board source 'uniform' has no parameter 'group' (it has no parameters)",
        ),
        (["board", "9x9/10", "--source", "clustered", "--param", "group=" + "[" * 3000], "group: '[[["),
        (["board", "9x9/10", "--source", "clustered(group=" + "[" * 1000], "group has no value: expected JSON"),
        (["board", "9x9/10", "--source", "clustered(group=" + "[" * 100_000], "it has 100,016 characters"),
        (["board", "9x9/10", "--source", "clustered(group=NaN)"], "'NaN' is invalid: expected a whole number"),
        (["solve", "pipe.txt"], "pipe.txt: cannot be read: it is not a regular file"),
        (["solve", "zero.txt"], r"'\x00'"),
        (["solve", "position.txt", "--why", f"{NUMBER},1"], "expected ROW,COL"),
        (["solve", "."], ".: cannot be read: Is a directory"),
        (["run", "x" * 5000 + ".yaml"], ".yaml: there is no such file"),
        (["run", "pipe.yaml"], "pipe.yaml: expected a regular file"),
        (["leaderboard", "x" * 5000], "File name too long"),
        (["x" * 5000], "no such command 'xxx"),
        (["\udcff\udcfe"], r"no such command '\udcff\udcfe'"),
        (["board", "\udcff", "--out", "\udcfe"], r"unknown board size '\udcff'"),
        (["board", "9x9/10", "--plugin", "\x1b[31mred.py"], "red.py: there is no such file"),
        (["board", "9x9/10", "--plugin", "loop.py"], "there is no such file"),
        (["board", "9x9/10", "--plugin", "y" * 5000], "File name too long"),
    ],
)
def test_an_odd_command_line_is_answered_by_one_short_line(
    words: list[str], expected: str, sweepstakes: Callable[..., Any]
) -> None:
    for pipe in ("pipe.txt", "pipe.yaml"):
        os.mkfifo(pipe)
    Path("loop.py").symlink_to("loop.py")
    Path("position.txt").write_text("1 3 1\n.1.\n")
    Path("zero.txt").write_bytes(b"\0\0\n\0\0\n")
    Path("deep.json").write_text("[" * 100_000)
    with Path("large.txt").open("wb") as file:
        file.truncate(30_000_000)
    said = sweepstakes(*words)
    assert (said.code, said.out) == (2, "")
    line = re.sub(r"^(compiling|loading) the .*inner loops.* s\n", "", said.err).removesuffix("\n")
    assert line.startswith("sweepstakes: ")
    assert expected in line
    assert line.isprintable()
    assert len(line) <= 500


@pytest.mark.parametrize("file", PLUGINS)
def test_a_plugin_that_leaves_while_it_is_imported_is_one_with_an_error(
    file: str, sweepstakes: Callable[..., Any]
) -> None:
    text, expected = PLUGINS[file]
    Path(file).write_text(text)
    said = sweepstakes("agents", "--plugin", file)
    assert said.code == 2
    assert f"{file}: {expected}" in said.err
    assert len(said.err) <= 500
    listed = sweepstakes("plugins", "--plugin", file)
    assert listed.code == 0
    assert f"error: {expected}" in listed.out


def test_check_reports_a_file_that_raises_an_interrupt(sweepstakes: Callable[..., Any]) -> None:
    Path("interrupt.py").write_text("raise KeyboardInterrupt('\x1b[31m')")
    said = sweepstakes("check", "interrupt.py")
    assert said.code == 1
    assert "FAIL  it loads" in said.out
    assert "line 1: KeyboardInterrupt" in said.out
    assert "\x1b" not in said.out


def run(*words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, whose standard output a test may have spoilt."""
    environment = os.environ | options.pop("env", {})
    return subprocess.run(
        [sys.executable, "-m", "sweepstakes", *words], stderr=subprocess.PIPE, check=False, env=environment, **options
    )


def test_an_output_without_room_is_said() -> None:
    with Path("/dev/full").open("wb") as full:
        done = run("schema", stdout=full)
    assert done.returncode == 1
    expected = "sweepstakes: cannot write the output: No space left on device; redirect it to a disk with free space\n"
    assert done.stderr.decode() == expected


def test_a_closed_output_and_a_reader_that_has_gone_are_no_trouble() -> None:
    for close in (lambda: os.close(1), lambda: os.closerange(0, 2)):
        done = run("schema", preexec_fn=close)
        assert (done.returncode, done.stderr) == (0, b"")
    ours, theirs = os.pipe()
    os.close(ours)
    done = run("schema", stdout=theirs)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (1, b"")


def test_letters_that_the_output_does_not_know_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "flags.py").write_text(
        "from sweepstakes import Agent, hookimpl\n"
        "class A(Agent):\n    '''\u2691 \u2739'''\n    def act(self, view): ...\n"
        "@hookimpl\ndef sweepstakes_agents(): return {'flags': A}\n"
    )
    done = run(
        "agents",
        "--plugin",
        str(tmp_path / "flags.py"),
        stdout=subprocess.PIPE,
        env={"PYTHONIOENCODING": "latin-1", "PYTHONWARNINGS": "error"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"? ?" in done.stdout


@pytest.mark.system
def test_too_few_file_handles_are_said(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text("boards: {size: 3, mines: 1}\nagents: basic\ngames: 1\n")
    words = ("run", str(tmp_path / "small.yaml"), "--out", str(tmp_path / "out"), "--quiet", "--workers", "8")
    done = run(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12)))
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "sweepstakes: only 12 files may be open at once here (`ulimit -n`), but playing takes 96: have the limit "
        "raised, or take fewer workers\n"
    )


@pytest.mark.system
def test_few_file_handles_are_enough_for_a_few_workers(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text("boards: {size: 3, mines: 1}\nagents: basic\ngames: 1\n")
    words = ("run", str(tmp_path / "small.yaml"), "--out", str(tmp_path / "out"), "--quiet", "--workers", "1")
    done = run(
        *words, stdout=subprocess.PIPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
    )
    assert done.returncode == 0, done.stderr
    assert b"| basic" in done.stdout


@pytest.mark.parametrize(("kind", "count"), [("yaml", 60), ("positions", 125), ("boards", 85), ("commands", 40)])
def test_odd_input_by_the_hundred_is_answered(kind: str, count: int) -> None:
    wrong = []
    with fuzz.folder():
        for case in fuzz.cases(kind, 13, count):
            answer = fuzz.attempt(case, 300)
            if answer.wrong:
                wrong.append((answer.wrong, case, answer.errors))
    assert not wrong


def test_a_mistake_of_ours_is_told_in_a_short_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise LookupError("x\n" * 5000)

    monkeypatch.delenv("SWEEPSTAKES_DEBUG", raising=False)
    monkeypatch.setattr(main, "cli", fail)
    assert main.run(["agents"]) == 70
    line = capfd.readouterr().err.removesuffix("\n")
    assert line.startswith("sweepstakes: internal error, LookupError: x x")
    assert len(line) <= 500
