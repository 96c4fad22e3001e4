"""Draws the results of a quiz, and publishes them: page, numbers, answers and plot."""

from __future__ import annotations

import gzip
import io
import shlex
from collections.abc import Sequence
from csv import DictReader
from pathlib import Path
from textwrap import fill

from sweepstakes.errors import RunError
from sweepstakes.leaderboards.pages.page import WIDTH
from sweepstakes.leaderboards.plots.style import EDGE, GREY, looks, new_figure, plain, save, style
from sweepstakes.markup import code_block
from sweepstakes.markup import escape_markdown as escape
from sweepstakes.tables import markdown_table
from sweepstakes.tournaments.quiz.judging import ALL, Line
from sweepstakes.tournaments.quiz.positions import Kind
from sweepstakes.tournaments.quiz.report import LEGEND, as_csv, fault_lines, grid
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.untrusted.files import make_folder

NUMBERS = "quiz.csv"
"""The file by which a published quiz is recognised."""
ANSWERS = "answers.jsonl"
"""The published answers, compressed, and the file of the same name in the folder of a quiz."""
INTRODUCTION = """\
How well does an agent decide in a single position? All agents were asked for one decision in each of the same {count}
positions of Beginner, Intermediate and Expert. The decision is the first cell that the agent opens, and it is judged by
the exact mine probabilities. In a quarter of the positions a single clue proves a cell safe, in a quarter only several
clues together do, in a quarter only together with the mine count, and in a quarter no cell is certainly safe."""
MEANINGS = {
    Kind.SINGLE.value: "A single clue, all of whose mines are flagged, proves a cell safe.",
    Kind.SEVERAL.value: "Only several clues together prove a cell safe.",
    Kind.COUNT.value: "Only clues together with the number of mines on the board prove a cell safe.",
    Kind.GUESS.value: "No cell is certainly safe. The right decision is a cell with the lowest mine probability.",
}
PLOT = "Share of the positions of each kind in which each agent opened a right cell, with 95 % intervals"


def write_plot(lines: Sequence[Line], folder: Path) -> list[Path]:
    """Draw the share solved of each kind, agents from the best to the worst. Return the files."""
    solved = {line.agent: line.solved.mean for line in lines if line.kind == ALL}
    agents = sorted(solved, key=lambda agent: solved[agent])
    by_key = {(line.agent, line.kind): line.solved for line in lines}
    names = [fill(plain(agent), 40) for agent in agents]  # the label of a language model may be long
    height = 0.1 + 0.2 * max(name.count("\n") + 1 for name in names)
    with style():
        figure = new_figure(10, 1.2 + height * len(agents))
        panels = figure.subplots(1, len(Kind), sharey=True, squeeze=False)[0]
        look = looks(list(solved))
        for panel, kind in zip(panels, Kind, strict=True):
            for place, agent in enumerate(agents):
                if (interval := by_key.get((agent, kind.value))) is not None:
                    panel.plot([100 * interval.low, 100 * interval.high], [place, place], color=GREY, linewidth=1.5)
                    panel.plot(
                        [100 * interval.mean],
                        [place],
                        color=look[agent].colour,
                        marker=look[agent].marker,
                        markersize=6,
                        markeredgecolor=EDGE,
                    )
            panel.set_title(kind.value)
            panel.set_xlim(-5, 105)
            panel.set_xlabel("solved, %")
        panels[0].set_yticks(range(len(agents)), names)
        return save(figure, folder, "quiz")


def publish(lines: Sequence[Line], answers: str, command: Sequence[str], count: int, target: Path) -> list[Path]:
    """Write a quiz of `count` positions to a folder, with the lines of its answers. Return the files.

    `command` repeats it. The same answers give the same bytes.
    """
    with run_errors(target, "written"):
        make_folder(target)
    packed = target / f"{ANSWERS}.gz"
    with run_errors(packed, "written"):
        packed.write_bytes(gzip.compress(answers.encode(), 9, mtime=0))
    write_text(target / NUMBERS, as_csv(lines))
    write_text(target / "README.md", _page(lines, shlex.join(command), count))
    return [target / "README.md", target / NUMBERS, packed, *write_plot(lines, target)]


def _page(lines: Sequence[Line], command: str, count: int) -> str:
    introduction = " ".join(INTRODUCTION.format(count=f"{count:,}").split())
    parts = [
        "# Quiz",
        fill(introduction, WIDTH),
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="quiz-dark.svg">'
        f'<img alt="{PLOT}" src="quiz.svg"></picture>',
    ]
    for kind in [ALL, *MEANINGS]:
        if (table := grid(lines, kind)) is None:
            continue
        heading = "All positions" if kind == ALL else kind.capitalize()
        escaped = table._replace(lines=[[escape(line[0]), *line[1:]] for line in table.lines])
        parts += [f"## {heading}", *([MEANINGS[kind]] if kind in MEANINGS else []), markdown_table(escaped)]
        if kind == ALL:
            parts.append(fill(" ".join(LEGEND.split()), WIDTH))
            parts += [f"Faults of {escape(line)}" for line in fault_lines(lines)]
    parts += [
        "## Repeat it",
        fill(
            "This command writes the tables and numbers of this page again, byte for byte, unless an agent is not "
            "repeatable, as language models are. Pictures may differ with the version of matplotlib.",
            WIDTH,
        ),
        code_block(command, "bash"),
        fill(
            f"{NUMBERS} has all numbers with both ends of their intervals, {ANSWERS}.gz has every answer. If it is "
            "unpacked into the folder that --out names, the same command judges these answers and asks no agent.",
            WIDTH,
        ),
    ]
    return "\n\n".join(parts) + "\n"


def front_page_line(folder: Path) -> str:
    """Return the line of a published quiz on the page of all leaderboards."""
    path = folder / NUMBERS
    with run_errors(path):
        rows = list(DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    try:
        solved = {row["agent"]: float(row["solved"]) for row in rows if row["kind"] == ALL}
        (count,) = {int(row["positions"]) for row in rows if row["kind"] == ALL}
    except (KeyError, ValueError, TypeError):
        raise RunError(f"{path}: not the numbers of a quiz; publish the quiz again") from None
    best = ", ".join(escape(agent) for agent, share in solved.items() if share == max(solved.values()))
    return (
        f"- [{folder.name}]({folder.name}/README.md): How well does an agent decide in a single position? One decision "
        f"in each of {count:,} positions, judged by the exact mine probabilities. Most solved: {best}."
    )
