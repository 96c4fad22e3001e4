"""The results of a quiz as a table for people, as csv and as a plot."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import tabulate

from sweepstakes.standings import Interval
from sweepstakes.tournaments.quiz.judging import ALL, Line
from sweepstakes.tournaments.quiz.positions import Kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MEASURES = ("solved", "missed", "unsound", "regret", "brier", "error")
_RATES = ("solved", "missed", "unsound")
LEGEND = """\
solved: opened a certainly safe cell or, if no cell was certain, the least risky one.
missed: opened no certainly safe cell although there was one. unsound: called a cell proven that was not certain.
regret: risk of a guess above the lowest one. brier: (stated probability - outcome)². error: distance of the stated
probability from the exact one. ± is the longer half of a 95 % interval. A fault counts as missed, or as a guess that
opens a mine."""


def table(lines: Sequence[Line]) -> str:
    """The results for people: a block for each kind, agents in the order of the share solved."""
    blocks = []
    for kind in [ALL, *(kind.value for kind in Kind)]:
        ranked = sorted((line for line in lines if line.kind == kind), key=lambda line: -line.solved.mean)
        if not ranked:
            continue
        rows = [
            [line.agent, line.positions, line.faults, *(_cell(line, name) for name in _MEASURES), line.stated]
            for line in ranked
        ]
        head = [
            "agent",
            "positions",
            "faults",
            "solved %",
            "missed %",
            "unsound %",
            "regret",
            "brier",
            "error",
            "stated",
        ]
        align = ["left", *["right"] * (len(head) - 1)]
        text = tabulate.tabulate(rows, head, tablefmt="simple", colalign=align, disable_numparse=True)
        blocks.append(f"{'all positions' if kind == ALL else kind}\n{text}")
    return "\n\n".join([*blocks, LEGEND])


def _cell(line: Line, name: str) -> str:
    interval: Interval = getattr(line, name)
    if isnan(interval.mean):
        return "-"
    half = max(interval.high - interval.mean, interval.mean - interval.low)
    if name in _RATES:
        return f"{100 * interval.mean:.1f} ± {100 * half:.1f}"
    return f"{interval.mean:.3f} ± {half:.3f}"


def as_csv(lines: Sequence[Line]) -> str:
    """The results as csv, with the ends of all intervals."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    ends = [f"{name}{end}" for name in _MEASURES for end in ("", "_low", "_high")]
    writer.writerow(["agent", "kind", "positions", "faults", "stated", *ends])
    for line in lines:
        numbers = [number for name in _MEASURES for number in getattr(line, name)]
        texts = ["" if isnan(number) else repr(round(number, 12)) for number in numbers]
        writer.writerow([line.agent, line.kind, line.positions, line.faults, line.stated, *texts])
    return out.getvalue()


def plot(lines: Sequence[Line]) -> Figure:
    """The share solved of each kind, with intervals, agents from the best to the worst."""
    from matplotlib.figure import Figure  # slow to import

    solved = {line.agent: line.solved.mean for line in lines if line.kind == ALL}
    agents = sorted(solved, key=lambda agent: solved[agent])
    kinds = [kind.value for kind in Kind]
    figure = Figure(figsize=(10, 1.2 + 0.3 * len(agents)), layout="constrained")
    axes = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
    by_key = {(line.agent, line.kind): line.solved for line in lines}
    for panel, kind in zip(axes, kinds, strict=True):
        for place, agent in enumerate(agents):
            interval = by_key.get((agent, kind))
            if interval is not None:
                panel.plot([100 * interval.low, 100 * interval.high], [place, place], color="#6B6B6B", linewidth=1.5)
                panel.plot([100 * interval.mean], [place], "o", color="#222222", markersize=5)
        panel.set_title(kind, loc="left", fontsize=10)
        panel.set_xlim(-5, 105)
        panel.set_xlabel("solved, %")
        panel.grid(axis="x", color="#D9D9D9", linewidth=0.6)
    axes[0].set_yticks(range(len(agents)), [agent.replace("$", r"\$") for agent in agents])
    return figure


def write(lines: Sequence[Line], folder: Path) -> list[Path]:
    """Write table, csv and plot to a folder. Return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "quiz.txt", folder / "quiz.csv", folder / "quiz.svg"]
    files[0].write_text(table(lines) + "\n", encoding="utf-8")
    files[1].write_text(as_csv(lines), encoding="utf-8")
    plot(lines).savefig(files[2], metadata={"Date": None})
    return files
