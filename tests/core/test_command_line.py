from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

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


def sweepstakes(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command, as users run it."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SWEEPSTAKES_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "sweepstakes", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment,
        check=False,
    )


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
def test_what_is_there_is_listed_a_line_each(command: str, lines: list[str]) -> None:
    said = sweepstakes(command)
    assert (said.returncode, said.stderr) == (0, "")
    printed = said.stdout.splitlines()
    for line in lines:
        assert any(one.startswith(line.rstrip()) for one in printed), (line, said.stdout)


def test_a_strangers_file_joins_the_listing(tmp_path: Path) -> None:
    (tmp_path / "edge_first.py").write_text(GOOD)
    said = sweepstakes("agents", "--plugin", "edge_first.py", cwd=tmp_path)
    assert (said.returncode, said.stderr) == (0, "")
    (line,) = [line for line in said.stdout.splitlines() if line.startswith("edge-first")]
    assert line.split() == ["edge-first", "[depth=2]"]
    said = sweepstakes("plugins", "--strict", "--plugin", "edge_first.py", cwd=tmp_path)
    assert said.returncode == 0
    assert f"edge_first  (file, {said.stdout.rpartition('(file, ')[2][:12]})\n" in said.stdout
    assert f"    {tmp_path / 'edge_first.py'}\n    agent: edge-first\n" in said.stdout


def test_strict_exits_with_1_if_a_plugin_has_an_error(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("1 /\n")
    files = ("--plugin", "bad.py", "--plugin", "missing.py")
    plain = sweepstakes("plugins", *files, cwd=tmp_path)
    strict = sweepstakes("plugins", "--strict", *files, cwd=tmp_path)
    assert (plain.returncode, strict.returncode) == (0, 1)
    assert plain.stdout == strict.stdout
    assert "    error: line 1: invalid syntax\n" in plain.stdout
    assert "    error: there is no such file\n" in plain.stdout
    assert "2 with errors" in plain.stdout
    assert plain.stderr == strict.stderr == ""


def test_a_file_that_was_asked_for_and_does_not_load_is_bad_input(tmp_path: Path) -> None:
    said = sweepstakes("agents", "--plugin", str(tmp_path / "missing.py"))
    assert said.returncode == 2
    assert said.stderr == f"sweepstakes: {tmp_path / 'missing.py'}: there is no such file\n"


def test_an_unknown_command_gets_the_nearest() -> None:
    said = sweepstakes("agnets")
    assert said.returncode == 2
    assert "no command 'agnets' (did you mean 'agents'?)" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize("arguments", [("agents", "--plugn", "x"), ("plugins", "--plugin"), ("agents", "extra")])
def test_bad_options_exit_with_2(arguments: tuple[str, ...]) -> None:
    said = sweepstakes(*arguments)
    assert said.returncode == 2
    assert "Traceback" not in said.stderr


def test_the_version_is_the_packages() -> None:
    assert sweepstakes("--version").stdout == f"sweepstakes {importlib.metadata.version('sweepstakes')}\n"


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
