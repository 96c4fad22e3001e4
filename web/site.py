"""The Leaderboard and Watch pages as one file for any static host, which also opens from disk."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from sweepstakes.errors import RunError
from sweepstakes.registry import Registry
from sweepstakes.tournaments.database import told
from sweepstakes.warm_up import warm_up
from sweepstakes.web.adviser import Adviser, plugin_files
from sweepstakes.web.assets import assets
from sweepstakes.web.bundle import bundle
from sweepstakes.web.odds import odds
from sweepstakes.web.pages import Pages, worth
from sweepstakes.web.run import Run

BOARDS = 3
"""How many boards of each condition the site shows, unless told otherwise."""
LARGEST = 12_000_000
"""How many characters the replays may take."""
LISTED = 10
"""How many boards each side of a comparison lists."""
SECOND = 600.0
"""Seconds that the second playing of a game may take, for its reasons."""
LARGEST_ODDS = 250_000
"""Probabilities of more cells than these, over all turns of a game, are left out."""


def write_site(
    run_directory: str | Path,
    target: str | Path,
    *,
    boards: int = BOARDS,
    largest: int = LARGEST,
    registry: Registry | None = None,
) -> Path:
    """Write `index.html` into the target, with all code and data in it, and return its path.

    It holds the replays of up to `boards` boards of each condition: those on which the agents differ most, among the
    boards whose moves all agents kept, as long as all replays together have no more than `largest` characters. The
    same run gives the same bytes.
    """
    registry = registry or Registry()
    adviser = Adviser(plugin_files(registry), second_seconds=SECOND)
    pages = Pages(Run(Path(run_directory)), registry, adviser)
    if pages.run.leaderboard() is None:
        raise RunError(f"{run_directory}: the run has no leaderboard.json yet: let it come to its end first")
    if Path(target).resolve() == Path(run_directory).resolve():
        raise RunError(f"{target} is the run itself: choose another directory")
    page = Path(target) / "index.html"
    warm_up()
    try:
        text = _page(_data(pages, boards, largest))
    finally:
        adviser.close()
    with told(page, "written"):
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    return page


def _data(pages: Pages, boards: int, largest: int) -> dict[str, Any]:
    """Everything that the server would answer, as far as the site shows it."""
    sample, replays = _replays(pages, boards, largest)
    decisive = {
        f"{condition}/{first}/{second}": pages.decisive(condition, first, second, LISTED)
        for condition in pages.run.conditions
        for first in pages.run.agents
        for second in pages.run.agents
        if first != second
    }
    return {"run": pages.overview() | {"sample": sample}, "replays": replays, "decisive": decisive}


def _replays(pages: Pages, boards: int, largest: int) -> tuple[dict[int, list[int]], dict[str, dict[str, Any]]]:
    """The boards shown of each condition, and their replays: in turns, so that room that is short is shared."""
    candidates = {condition: _sample(pages, condition, boards) for condition in pages.run.conditions}
    sample: dict[int, list[int]] = {condition: [] for condition in candidates}
    replays: dict[str, dict[str, Any]] = {}
    for turn in range(boards):
        for condition, numbers in candidates.items():
            for number in numbers[turn : turn + 1]:
                found = {
                    f"{condition}/{agent}/{number}": _replay(pages, condition, agent, number)
                    for agent in pages.run.agents
                    if pages.run.game(condition, agent, number) is not None
                }
                largest -= len(_plain(found))
                if largest < 0:
                    return sample, replays
                sample[condition] = sorted([*sample[condition], number])
                replays |= found
    return sample, replays


def _sample(pages: Pages, condition: int, boards: int) -> list[int]:
    """The boards on which the agents differ most, these first."""
    everybody = {agent for agent in pages.run.agents if pages.run.results(condition, agent)}
    _, score = pages.ranking()
    values: dict[int, list[float]] = {n: [] for n, kept in pages.run.kept(condition).items() if kept == everybody}
    for agent in everybody:
        for number, result in pages.run.results(condition, agent).items():
            if number in values:
                values[number].append(worth(score, result) or 0.0)
    by_spread = sorted(values, key=lambda number: (min(values[number]) - max(values[number]), number))
    return by_spread[:boards]


def _replay(pages: Pages, condition: int, agent: int, number: int) -> dict[str, Any]:
    found = pages.replay(condition, agent, number)
    if (len(found["turns"]) + 1) * found["rows"] * found["cols"] <= LARGEST_ODDS:
        found["odds"] = [odds(view) for view in pages.views(condition, agent, number)]
    return found


def _page(data: dict[str, Any]) -> str:
    """The shell of the server's page, with everything that it would fetch put in."""
    files = assets()
    modules = {name: text for name, text in files.items() if name.endswith(".js")}
    script = "\n" + bundle(modules, "main.js")
    style = "\n" + files["style.css"]
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    plain = _plain(data).replace("<", "\\u003c")
    code = f'<script type="application/json" id="data">{plain}</script>\n<script type="module">{script}</script>'
    text = files["index.html"]
    for old, new in {
        "<head>": f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<link rel="stylesheet" href="/static/style.css">': f"<style>{style}</style>",
        '<script type="module" src="/static/main.js"></script>': code,
        '<link rel="icon" href="/static/icon.svg">': _icon(files["icon.svg"]),
    }.items():
        if text.count(old) != 1:
            raise ValueError(f"index.html has no single {old}")
        text = text.replace(old, new)
    return text


def _plain(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=True)


def _icon(svg: str) -> str:
    return f'<link rel="icon" href="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}">'


def _digest(text: str) -> str:
    """What a policy calls an inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
