"""The modules of the pages that hold logic, each tested by `node --test` in a file next to this one."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sweepstakes.tables import rounded

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.test.mjs"))


ROUND = """
import { number } from "./web/static/text.js";
import { readFileSync } from "node:fs";
const values = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(values.map((value) => [0, 1, 2, 3].map((digits) => number(value, digits)))));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_numbers_are_rounded_as_in_the_tables_of_the_package() -> None:
    chance = random.Random(5)
    values = [chance.uniform(-20, 20) for _ in range(1000)] + [chance.randrange(-400, 400) / 16 for _ in range(1000)]
    values += [round(chance.uniform(-3, 3), 4) for _ in range(1000)] + [0.0, -0.0, -1e-9, 2.675, 0.5, 1.5, -0.5, 1e6]
    done = subprocess.run(
        ["node", "--input-type=module", "-e", ROUND],
        input=json.dumps(values), cwd=HERE.parents[1], capture_output=True, text=True, check=True,
    )  # fmt: skip
    for value, texts in zip(values, json.loads(done.stdout), strict=True):
        assert texts == [rounded(value, digits) for digits in range(4)], value


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
