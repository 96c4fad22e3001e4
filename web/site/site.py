"""The Leaderboard and Watch pages as one file for any static host, which also opens from disk."""

from __future__ import annotations

import base64
import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from sweepstakes.errors import RunError
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.stored_run import open_run
from sweepstakes.untrusted.files import make_folder
from sweepstakes.warm_up import warm_up
from sweepstakes.web.agents.agent_service import Adviser
from sweepstakes.web.assets import assets
from sweepstakes.web.data.odds import odds
from sweepstakes.web.data.overview import Pages, comparison, worths
from sweepstakes.web.server.api_error import Refused
from sweepstakes.web.site.bundle import bundle

BOARDS = 3
"""How many boards of each condition the site shows, unless told otherwise."""
LARGEST = 12_000_000
"""How many characters the replays may take."""
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
    plugins: tuple[str, ...] = (),
) -> Path:
    """Write `index.html` into the target, with all code and data in it, and return its path.

    It holds the replays of up to `boards` boards of each condition: those that decided between agents of near ranks,
    as long as all replays together have no more than `largest` characters. Games whose moves were not kept are played
    again, if their agent is here and still the same. The same run gives the same bytes.
    """
    registry = Registry(plugins)
    registry.check()
    run = open_run(run_directory, plugins)
    run.load_plugins_into(registry)
    adviser = Adviser(registry, second_seconds=SECOND)
    pages = Pages(run, registry, adviser)
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
    with run_errors(page, "written"):
        make_folder(page.parent)
        page.write_text(text, encoding="utf-8")
    return page


def _data(pages: Pages, boards: int, largest: int) -> dict[str, Any]:
    """Everything that the server would answer, as far as the site shows it."""
    agents = range(1, len(pages.run.agents) + 1)
    fields = {condition: _Field(pages, condition) for condition in range(1, len(pages.run.conditions) + 1)}
    replays = _replays(pages, {condition: field.sample(boards) for condition, field in fields.items()}, largest)
    sample: dict[int, list[int]] = {condition: [] for condition in fields}
    there: dict[tuple[int, int], set[int]] = {}
    for condition, agent, number in replays:
        there.setdefault((condition, agent), set()).add(number)
        if number not in sample[condition]:
            sample[condition] = sorted([*sample[condition], number])
    nothing: set[int] = set()
    decisive = {
        f"{condition}/{first}/{second}": field.comparison(
            first, second, there.get((condition, first), nothing) & there.get((condition, second), nothing)
        )
        for condition, field in fields.items()
        for first in agents
        for second in agents
        if first != second
    }
    deciding = {}
    for condition, field in fields.items():
        everything = field.deciding()
        deciding[condition] = [len(everything.intersection(sample[condition])), len(everything)]
    return {
        "run": pages.overview() | {"sample": sample, "deciding": deciding},
        "replays": {"/".join(map(str, key)): found for key, found in replays.items()},
        "decisive": decisive,
    }


class _Field:
    """All agents of a condition, board by board, by the score that ranks."""

    def __init__(self, pages: Pages, condition: int) -> None:
        self._name, self._score = pages.ranking()
        results = {agent: pages.results(condition, agent) for agent in _by_rank(pages, condition)}
        results = {agent: found for agent, found in results.items() if found}
        self._worths = {agent: worths(self._score, found) for agent, found in results.items()}
        self._numbers = np.array(sorted({number for found in results.values() for number in found}), np.int64)
        kept = {(f.agent + 1, f.number) for f, _ in pages.run.kept() if f.condition == condition - 1}
        self._values = np.full((len(results), self._numbers.size), np.nan)
        """By rank and board; nan where there is no value."""
        self._watchable = np.zeros(self._values.shape, np.bool_)
        """Where the moves were kept, or the game can be played again."""
        for line, (agent, found) in enumerate(results.items()):
            again = pages.can_play_again(pages.run.agents[agent - 1])
            for place, number in enumerate(self._numbers.tolist()):
                if number in found:
                    value = self._worths[agent][number]
                    self._values[line, place] = np.nan if value is None else value
                    replayable = again and found[number].ending.repeatable
                    self._watchable[line, place] = replayable or (agent, number) in kept

    def comparison(self, first: int, second: int, listed: set[int]) -> dict[str, Any]:
        """What `Pages.decisive` says of two agents, with only those boards listed that can be watched."""
        left, right = self._worths.get(first, {}), self._worths.get(second, {})
        return comparison(self._name, self._score, left, right, len(listed), listed)

    def deciding(self) -> set[int]:
        """The boards on which two agents differ."""
        if not self._values.size:
            return set()
        values = self._values
        low, high = np.fmin.reduce(values), np.fmax.reduce(values)
        return set(self._numbers[low < high].tolist())

    def sample(self, boards: int) -> list[int]:
        """Boards to show, the best first: those that decided between agents of near ranks.

        Each board counts, for every two agents that differ on it and can be watched, the less the further apart their
        ranks are, and the less the more boards are chosen already on which the same one of them was better. Then come
        the boards on which neighbours differ most. Where nobody differs the first boards are as good as any.
        """
        agents = len(self._values)
        pairs = [(i, j) for i in range(agents) for j in range(i + 1, agents)]
        leads = {
            (i, j): np.where(self._watchable[i] & self._watchable[j], self._values[i] - self._values[j], np.nan)
            for i, j in pairs
        }
        nearness = np.zeros(self._numbers.size)
        for i in range(agents - 1):
            nearness += np.nan_to_num(np.abs(leads[i, i + 1]))
        covered = {(i, j, side): 0 for i, j in pairs for side in (-1, 1)}
        left = self._watchable.sum(axis=0) > 0
        chosen: list[int] = []
        while len(chosen) < boards and left.any():
            gain = np.zeros(self._numbers.size)
            for (i, j, side), times in covered.items():
                gain += (np.sign(leads[i, j]) == side) / ((j - i) ** 2 * (1 + times))
            order = np.lexsort((self._numbers, -np.round(nearness, 9), -np.round(gain, 9), ~left))
            best = int(order[0])
            left[best] = False
            chosen.append(int(self._numbers[best]))
            for i, j, side in covered:
                covered[i, j, side] += bool(np.sign(leads[i, j][best]) == side)
        return chosen


def _by_rank(pages: Pages, condition: int) -> list[int]:
    """The agents as the table of the condition ranks them; those that it does not name come last."""
    tables = pages.run.leaderboard()["tables"]
    label = pages.run.conditions[condition - 1].label
    table = next((table for table in tables if table["condition"] == label), tables[0] if tables else None)
    ranks = {line["agent"]: place for place, line in enumerate(table["standings"])} if table else {}
    labels = [agent.label for agent in pages.run.agents]
    return sorted(range(1, len(labels) + 1), key=lambda agent: ranks.get(labels[agent - 1], len(ranks)))


def _replays(pages: Pages, samples: dict[int, list[int]], largest: int) -> dict[tuple[int, int, int], dict[str, Any]]:
    """The replays of the boards, by condition, agent and board: in turns, so that room that is short is shared."""
    replays: dict[tuple[int, int, int], dict[str, Any]] = {}
    for turn in range(max(map(len, samples.values()), default=0)):
        for condition, numbers in samples.items():
            for number in numbers[turn : turn + 1]:
                found = {}
                for agent in range(1, len(pages.run.agents) + 1):
                    with suppress(Refused, RunError):  # what is not there, or is not played the same way again
                        found[condition, agent, number] = _replay(pages, condition, agent, number)
                largest -= sum(len(_plain(replay)) + 20 for replay in found.values())
                if largest < 0:
                    return replays
                replays |= found
    return replays


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
