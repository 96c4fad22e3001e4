"""The errors on the page "When something goes wrong" are what the commands print."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Terminal = Callable[..., Any]
PAGE = (Path(__file__).parents[1] / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
TOURNAMENT = "seed: 7\nlimits: {turn_seconds: 1}\ngames: 1\nboards: 4x4/3\nagents: [basic]\n"


def agent(move: str) -> str:
    """Return the file of an agent whose `act` is one statement."""
    return (
        "from time import sleep\nfrom sweepstakes import Agent, Turn, hookimpl\n\n"
        f"class Mine(Agent):\n    def act(self, view):\n        {move}\n\n"
        '@hookimpl\ndef sweepstakes_agents():\n    return {"mine": Mine}\n'
    )


FILES: dict[str, dict[str, str]] = {
    "The file does not exist": {},
    "The tournament file is rejected": {"mine.yaml": "games: 5\nsead: 3\n"},
    "The file offers no agent": {"mine.py": "from sweepstakes import Agent\n\nclass Mine(Agent):\n    pass\n"},
    "A module is missing": {"mine.py": "import sklearn\n"},
    "The agent raises an exception": {"mine.py": agent("return Turn(open=[view.covered()[1000]])")},
    "The agent makes an illegal move": {"mine.py": agent("return Turn(open=[(0, 0)])")},
    "The agent is too slow": {"mine.py": agent("sleep(60)"), "mine.yaml": TOURNAMENT.replace("basic", "./mine.py")},
    "The agent never wins": {"mine.py": agent("return Turn(open=view.covered()[:1])")},
    "The run directory belongs to another tournament": {"mine.yaml": TOURNAMENT},
}
"""What makes each error happen: the files of the folder, by the heading of its section."""


def test_ten_errors_are_explained() -> None:
    headings = re.findall(r"^### (.*)$", PAGE, re.MULTILINE)
    assert headings == ["The command is not found", *FILES]


@pytest.mark.parametrize(
    "heading",
    [pytest.param(name, marks=pytest.mark.system) if name.startswith("The agent") else name for name in FILES],
)
def test_an_error_is_quoted_as_it_is_printed(heading: str, sweepstakes: Terminal, tmp_path: Path) -> None:
    for name, text in FILES[heading].items():
        (tmp_path / name).write_text(text)
    if "another tournament" in heading:
        assert sweepstakes("run", "mine.yaml").code == 0
        (tmp_path / "mine.yaml").write_text(TOURNAMENT.replace("seed: 7", "seed: 8"))
    section = PAGE.partition(f"### {heading}\n")[2].partition("\n###")[0]
    command, *quoted = re.findall(r"```text\n\$ sweepstakes (.*?)```", section, re.DOTALL)[0].splitlines()
    said = sweepstakes(*command.split())
    printed = [line.rstrip() for line in (said.out + said.err).splitlines()]
    assert quoted
    for line in quoted:
        assert line in printed, "\n".join(printed)
