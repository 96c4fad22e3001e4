"""The GitHub action for the repository of an agent: its steps, without the installation, in a temporary repository."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

ACTION = Path(__file__).parents[1] / ".github" / "actions" / "match" / "action.yml"
AGENT = """
from sweepstakes import Agent, Turn, hookimpl


class Mine(Agent):
    def act(self, view):
        {body}


@hookimpl
def sweepstakes_agents():
    return {{"mine": Mine}}
"""
BY_CLUES = """for clue in view.open():
            closed = [cell for cell in view.neighbours(clue) if not view.is_open(cell)]
            covered = [cell for cell in closed if view.is_covered(cell)]
            if covered and view.clue(clue) == len(closed):
                return Turn(flag=covered, why="proof")
            if covered and view.clue(clue) == len(closed) - len(covered):
                return Turn(open=covered, why="proof")
        return Turn(open=view.covered()[:1], why="random")"""
AT_RANDOM = 'return Turn(open=[self.rng.choice(view.covered())], why="random")'
OFF_THE_BOARD = "return Turn(open=[(99, 99)])"
OFF_WIDE_BOARDS = (
    'return Turn(open=[(99, 99)] if view.cols == 17 and view.open() else view.covered()[:1], why="random")'
)


def read_action() -> dict[str, Any]:
    action: dict[str, Any] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    return action


class Finished(NamedTuple):
    """The name of the step that failed, or "" if all succeeded; what was printed; and the summary."""

    failed: str
    printed: str
    summary: str


def git(*words: str, cwd: Path) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *words], cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def run_action(folder: Path, base: str, head: str, **inputs: str) -> Finished:
    """Commit a base and a pull request, and run the steps of the action on the pull request as GitHub would."""
    repository, temporary, summary = folder / "repository", folder / "temporary", folder / "summary.md"
    repository.mkdir()
    temporary.mkdir()
    git("init", "--quiet", cwd=repository)
    commits: list[str] = []
    for body in (base, head):
        (repository / "README.md").write_text(f"{len(commits)}\n")
        if body:
            (repository / "mine.py").write_text(AGENT.format(body=body))
        git("add", ".", cwd=repository)
        git("commit", "--quiet", "-m", "Change the agent", cwd=repository)
        commits.append(git("rev-parse", "HEAD", cwd=repository))
    action = read_action()
    values = {name: each["default"] for name, each in action["inputs"].items() if "default" in each}
    values |= {"agent": "mine.py", "base": commits[0], **inputs}
    known = {f"inputs.{name}": value for name, value in values.items()} | {"runner.temp": str(temporary)}
    printed = ""
    for step in action["runs"]["steps"]:
        if "run" not in step or "pip install" in step["run"]:
            continue
        settings = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: known[found[1]], text)
            for name, text in step["env"].items()
        }
        path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
        script = folder / "step.sh"
        script.write_text(step["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=repository,
            env=os.environ | settings | {"PATH": path, "GITHUB_STEP_SUMMARY": str(summary)},
            capture_output=True,
            text=True,
            check=False,
        )
        printed += done.stdout + done.stderr
        if done.returncode:
            return Finished(step["name"], printed, summary.read_text() if summary.exists() else "")
    return Finished("", printed, summary.read_text())


def test_scripts_of_the_action_get_inputs_by_variables_only() -> None:
    """An input that is pasted into a script would be run as code."""
    action = read_action()
    steps = [step for step in action["runs"]["steps"] if "run" in step]
    assert len(steps) == 4
    for step in steps:
        assert "${{" not in step["run"], step["name"]
        assert step["shell"] == "bash"
    used = set(re.findall(r"inputs\.([\w-]+)", ACTION.read_text(encoding="utf-8")))
    assert used == set(action["inputs"])


@pytest.mark.system
@pytest.mark.parametrize(
    ("base", "head", "failed", "said"),
    [
        pytest.param(
            AT_RANDOM,
            BY_CLUES,
            "",
            "repository/mine is better than base/mine, after ",
            id="better",
            marks=pytest.mark.slow,
        ),
        pytest.param(BY_CLUES, AT_RANDOM, "Play", "repository/mine is worse than base/mine, after ", id="worse"),
        pytest.param(
            OFF_THE_BOARD,
            BY_CLUES,
            "",
            "base/mine finished no game, so the match was stopped.",
            id="broken base",
            marks=pytest.mark.slow,
        ),
        pytest.param("", BY_CLUES, "", "mine.py is new: the base has no version to play against", id="new"),
    ],
)
def test_a_pull_request_fails_if_its_agent_is_worse(
    base: str, head: str, failed: str, said: str, tmp_path: Path
) -> None:
    done = run_action(tmp_path, base, head, boards="beginner", max="400", seed="1")
    assert done.failed == failed, done.printed
    assert said in done.summary
    assert said in done.printed


@pytest.mark.system
def test_a_pull_request_fails_if_its_agent_does_not_pass_the_check(tmp_path: Path) -> None:
    done = run_action(tmp_path, BY_CLUES, OFF_THE_BOARD)
    assert done.failed == "Check the agent", done.printed
    assert "which is not on the board" in done.printed


@pytest.mark.system
def test_a_pull_request_fails_if_its_agent_loses_a_game_by_a_fault(tmp_path: Path) -> None:
    done = run_action(tmp_path, BY_CLUES, OFF_WIDE_BOARDS, boards="13x17/12", max="100", seed="1")
    assert done.failed == "Play", done.printed
    assert "repository/mine: illegal move in " in done.summary
