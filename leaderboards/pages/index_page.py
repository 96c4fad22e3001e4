"""Writes the front page of all published leaderboards."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from textwrap import fill

from sweepstakes.errors import RunError
from sweepstakes.leaderboards.pages.citing import cited
from sweepstakes.leaderboards.pages.page import WIDTH, picture_tag
from sweepstakes.leaderboards.plots.plots import score_plots
from sweepstakes.leaderboards.publish import about, preset_of
from sweepstakes.leaderboards.quiz_page import NUMBERS, front_page_line
from sweepstakes.leaderboards.results import Results, read_results
from sweepstakes.markup import escape_markdown as escape
from sweepstakes.plugins.reports.markdown import Markdown
from sweepstakes.tournaments.config.loading import load
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.opening import open_reader

MAIN = "density"
"""The leaderboard that the front page shows, if it is published."""
SOURCES = "../../docs/sources.md"
"""The page that cites the five reports, seen from leaderboards/published."""


def front_page(directory: Path) -> Path:
    """Write README.md from the publications in the directory and return its path. Raise `RunError` without any."""
    names = sorted(path.parent.name for path in directory.glob("*/games.csv.gz"))
    if not names:
        raise RunError(f"{directory}: there are no published leaderboards here")
    main = MAIN if MAIN in names else names[0]
    with open_reader(directory / main) as run:
        write_text(directory / "README.md", _front(directory, names, main, read_results(run)))
    return directory / "README.md"


def _front(directory: Path, names: list[str], main: str, results: Results) -> str:
    standings = results.standings
    parts = [
        "# Leaderboards",
        fill(
            "Tournaments of Minesweeper agents. In each, all agents play the same seeded boards, and agents share a "
            "rank unless one is significantly better on these boards. One command reproduces each leaderboard.",
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
    if quizzes := sorted(path.parent for path in directory.glob(f"*/{NUMBERS}")):
        parts += ["## Quizzes", "\n".join(map(front_page_line, quizzes))]
    return "\n\n".join(parts) + "\n"


def _entry(directory: Path) -> str:
    """Return the line of one leaderboard: its question, and the agents of rank 1."""
    config, _ = load(directory / "tournament.yaml")
    preset = preset_of(config)
    question = about(preset).partition(". ")[0].rstrip(".") if preset is not None else "a tournament"
    question = cited(question, SOURCES)
    first = ", ".join(map(escape, _first(directory)))
    return f"- [{directory.name}]({directory.name}/README.md): {question}. First: {first}."


def _first(directory: Path) -> list[str]:
    """Return the agents of rank 1 in the first table, which is the one over all conditions."""
    path = directory / "leaderboard.csv"
    try:
        with run_errors(path):
            lines = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
        return [each["agent"] for each in lines if each["condition"] == lines[0]["condition"] and each["rank"] == "1"]
    except (csv.Error, KeyError, ValueError):
        raise RunError(f"{path}: not a table of agents, conditions and ranks; publish the run again") from None
