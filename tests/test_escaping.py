"""No name given by a third party becomes markup in published pages, reports or the pages of a class."""

from __future__ import annotations

import html.parser
import re
import shlex
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from sweepstakes import RunError
from sweepstakes.html_page import page_style
from sweepstakes.leaderboards.publish import publish
from sweepstakes.markup import code_block, code_span, content_policy, escape_html, escape_markdown
from sweepstakes.plugins.reports.html import Html
from sweepstakes.plugins.reports.markdown import Markdown
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.stored_run import open_run

NAMES = [
    "<script>alert(1)</script>",
    "`<b onload=x>`",
    "[a](javascript:x)",
    '"><img src=x onerror=y>',
    "a|b ![x](y)",
    "```",
]
"""Labels of agents, each with another kind of markup."""
OWN = '''
from sweepstakes import Agent, hookimpl

class Own(Agent):
    """Shows `<script>alert(2)</script>` and [a](javascript:x)."""

    def act(self, view):
        raise ValueError("\\n```\\n<script>alert(3)</script>")

@hookimpl
def sweepstakes_agents():
    return {"own": Own}
'''
ALLOWED = {"picture", "source", "img", "details", "summary"}
"""The elements that the pages themselves write."""


TABLE = ("table", "thead", "tbody", "tr", "th", "td")


class Elements(html.parser.HTMLParser):
    """Collects the elements of a page and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def dangers(page: str, allowed: set[str]) -> list[str]:
    """Return the elements, links and attributes of an HTML page that only a label can have written."""
    found = []
    for tag, attributes in Elements(page).found:
        if tag not in allowed or any(name.startswith("on") for name in attributes):
            found.append(f"{tag} {attributes}")
        link = attributes.get("href") or attributes.get("src") or ""
        if link == "y" or link == "x" or link.startswith("javascript:"):
            found.append(f"{tag} {link}")
    return found


def rendered(text: str) -> str:
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


MARKDOWN = ALLOWED | {"h1", "h2", "p", "a", "code", "pre", "ul", "li", "em", "strong", *TABLE}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("names")
    (home / "own.py").write_text(OWN)
    data: dict[str, Any] = {
        "name": "names",
        "executor": "serial",
        "games": 2,
        "boards": "5x5/4",
        "rules": {"on_mine": "end", "first_click": "safe"},
        "agents": [
            {str(home / "own.py"): {}, "as": NAMES[0]},
            *({"chain": {"window": place}, "as": name} for place, name in enumerate(NAMES[1:], 1)),
        ],
        "scores": ["win", "win-adjusted"],
    }
    run_tournament(data, out=home / "run")
    with closing(open_run(home / "run")) as opened:
        publish(opened, home / "published", with_plots=False)
    return home


def test_labels_are_no_markup_in_a_publication(run: Path) -> None:
    pages = sorted((run / "published").rglob("*.md"))
    assert len(pages) == 3 + len(NAMES)  # the page, the times and the citation
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert dangers(rendered(text), MARKDOWN) == [], page.name
    shown = rendered((run / "published" / "README.md").read_text(encoding="utf-8"))
    for name in NAMES:
        assert shown.count(escape_html(name).replace("&#x27;", "'")) >= 2, f"{name} is not shown as it is written"


def test_labels_are_no_markup_in_reports(run: Path) -> None:
    with closing(open_run(run / "run")) as opened:
        standings = opened.standings()
    assert dangers(rendered(Markdown().text(standings)), MARKDOWN) == []
    page = Html().text(standings)
    own = {
        "html",
        "head",
        "header",
        "span",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "h1",
        "div",
        "caption",
        "footer",
        "p",
        *TABLE,
    }
    assert dangers(page, {*own, "p", *TABLE}) == []


def test_pages_forbid_scripts(run: Path) -> None:
    with closing(open_run(run / "run")) as opened:
        page = Html().text(opened.standings())
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script" not in policy, "scripts fall under default-src"
    assert content_policy(page_style()) != content_policy("")


@pytest.mark.system
def test_printed_commands_work_where_the_page_is(
    run: Path, sweepstakes: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(run / "published", tmp_path / "elsewhere")
    with closing(open_run(run / "run")) as opened:
        publish(opened, tmp_path / "leaderboards" / "published" / "names", with_plots=False)
    found = 0
    for place, home in (("elsewhere", tmp_path / "elsewhere"), ("leaderboards/published/names", tmp_path)):
        pages = [tmp_path / place / "README.md", *(tmp_path / place / "agents").glob("chain*.md")]
        monkeypatch.chdir(home)
        for page in pages:
            for command in re.findall(
                r"^ {4}(sweepstakes .+)$|`(sweepstakes review [^`]+)`", page.read_text(), re.MULTILINE
            ):
                done = sweepstakes(*shlex.split("".join(command))[1:])
                assert done.code == 0, (command, done)
                found += 1
    assert found >= 2


def test_a_label_that_is_no_single_line_is_refused(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run / "published", tmp_path / "copy")
    keys = tmp_path / "copy" / "keys.json"
    keys.write_text(keys.read_text().replace('"label": "```"', '"label": "a\\n<script>"'))
    with pytest.raises(RunError, match="the name or the parameters of an agent are invalid"):
        open_run(tmp_path / "copy")


@pytest.mark.parametrize("text", ["a`b", "`", "``x``", "plain", "a\n```\nb"])
def test_code_is_shown_as_it_is_and_ends_where_it_should(text: str) -> None:
    span, block = rendered(code_span(text)), rendered(code_block(text, "bash") + "\n\nafter")
    assert span.count("<code>") == 1
    assert escape_html(text) in span
    assert block.endswith("</code></pre>\n<p>after</p>\n")


def test_marks_are_escaped_and_words_with_underscores_are_not() -> None:
    assert escape_markdown("on_mine *x* _y_ <b> a&amp;b [c](d)") == r"on_mine \*x\* \_y\_ \<b> a\&amp;b \[c\](d)"
