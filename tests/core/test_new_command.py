"""`sweepstakes new` writes plugins that work at once."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sweepstakes import Registry
from sweepstakes.cli.new import new

Terminal = Callable[..., Any]
ROOT = Path(__file__).parents[2]
KINDS = {
    "agent": "agent",
    "policy": "agent",
    "noise": "clue noise",
    "board": "board source",
    "score": "score",
    "report": "report",
}


def run(*words: str, cwd: Path, **more: Any) -> None:
    done = subprocess.run([sys.executable, "-m", *words], cwd=cwd, capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One plugin of each kind."""
    folder = tmp_path_factory.mktemp("written")
    for kind in KINDS:
        done = CliRunner().invoke(new, [f"my_{kind}", "--kind", kind, "--dir", str(folder)])
        assert done.exit_code == 0, done.output
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_what_it_writes_loads_and_offers_its_name(written: Path, kind: str) -> None:
    registry = Registry([written / f"my_{kind}.py"])
    registry.check()
    assert registry.find(KINDS[kind], f"my-{kind}").summary


@pytest.mark.system
def test_what_it_writes_passes_its_own_tests(written: Path) -> None:
    run("pytest", "-q", "-W", "error", "-p", "no:cacheprovider", cwd=written)


@pytest.mark.skipif(importlib.util.find_spec("ruff") is None, reason="ruff comes with the extra `dev`")
def test_what_it_writes_is_clean_to_ruff(written: Path) -> None:
    ours = ["--config", str(ROOT / "pyproject.toml")]
    run("ruff", "check", "--isolated", "--select", "E4,E7,E9,F,I,B,UP", ".", cwd=written)
    run("ruff", "check", *ours, "--config", "lint.isort.known-first-party=[]", ".", cwd=written)
    run("ruff", "format", "--check", *ours, ".", cwd=written)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy comes with the extra `dev`")
def test_what_it_writes_is_clean_to_mypy(written: Path) -> None:
    package = ROOT / "build" / "linked" / "sweepstakes"  # as installed: mypy does not see an editable install
    package.mkdir(parents=True, exist_ok=True)
    rooms = {room: ROOT / room for room in ("plugins", "tournaments", "leaderboards")}
    for name, part in ({part.name: part for part in (ROOT / "core").iterdir()} | rooms).items():
        if not (package / name).exists():
            (package / name).symlink_to(part)
    files = sorted(str(file) for file in written.glob("*.py"))
    config = ["--strict", "--follow-imports=silent", "--ignore-missing-imports", "--no-error-summary"]
    cache = ["--cache-dir", str(package.parents[1] / "mypy")]  # kept: numpy's stubs take half a minute
    run("mypy", *config, *cache, *files, cwd=written, env=os.environ | {"MYPYPATH": str(package.parent)})


@pytest.mark.system
def test_the_match_that_is_proposed_for_a_policy_finds_it_better(sweepstakes: Terminal) -> None:
    proposed = sweepstakes("new", "my_policy", "--kind", "policy").out.splitlines()[-1].split()
    assert proposed[:2] == ["sweepstakes", "match"]
    assert "my-policy is better than random" in sweepstakes(*proposed[1:], "--workers", "1").out


def test_a_package_has_an_entry_point(sweepstakes: Terminal, tmp_path: Path) -> None:
    done = sweepstakes("new", "deep-thought", "--package")
    assert done.code == 0, done.err
    text = (tmp_path / "deep-thought" / "pyproject.toml").read_text()
    assert '[project.entry-points.sweepstakes]\ndeep-thought = "deep_thought"' in text
    assert "class DeepThought(Agent)" in (tmp_path / "deep-thought" / "deep_thought.py").read_text()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["mine"], "mine.py already exists"),
        (["basic"], "the agent 'basic' already exists"),
        (["json"], "the name of another Python module"),
        (["Mine"], "expected words of a-z and 0-9"),
        (["../mine"], "expected words of a-z and 0-9"),
        (["other", "--dir", "/proc/nowhere"], "cannot be written"),
    ],
)
def test_it_overwrites_and_shadows_nothing(
    sweepstakes: Terminal, tmp_path: Path, words: list[str], expected: str
) -> None:
    (tmp_path / "mine.py").write_text("precious")
    done = sweepstakes("new", *words)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert expected in done.err
    assert (tmp_path / "mine.py").read_text() == "precious"
