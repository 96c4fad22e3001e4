from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOOD = """
from sweepstakes import Agent, Turn, hookimpl

class EdgeFirst(Agent):
    def __init__(self, depth: int = 2): ...
    def act(self, view):
        return Turn(open=view.covered()[:1])

@hookimpl
def sweepstakes_agents():
    return {"edge-first": EdgeFirst}
"""
Command = Callable[..., Any]


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("agents", ["basic   ", "random  "]),
        ("boards", ["uniform  ", "sizes: beginner 9x9/10, intermediate 16x16/40, expert 16x30/99"]),
        ("noise", ["exact-clues  ", "hidden       With probability rate a clue is withheld.  [rate blanks=false]"]),
        ("scores", ["detonated  ", "guesses ", "identified ", "safe-opened ", "turns ", "win "]),
        ("plugins", ["sweepstakes.plugins.agents.basic  (built in, ", "    agent: basic"]),
    ],
)
def test_what_is_there_is_listed_a_line_each(command: str, lines: list[str], sweepstakes: Command) -> None:
    said = sweepstakes(command)
    assert (said.code, said.err) == (0, "")
    printed = said.out.splitlines()
    for line in lines:
        assert any(one.startswith(line.rstrip()) for one in printed), (line, said.out)


def test_a_strangers_file_joins_the_listing(tmp_path: Path, sweepstakes: Command) -> None:
    (tmp_path / "edge_first.py").write_text(GOOD)
    said = sweepstakes("agents", "--plugin", "edge_first.py")
    assert (said.code, said.err) == (0, "")
    (line,) = [line for line in said.out.splitlines() if line.startswith("edge-first")]
    assert line.split() == ["edge-first", "[depth=2]"]
    said = sweepstakes("plugins", "--strict", "--plugin", "edge_first.py")
    assert said.code == 0
    assert f"edge_first  (file, {said.out.rpartition('(file, ')[2][:12]})\n" in said.out
    assert f"    {tmp_path / 'edge_first.py'}\n    agent: edge-first\n" in said.out


def test_strict_exits_with_1_if_a_plugin_has_an_error(tmp_path: Path, sweepstakes: Command) -> None:
    (tmp_path / "bad.py").write_text("1 /\n")
    files = ("--plugin", "bad.py", "--plugin", "missing.py")
    plain = sweepstakes("plugins", *files)
    strict = sweepstakes("plugins", "--strict", *files)
    assert (plain.code, strict.code) == (0, 1)
    assert plain.out == strict.out
    assert "    error: line 1: invalid syntax\n" in plain.out
    assert "    error: there is no such file\n" in plain.out
    assert "2 with errors" in plain.out
    assert plain.err == strict.err == ""


def test_a_file_that_was_asked_for_and_does_not_load_is_bad_input(tmp_path: Path, sweepstakes: Command) -> None:
    said = sweepstakes("agents", "--plugin", str(tmp_path / "missing.py"))
    assert said.code == 2
    assert said.err == f"sweepstakes: {tmp_path / 'missing.py'}: there is no such file\n"


def test_an_unknown_command_gets_the_nearest(sweepstakes: Command) -> None:
    said = sweepstakes("agnets")
    assert said.code == 2
    assert "no such command 'agnets' (did you mean 'agents'?)" in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize("arguments", [("agents", "--plugn", "x"), ("plugins", "--plugin"), ("agents", "extra")])
def test_bad_options_exit_with_2(arguments: tuple[str, ...], sweepstakes: Command) -> None:
    said = sweepstakes(*arguments)
    assert said.code == 2
    assert "Traceback" not in said.err


def test_the_version_is_the_packages(sweepstakes: Command) -> None:
    assert sweepstakes("--version").out == f"sweepstakes {importlib.metadata.version('sweepstakes')}\n"


def test_the_console_script_is_the_module() -> None:
    (point,) = importlib.metadata.entry_points(group="console_scripts", name="sweepstakes")
    assert point.value == "sweepstakes.cli.main:main"


HEAVY = ("numba", "numpy", "matplotlib", "pydantic", "scipy", "yaml", "pluggy", "rich")


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["agents", "--help"], ["--version"], []])
def test_asking_for_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\n"
        f"sys.argv = ['sweepstakes', *{arguments!r}]\n"
        "from sweepstakes.cli.main import main\n"
        "try:\n    main()\n"
        f"finally:\n    print('HEAVY', sorted(set({HEAVY!r}) & set(sys.modules)))\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert said.stdout.endswith("HEAVY []\n"), said.stdout + said.stderr
    assert "Traceback" not in said.stderr
