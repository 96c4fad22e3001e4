"""The modules of the pages that hold logic, each tested by `node --test` in a file beside this one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.test.mjs"))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_modules_of_the_pages_pass_their_own_tests() -> None:
    colourless = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", *map(str, FILES)],
        env=colourless, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"^# pass (\d+)$", done.stdout, re.M)
    assert found is not None
    tests = sum(len(re.findall(r"^test\(", file.read_text(encoding="utf-8"), re.M)) for file in FILES)
    assert int(found[1]) >= tests > 0
