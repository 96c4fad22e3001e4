"""The results of a quiz as a table for people and as csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from math import isnan
from pathlib import Path

import tabulate

from sweepstakes.standings import Interval, interval_columns
from sweepstakes.tables import Grid
from sweepstakes.tournaments.quiz.judging import ALL, Line
from sweepstakes.tournaments.quiz.positions import Kind

_MEASURES = ("solved", "missed", "unsound", "regret", "brier", "error")
_RATES = ("solved", "missed", "unsound")
LEGEND = """\
solved: opened a certainly safe cell or, if no cell was certain, the least risky one.
missed: opened no certainly safe cell although there was one. unsound: called a cell proven that was not certain.
regret: risk of a guess above the lowest one. brier: (stated probability - outcome)². error: distance of the stated
probability from the exact one. ± is the longer half of a 95 % interval. A fault counts as missed, or as a guess that
opens a mine."""


def table(lines: Sequence[Line]) -> str:
    """Return the results for people: a block for each kind, agents in the order of the share solved."""
    blocks = []
    for kind in [ALL, *(kind.value for kind in Kind)]:
        if (rows := grid(lines, kind)) is None:
            continue
        align = ["left", *["right"] * (len(rows.heads) - 1)]
        text = tabulate.tabulate(rows.lines, rows.heads, tablefmt="simple", colalign=align, disable_numparse=True)
        blocks.append(f"{'all positions' if kind == ALL else kind}\n{text}")
    return "\n\n".join([*blocks, LEGEND, *fault_lines(lines)])


def fault_lines(lines: Sequence[Line]) -> list[str]:
    """Return a sentence for each agent that committed faults, with the number of each kind."""
    return [
        f"{line.agent}: {', '.join(f'{kind} in {_positions(count)}' for kind, count in line.kinds)}."
        for line in lines
        if line.kind == ALL and line.kinds
    ]


def _positions(count: int) -> str:
    return f"{count} position{'s' * (count != 1)}"


def grid(lines: Sequence[Line], kind: str) -> Grid | None:
    """Return the table of one kind, or None if there are no such positions."""
    ranked = sorted((line for line in lines if line.kind == kind), key=lambda line: -line.solved.mean)
    rows = [
        [
            line.agent,
            str(line.positions),
            str(line.faults),
            *(_cell(line, name) for name in _MEASURES),
            str(line.stated),
        ]
        for line in ranked
    ]
    heads = [f"{name} %" if name in _RATES else name for name in _MEASURES]
    return Grid(["agent", "positions", "faults", *heads, "stated"], rows, 1) if rows else None


def _cell(line: Line, name: str) -> str:
    interval: Interval = getattr(line, name)
    if isnan(interval.mean):
        return "-"
    half = max(interval.high - interval.mean, interval.mean - interval.low)
    if name in _RATES:
        return f"{100 * interval.mean:.1f} ± {100 * half:.1f}"
    return f"{interval.mean:.3f} ± {half:.3f}"


def as_csv(lines: Sequence[Line]) -> str:
    """Return the results as csv, with the ends of all intervals."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["agent", "kind", "positions", "faults", "stated", *interval_columns(*_MEASURES)])
    for line in lines:
        numbers = [number for name in _MEASURES for number in getattr(line, name)]
        texts = ["" if isnan(number) else repr(round(number, 12)) for number in numbers]
        writer.writerow([line.agent, line.kind, line.positions, line.faults, line.stated, *texts])
    return out.getvalue()


def write(lines: Sequence[Line], folder: Path) -> list[Path]:
    """Write table and csv to a folder. Return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "quiz.txt", folder / "quiz.csv"]
    files[0].write_text(table(lines) + "\n", encoding="utf-8")
    files[1].write_text(as_csv(lines), encoding="utf-8")
    return files
