"""Every page and state by axe-core, light and dark, in a real browser."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
from arena_page import Page

pytestmark = pytest.mark.system

VIOLATIONS = """
const done = arguments[0];
const told = ({ id, nodes }) => [id, ...nodes.slice(0, 3).map((node) => node.html + node.failureSummary)];
axe.run(document, { resultTypes: ["violations"] }).then(
  ({ violations }) => done(violations.map(told)),
  (error) => done([String(error)]),
);
"""
STUCK = "rows=4&cols=4&mines=3&cells=bC15"
CONTRADICTION = "rows=2&cols=2&mines=1&cells=bcC2"


def play(page: Page, path: str, *, keys: str = "", steps: int = 0) -> None:
    page.open(path)
    page.one(".board")
    page.settle()
    for key in keys:
        page.do().send_keys(key).perform()
        page.settle()
    for _ in range(steps):
        if page.all(".status.end"):
            break
        page.click("button.main")
        page.settle()


def analysis(page: Page, path: str) -> None:
    page.open(path)
    page.one(".analysis-page")
    page.until(lambda: page.all(".analysis-page:not(.busy)"), "the page stays busy")
    page.until(lambda: "thinking" not in page.text(".results"), "champion does not answer")
    page.script("for (const details of document.querySelectorAll('details')) details.open = true")


def visit(page: Page, path: str, sign: str) -> None:
    page.open(path)
    page.one(sign)


def play_with_options(page: Page, path: str) -> None:
    play(page, path)
    page.script("for (const details of document.querySelectorAll('details')) details.open = true")


STATES: dict[str, Any] = {
    "play: a hint that is safe": lambda page: play(
        page, "#/play?preset=beginner&seed=8&agent=exact", keys="p", steps=1
    ),
    "play: a guess": lambda page: play(page, "#/play?preset=beginner&seed=8&agent=exact"),
    "play: random, with options": lambda page: play_with_options(
        page, "#/play?rows=5&cols=5&mines=4&seed=8&agent=random"
    ),
    "play: lost or won": lambda page: play(page, "#/play?rows=5&cols=5&mines=6&seed=8&agent=random", steps=30),
    "play: lies": lambda page: play(
        page, "#/play?rows=5&cols=5&mines=4&seed=4&on_mine=continue&agent=random&noise=liar(rate%3D0.5)", steps=30
    ),
    "play: an address that cannot be": lambda page: play(page, "#/play?preset=hard"),
    "analysis: empty": lambda page: analysis(page, "#/analysis"),
    "analysis: candidates": lambda page: analysis(page, f"#/analysis?{STUCK}&agent=random"),
    "analysis: a contradiction": lambda page: analysis(page, f"#/analysis?{CONTRADICTION}"),
    "watch: a turn with probabilities": lambda page: visit(page, "#/watch?board=3&turn=2", ".board .heat"),
    "watch: the end": lambda page: visit(page, "#/watch?board=3&turn=5&odds=no", ".board .cell.open"),
    "leaderboard": lambda page: visit(page, "#/leaderboard", ".standings"),
    "leaderboard: a pair": lambda page: visit(page, "#/leaderboard?first=basic&second=random", ".decisive-boards a"),
    "agent": lambda page: visit(page, "#/agent?name=basic", "h1"),
    "no such page": lambda page: visit(page, "#/nowhere", ".address-notice"),
}


@pytest.fixture(scope="module")
def axe() -> str:
    """The code of axe-core."""
    pytest.importorskip("axe_core_python", reason="pip install axe-core-python")
    return (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing(page: Page, axe: str, state: str) -> None:
    STATES[state](page)
    page.script(axe)
    for dark in (False, True):
        page.size(1280, 900, dark=dark)
        found = page.browser.execute_async_script(VIOLATIONS)
        assert found == [], f"{state}, {'dark' if dark else 'light'}"
