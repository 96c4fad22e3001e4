"""What agents write to their standard output and error: where it is shown, and where it is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Terminal = Callable[..., Any]

TALKS = """import sys
from sweepstakes import Agent, Turn, hookimpl

class Talks(Agent):
    def act(self, view):
        print("\\33[2Jcovered:  ", len(view.covered()))
        sys.stderr.write("to the error\\n")
        if self.rng.random() < CHANCE:
            raise ValueError("enough")
        return Turn(open=view.covered()[:1])

@hookimpl
def sweepstakes_agents():
    return {"NAME": Talks}
"""


def agent(folder: Path, name: str, chance: float) -> str:
    """The file of an agent that talks in every turn, and fails in a turn with this probability."""
    (folder / f"{name}.py").write_text(TALKS.replace("NAME", name).replace("CHANCE", str(chance)))
    return f"{name}.py"


def test_watch_shows_what_the_agent_wrote(sweepstakes: Terminal, tmp_path: Path) -> None:
    done = sweepstakes("watch", agent(tmp_path, "talks", 1), "--board", "4x4/3", "--plain")
    assert done.code == 0
    assert "raised ValueError: enough" in done.out
    assert done.err == "\nagent 'talks' wrote:\n| covered:   16\n| to the error\n"
