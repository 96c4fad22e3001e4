"""The pages as a folder of files, for any static host or for opening from disk."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from sweepstakes.errors import RunError
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.resolve.plugins import add_plugins
from sweepstakes.tournaments.review.agent_page import FOLDER, AgentPage, agent_pages
from sweepstakes.tournaments.review.run_review import is_reviewed, review_run
from sweepstakes.tournaments.running.executors import LOCAL, pick_executor
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.stored_run import StoredRun, open_run
from sweepstakes.untrusted.files import make_folder
from sweepstakes.warm_up import warm_up
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.agents.run_agents import isolation_of, run_agents
from sweepstakes.web.assets import PAGE, SCRIPT, assets, engine
from sweepstakes.web.data.odds import odds
from sweepstakes.web.data.options import site_options
from sweepstakes.web.data.overview import Overview
from sweepstakes.web.data.person import site_scores
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.site.condition_scores import ConditionScores

DEFAULT_BOARDS = 3
"""Default number of boards of each condition that the site shows."""
MAX_REPLAY_CHARACTERS = 12_000_000
"""Maximum number of characters of all replays together."""
EXPLAIN_SECONDS = 600.0
"""Maximum seconds for an agent to play a game a second time, which gives the reasons of its turns."""
MAX_ODDS = 250_000
"""Maximum number of probabilities of a game, over all its positions. A game with more is written without them."""
STATIC = "static"
"""The folder of the files that the page loads."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
)
"""The content security policy of the page: no request leaves the site."""
Replays = dict[tuple[int, int, int], dict[str, Any]]
"""Replays by condition, agent and board."""


def write_site(
    run_directory: str | Path,
    target: str | Path,
    *,
    boards: int = DEFAULT_BOARDS,
    largest: int = MAX_REPLAY_CHARACTERS,
    plugins: tuple[str, ...] = (),
    with_engine: bool = True,
    transcripts: bool = False,
) -> Path:
    """Write `index.html`, and the code and data that it loads, into the target directory; return the path of the page.

    The site has the replays of up to `boards` boards of each condition, chosen by `ConditionScores.sample`, as long as
    all replays together have no more than `largest` characters. Games whose moves are not stored are played again, if
    their agent is installed in the same version. The same run gives the same bytes.

    With the engine, people can play and analyse positions in the page, which computes all probabilities. Without it the
    page has those of the replays. With `transcripts`, replays have what language models said in their turns.
    """
    registry = Registry(plugins)
    registry.check()
    run = open_run(run_directory, plugins)
    add_plugins(registry, run.config)
    own = run_agents(run)
    agent_service = AgentService(registry, explain_seconds=EXPLAIN_SECONDS, isolation=isolation_of(run), run_agents=own)
    overview = Overview(run, registry, agent_service, transcripts=transcripts)
    if overview.run.leaderboard() is None:
        raise RunError(f"{run_directory}: the run has no leaderboard.json yet: finish the run first")
    if Path(target).resolve() == Path(run_directory).resolve():
        raise RunError(f"{target} is the run itself: choose another directory")
    page = Path(target) / PAGE
    warm_up(review=is_reviewed(run))
    try:
        data, replays = _data(overview, boards, largest, with_engine=with_engine)
        pages = _agent_pages(run, str(run_directory)) if is_reviewed(run) else []
        data["run"]["pages"] = {one.label: f"{FOLDER}/{one.name}.html" for one in pages}
        if with_engine:
            data["options"] = site_options(registry)
        scores = site_scores(overview) if with_engine else None
        texts = _files(data, replays, scores, engine() if with_engine else b"")
    finally:
        agent_service.close()
    with run_errors(page, "written"):
        make_folder(page.parent / STATIC)
        if pages:
            make_folder(page.parent / FOLDER)
        for one in pages:
            texts |= {f"{FOLDER}/{name}": content for name, content in one.files("html").items()}
        for name, text in texts.items():
            (page.parent / name).write_text(text, encoding="utf-8")
    return page


def _agent_pages(run: StoredRun, directory: str) -> list[AgentPage]:
    """Return the pages of the agents of a run whose scores are measured by reviews."""
    reviews = review_run(run, pick_executor(run.registry, LOCAL, None))
    return agent_pages(reviews, run.registry, f"sweepstakes review {directory}")


