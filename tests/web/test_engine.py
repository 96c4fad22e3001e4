"""The engine in the page, `engine.wasm`, gives the answers of the Python package and is made of its kernels."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from engine_cases import make_cases

from sweepstakes.web.engine import build

HERE = Path(__file__).parent
COMMAND = "python -m sweepstakes.web.engine.build"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def _record() -> dict[str, object]:
    record: dict[str, object] = json.loads(build.RECORD.read_text(encoding="utf-8"))
    return record


def _compare(module: Path, folder: Path, positions: int, games: int) -> None:
    """Run `engine_answers.mjs` with this many `positions` and `games`."""
    cases = make_cases(positions, games)
    coupled = sum(case["components"] > 1 for case in cases["positions"])
    assert coupled >= positions // 10
    assert {case["status"] for case in cases["positions"]} == {"ok", "approximate", "inconsistent"}
    file = folder / "cases.json"
    file.write_text(json.dumps(cases), encoding="utf-8")
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", str(HERE / "engine_answers.mjs")],
        env=os.environ | {"ENGINE_CASES": str(file), "ENGINE_MODULE": str(module)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[:5000]


def test_the_module_is_made_of_the_present_kernels() -> None:
    record = _record()
    assert record["sources"] == build.digest_of_sources(), f"the kernels have changed: run {COMMAND}"
    assert record["module"] == hashlib.sha256(build.MODULE.read_bytes()).hexdigest(), f"run {COMMAND}"
    assert build.MODULE.stat().st_size <= build.MAX_BYTES


def test_comments_and_docstrings_do_not_count_as_a_change_of_the_kernels() -> None:
    plain = "def half(x):\n    return x / 2\n"
    explained = '"""A module."""\n\n\ndef half(x):  # of a number\n    """Return half of x."""\n    return x / 2\n'
    assert build.code_of(explained) == build.code_of(plain) != build.code_of(plain.replace("2", "3"))


@needs_node
def test_the_engine_in_the_page_answers_as_the_package_does(tmp_path: Path) -> None:
    _compare(build.MODULE, tmp_path, 300, 100)


@needs_node
@pytest.mark.slow
def test_two_thousand_positions_and_a_thousand_games_are_the_same(tmp_path: Path) -> None:
    _compare(build.MODULE, tmp_path, 2000, 1000)


@needs_node
@pytest.mark.system
def test_the_module_can_be_built_again(tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="the extra `engine` is not installed")
    target = tmp_path / "engine.wasm"
    code = f"from pathlib import Path; from sweepstakes.web.engine.build import build; build(Path({str(target)!r}))"
    subprocess.run([sys.executable, "-c", code], check=True)
    if _record()["built_with"] == {name: _version(name) for name in build.PACKAGES}:
        assert target.read_bytes() == build.MODULE.read_bytes()
    _compare(target, tmp_path, 300, 100)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
