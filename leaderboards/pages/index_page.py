"""Writes the front page of all published leaderboards, and the page of claims."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

from sweepstakes.errors import RunError
from sweepstakes.leaderboards.claims.claim_list import SYSTEMS
from sweepstakes.leaderboards.claims.claims import FIVE_SYSTEMS, SOURCES, Judged, claims_page, counts, judge_claims
from sweepstakes.leaderboards.claims.published import Published
from sweepstakes.leaderboards.pages.citing import cited
from sweepstakes.leaderboards.pages.page import WIDTH, picture_tag
from sweepstakes.leaderboards.plots.plots import score_plots
from sweepstakes.leaderboards.publish import about, preset_of
from sweepstakes.leaderboards.results import Results, read_results
from sweepstakes.markup import escape_markdown as escape
from sweepstakes.plugins.reports.markdown import Markdown
from sweepstakes.tournaments.config.loading import load
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.stored_run import open_run

MAIN = "density"
"""The leaderboard that the front page shows, if it is published."""


def front_page(directory: Path) -> list[Path]:
    """Write README.md and claims.md from the publications in the directory; `RunError` if there are none."""
    names = sorted(path.parent.name for path in directory.glob("*/games.csv.gz"))
    if not names:
        raise RunError(f"{directory}: nothing has been published here")
    main = MAIN if MAIN in names else names[0]
    judged = judge_claims(SYSTEMS, directory)
    with open_run(directory / main) as run:
        write_text(directory / "README.md", _front(directory, names, main, read_results(run), judged))
    write_text(directory / "claims.md", claims_page(judged))
    return [directory / "README.md", directory / "claims.md"]


def _front(directory: Path, names: list[str], main: str, results: Results, judged: list[Judged]) -> str:
    standings = results.standings
    parts = [
        "# Leaderboards",
        fill(
            "Minesweeper agents, each on the same seeded boards. A rank is shared unless one agent is significantly "
            "better on those boards. Every leaderboard here can be played again by one command and comes out the same.",
            WIDTH,
        ),
        f"## {main}",
        Markdown().table(standings),
        fill(f"{escape(standings.footnote, 10_000)} More: [{main}]({main}/README.md).", WIDTH, break_long_words=False),
    ]
    plots = score_plots(results)
    if plots:
        parts.append(picture_tag(plots[0], f"{main}/plots"))
    parts += ["## All leaderboards", "\n".join(_entry(directory / name) for name in names)]
    if counts(judged):
        parts.append(
            f"## Claims\n\nOf {len(judged)} claims and questions of five earlier reports: {counts(judged)}. See "
            f"[claims.md](claims.md), and [five systems]({FIVE_SYSTEMS}) for a screen on each report."
        )
    return "\n\n".join(parts) + "\n"


def _entry(directory: Path) -> str:
    """The line of one leaderboard: its question, and the agents of rank 1."""
    published = Published(directory)
    config, _ = load(directory / "tournament.yaml")
    preset = preset_of(config)
    question = about(preset).partition(". ")[0].rstrip(".") if preset is not None else "a tournament"
    first = [agent for agent in published.agents if published.rank(agent, published.overall) == 1]
    question = cited(question, SOURCES)
    return f"- [{directory.name}]({directory.name}/README.md): {question}. First: {', '.join(map(escape, first))}."