def _data(overview: Overview, boards: int, largest: int, *, with_engine: bool) -> tuple[dict[str, Any], Replays]:
    """Return what the pages of the site read instead of requests to the server (see `static/api.js`): data, and
    replays."""
    conditions = range(1, len(overview.run.conditions) + 1)
    scores = {condition: ConditionScores(overview, condition) for condition in conditions}
    samples = {condition: scores[condition].sample(boards) for condition in conditions}
    replays = _replays(overview, samples, largest, with_odds=not with_engine)
    sample = {condition: sorted({number for c, _, number in replays if c == condition}) for condition in conditions}
    deciding = {}
    for condition in conditions:
        decisive_boards = scores[condition].decisive_boards()
        deciding[condition] = [len(decisive_boards.intersection(sample[condition])), len(decisive_boards)]
    data = {
        "run": overview.overview() | {"sample": sample, "deciding": deciding},
        "decisive": _comparisons(scores, range(1, len(overview.run.agents) + 1), replays),
    }
    return data, replays


def _comparisons(scores: dict[int, ConditionScores], agents: range, replays: Replays) -> dict[str, Any]:
    """Return the comparison of every two agents under every condition, by "condition/first/second"."""
    boards: dict[tuple[int, int], set[int]] = {}
    for condition, agent, number in replays:
        boards.setdefault((condition, agent), set()).add(number)
    none: set[int] = set()
    return {
        f"{condition}/{first}/{second}": of_condition.comparison(
            first, second, boards.get((condition, first), none) & boards.get((condition, second), none)
        )
        for condition, of_condition in scores.items()
        for first in agents
        for second in agents
        if first != second
    }


def _replays(overview: Overview, samples: dict[int, list[int]], largest: int, *, with_odds: bool) -> Replays:
    """Return the replays of the sampled boards, up to `largest` characters.

    The first board of every condition comes first, then the second of every condition, and so on: if not all replays
    fit, every condition still has some.
    """
    replays: Replays = {}
    for place in range(max(map(len, samples.values()), default=0)):
        for condition, numbers in samples.items():
            for number in numbers[place : place + 1]:
                of_board = {}
                for agent in range(1, len(overview.run.agents) + 1):
                    with suppress(ApiError, RunError):  # a game that is not stored, or that is played differently now
                        of_board[condition, agent, number] = _replay(
                            overview, condition, agent, number, with_odds=with_odds
                        )
                largest -= sum(len(_json(replay)) + 20 for replay in of_board.values())
                if largest < 0:
                    return replays
                replays |= of_board
    return replays


def _replay(overview: Overview, condition: int, agent: int, number: int, *, with_odds: bool) -> dict[str, Any]:
    replay = overview.replay(condition, agent, number)
    if with_odds and (len(replay["turns"]) + 1) * replay["rows"] * replay["cols"] <= MAX_ODDS:
        replay["odds"] = [odds(view) for view in overview.views(condition, agent, number)]
    return replay


def _files(data: dict[str, Any], replays: Replays, scores: Any, module: bytes) -> dict[str, str]:
    """Return the texts of all files of the site, by path: the server's page with its files, data and engine next to it.

    The page contains no inline scripts, so that it also works if a web host sends its own strict policy. Data are
    scripts, because a page opened from disk can load nothing else. The page loads replays and engine when it needs
    them.
    """
    found = {PAGE: _page(bool(module))}
    found |= {f"{STATIC}/{name}": text for name, text in assets().items() if name != PAGE}
    found[f"{STATIC}/data.js"] = _script("data", data)
    for condition in sorted({condition for condition, _, _ in replays}):
        of_condition = {"/".join(map(str, key)): replay for key, replay in replays.items() if key[0] == condition}
        found[f"{STATIC}/replays-{condition}.js"] = _script(f"replays-{condition}", of_condition)
    if module:
        found[f"{STATIC}/scores.js"] = _script("scores", scores)
        found[f"{STATIC}/engine.js"] = _script("engine", base64.b64encode(module).decode())
    return found


def _page(with_engine: bool) -> str:
    """Return the server's page, with a policy, and with the data loaded before the script."""
    text = assets()[PAGE]
    policy = POLICY.replace("'self'", "'self' 'wasm-unsafe-eval'", 1) if with_engine else POLICY
    script = f'<script src="{STATIC}/{SCRIPT}" defer></script>'
    for old, new in {
        "<head>": f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">',
        script: f'<script src="{STATIC}/data.js" defer></script>\n{script}',
    }.items():
        if text.count(old) != 1:
            raise ValueError(f"{PAGE} has no single {old}")
        text = text.replace(old, new)
    return text


def _script(name: str, content: Any) -> str:
    """Return a script that gives the page the content of a file (see `static/api.js`)."""
    return f"(globalThis.siteFiles ??= {{}})[{_json(name)}] = {_json(content)};\n"


def _json(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=True)
