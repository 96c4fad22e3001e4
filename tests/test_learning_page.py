"""The programs on the page about learning work, in a small form."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

PAGE = Path(__file__).parents[1] / "docs" / "learning.md"
SMALL = {"--count 20000": "--count 300", "--games 20": "--games 2", "num_envs=256": "num_envs=8"}
"""Numbers that are replaced by smaller ones, so that the page takes seconds."""


def test_every_program_and_command_of_the_page_runs(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for large, small in SMALL.items():
        assert large in text, f"the page no longer has {large}"
        text = text.replace(large, small)
    blocks = re.findall(r"^```(bash|python) run\n(.*?)^```", text, re.S | re.M)
    assert len(blocks) >= 6
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for language, program in blocks:
        command = [sys.executable, "-W", "error", "-c", program] if language == "python" else ["bash", "-ec", program]
        done = subprocess.run(
            command, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{program}\n{done.stdout}{done.stderr}"
    table = (tmp_path / "runs" / "my-policy" / "leaderboard.md").read_text()
    (points,) = re.findall(r"^\| +\d+ \| my-policy +\| +([\d.]+) ", table, re.M)
    assert float(points) > 0.1, "the first result of a policy is not zero"


@pytest.mark.parametrize("name", ["train.py", "ppo.py"])
def test_the_examples_it_names_are_programs(name: str) -> None:
    compile((PAGE.parents[1] / "examples" / "learning" / name).read_text(encoding="utf-8"), name, "exec")
