"""The documentation says what is so."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tutorial

from sweepstakes import Agent, BoardSource, ClueNoise, MeasuredScore, Registry, Score, hookspecs
from sweepstakes.executor import Executor
from sweepstakes.registry.loading import HOOKS
from sweepstakes.report import Report
from sweepstakes.testing import check_agent

DOCS = Path(__file__).parents[1] / "docs"
CONTRACTS: dict[str, list[Callable[..., Any]]] = {
    "sweepstakes_agents": [Agent.act],
    "sweepstakes_boards": [BoardSource.board, BoardSource.check, BoardSource.contents],
    "sweepstakes_clue_noise": [ClueNoise.likelihood],
    "sweepstakes_scores": [Score.of, Score.worst, MeasuredScore.measure],
    "sweepstakes_executors": [Executor.run],
    "sweepstakes_reports": [Report.text],
    "sweepstakes_game_finished": [hookspecs.sweepstakes_game_finished],
}


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_what_it_and_its_contract_take(hook: str) -> None:
    text = (DOCS / "hooks.md").read_text(encoding="utf-8")
    section = re.search(rf"^## `{hook}`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None, f"hooks.md has no section on {hook}"
    for function in (getattr(hookspecs, hook), *CONTRACTS[hook]):
        arguments = [name for name in inspect.signature(function).parameters if name != "self"]
        if function.__name__ != hook or arguments:
            assert f"`{function.__name__}({', '.join(arguments)})" in section[1]
        for argument in arguments:
            assert re.search(rf"`{argument}\b", section[1]), f"{hook}: {function.__name__}({argument}) is not explained"


@pytest.mark.parametrize(
    ("kind", "heading"), [("board source", "Boards"), ("score", "Scores"), ("clue noise", "Clue noise")]
)
def test_every_built_in_is_defined(kind: str, heading: str) -> None:
    text = (DOCS / "definitions.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    for name, offer in Registry.default().offers(kind).items():
        if offer.plugin.origin == "built in":
            assert re.search(rf"`{name}[`(]", section[1]), f"definitions.md does not define {kind} '{name}'"


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (DOCS / target).exists(), f"{page.name}: {target}"


def test_the_fast_agent_of_the_page_is_an_agent() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "fast-agents.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(inspect.cleandoc("\n" + code), names)
    check_agent(names["AnyCell"])


def test_the_tutorial_prints_what_it_says(tmp_path: Path) -> None:
    _, complaints = tutorial.follow(tutorial.PAGE, tmp_path, Path(sys.executable).parent)
    assert not complaints, "\n\n".join(complaints)
