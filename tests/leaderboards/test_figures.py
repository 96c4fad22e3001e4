"""Plots are figures of matplotlib in Python, and a publication says how to cite it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from sweepstakes import RunError, open_run
from sweepstakes.leaderboards.publish import code_commit

PAGE = Path(__file__).parents[2] / "docs" / "figure-for-a-paper.md"


@pytest.fixture
def home(finished: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished / "run", tmp_path / "runs" / "mine")
    return tmp_path


def test_the_page_on_figures_writes_them(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert [names["figure"].axes[0].get_title(where) for where in ("left", "center", "right")] == [""] * 3
    for name in ("density.pdf", "ranking.pdf"):
        assert (home / name).read_bytes().startswith(b"%PDF")


def test_plots_are_named_as_in_a_publication(finished: Path) -> None:
    with closing(open_run(finished / "run")) as run:
        for file in (finished / "published" / "plots").glob("*.svg"):
            if not file.stem.endswith("-dark"):
                assert isinstance(run.plot(file.stem), Figure)
        with pytest.raises(RunError, match="did you mean 'score-density'"):
            run.plot("score-densty")
        with pytest.raises(RunError, match="no plot 'score-density'"):
            run.standings().plot("score-density")


def test_a_publication_says_how_to_cite_it(finished: Path) -> None:
    there = finished / "published"
    (line,) = (there / "citation.md").read_text().splitlines()
    digest = hashlib.sha256((there / "games.csv.gz").read_bytes()).hexdigest()
    for part in ("sweepstakes ", "tournament small, seed 5, 12 boards for each of 3 conditions", "basic (v1)", digest):
        assert part in line
    assert "(citation.md)" in (there / "README.md").read_text()
    versions = json.loads((there / "versions.json").read_text())
    commits = (versions.get("commit", ""), code_commit(PAGE.parents[1]))  # files may have been edited in between
    assert len({commit.removesuffix("-dirty") for commit in commits}) == 1


def test_the_commit_of_a_checkout_is_told_and_none_of_another_folder(tmp_path: Path) -> None:
    assert code_commit(tmp_path) == ""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    (tmp_path / "file").write_text("1")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    commit = code_commit(tmp_path)
    assert re.fullmatch("[0-9a-f]{40}", commit)
    (tmp_path / "file").write_text("2")
    assert code_commit(tmp_path) == f"{commit}-dirty"
