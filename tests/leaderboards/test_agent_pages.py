"""A tournament with a score of reviews is published with a page for each agent; the same games give the same bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import open_run
from sweepstakes.leaderboards.publish import publish
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.review import run_review
from sweepstakes.tournaments.review.agent_page import page_names
from sweepstakes.tournaments.running.again import play_again

CONFIG: dict[str, Any] = {
    "name": "small",
    "boards": "7x7/9",
    "rules": {"on_mine": "end", "first_click": "safe"},
    "agents": ["probabilistic", "random"],
    "games": 11,
    "executor": "serial",
}


@pytest.mark.parametrize("reviewed", [True, False])
def test_only_reviewed_tournaments_have_agent_pages(tmp_path: Path, reviewed: bool) -> None:
    scores = ["win", "win-adjusted", "best-guesses"] if reviewed else ["win", "guesses"]
    run_tournament(CONFIG | {"scores": scores}, out=tmp_path / "run")
    texts = []
    for target in (tmp_path / "first", tmp_path / "second"):
        with open_run(tmp_path / "run") as run:
            publish(run, target, with_plots=False)
        pages = sorted((target / "agents").glob("*")) if (target / "agents").exists() else []
        texts.append({page.name: page.read_text(encoding="utf-8") for page in pages})
    assert texts[0] == texts[1]
    readme = (tmp_path / "first" / "README.md").read_text(encoding="utf-8")
    assert ("[random](agents/random.md)" in readme) == reviewed
    assert ("win-adjusted %: games won, corrected for luck" in readme.replace("\n", " ")) == reviewed
    assert bool(texts[0]) == reviewed
    if reviewed:
        page = texts[0]["random.md"]
        for heading in ("# small: random", "## Its decisions", "## Where its games are lost", "## Its worst decisions"):
            assert f"{heading}\n" in page
        for picture in re.findall(r"\]\(([\w.-]+\.svg)\)", page + texts[0]["probabilistic.md"]):
            assert texts[0][picture].startswith("<svg")
        assert "probabilistic-reliability.svg" in texts[0]


def test_names_of_pages_are_files_and_differ() -> None:
    names = page_names(["chain(window=6)", "a/b", "A-b", "../..", "é"])
    assert len({name.lower() for name in names.values()}) == 5
    assert all(re.fullmatch(r"[\w-][\w.-]*", name) for name in names.values())


def test_publish_counts_what_it_does_in_a_pipe_too(tmp_path: Path, sweepstakes: Callable[..., Any]) -> None:
    run_tournament(CONFIG | {"scores": ["win", "win-adjusted"]}, out=tmp_path / "run")
    done = sweepstakes("publish", "run", "--to", "there")
    steps = [line for line in done.err.splitlines() if line.endswith(" ...")]
    assert steps[:2] == ["reviewing 22 games ...", "writing tables and 22 games ..."]
    assert re.fullmatch(r"drawing \d+ plots \.\.\.", steps[2])
    assert sweepstakes("publish", "run", "--to", "there", "--quiet").err.count("\n") == 1


def test_agents_are_reviewed_in_one_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_tournament(CONFIG | {"scores": ["win", "win-adjusted"], "moves": "none"}, out=tmp_path / "run")
    played: list[int] = []

    def counted(plan: Any, fixtures: Any, executor: Any) -> Any:
        played.append(len(fixtures))
        return play_again(plan, fixtures, executor)

    monkeypatch.setattr(run_review, "play_again", counted)
    with open_run(tmp_path / "run") as run:
        publish(run, tmp_path / "there", with_plots=False)
    assert played == [22], "starting workers for each agent takes longer than playing"
