"""Pictures of all agents together: the ranking, the head-to-head map, the distribution of scores."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sweepstakes.leaderboards.plots.cell_map import draw_cells, share_colour
from sweepstakes.leaderboards.plots.style import EDGE, GREY, INK, RULE, PlotLook, new_figure, plain
from sweepstakes.standings import Interval, ScoreColumn, Standings, Table
from sweepstakes.tables import condition_names, shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIGNIFICANT = 0.05
MAX_BINS = 40
_ROW = 0.34
"""Inches for each agent's line."""
_TITLE = 34
"""Characters of a line in the title of a panel."""


def ranking(standings: Standings, looks: Mapping[str, PlotLook]) -> Figure:
    """Plot every agent's score with its interval, best on top. Bars join agents that are not distinguishable."""
    table, column = standings.tables[0], standings.scores[0]
    lines = table.standings
    by = column.scale
    figure = new_figure(7.2, 1.1 + _ROW * len(lines))
    axes = figure.subplots()
    for y, line in enumerate(lines):
        _interval(axes, y, line.scores[0], by, looks[line.agent], 7)
    axes.set_yticks(range(len(lines)), [f"{plain(line.agent)}  {line.rank}" for line in lines])
    axes.text(-0.012, 1.01, "rank", transform=axes.transAxes, ha="right", va="bottom", fontsize=9, color=GREY)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.06)
    axes.set_xlabel(f"{column.axis}, mean with 95 % interval")
    runs = ties(table)
    if runs:
        note = "Bars on the right join agents without a significant difference."
        axes.annotate(note, (0, 0), (0, -42), "axes fraction", "offset points", fontsize=9, color=GREY)
    for place, (first, last) in enumerate(runs):
        x = 1.03 + 0.025 * place
        axes.plot(
            [x, x],
            [first - 0.18, last + 0.18],
            transform=axes.get_yaxis_transform(),
            clip_on=False,
            color=INK,
            linewidth=3,
            solid_capstyle="butt",
        )
    return figure


def _interval(axes: Axes, y: float, score: Interval, by: int, look: PlotLook, size: float) -> None:
    """Plot a mean and its interval. The ends are taller than the marker, so that they stay visible if the interval is
    short."""
    low, high = by * score.low, by * score.high
    ends = [low, low, nan, low, high, nan, high, high], [y - 0.22, y + 0.22, nan, y, y, nan, y - 0.22, y + 0.22]
    axes.plot(*ends, color=look.colour, linewidth=1.4, solid_capstyle="butt", clip_on=False)
    drawn: dict[str, Any] = {"color": look.colour, "marker": look.marker, "markersize": size, "clip_on": False}
    axes.plot([by * score.mean], [y], markeredgecolor=EDGE, markeredgewidth=0.6, **drawn)


def by_condition(standings: Standings, looks: Mapping[str, PlotLook]) -> Figure:
    """Draw every agent's score under each of a few conditions, one panel for each, in the order of the whole table."""
    first, *tables = standings.tables
    column = standings.scores[0]
    by = column.scale
    order = [line.agent for line in first.standings]
    columns = min(3, len(tables))
    rows = -(-len(tables) // columns)
    names = [fill(name, _TITLE) for name in condition_names(tables)]
    height = 0.25 * len(order) + 0.1  # of a panel, in inches; between two panels there are numbers and a title
    between = 0.55 + 0.15 * max(name.count("\n") + 1 for name in names)
    figure = new_figure(2.6 * columns + 1.4, (height + between) * rows)
    grid = figure.subplots(
        rows, columns, squeeze=False, sharex=True, sharey=True, gridspec_kw={"wspace": 0.1, "hspace": between / height}
    )
    for axes, table, name in zip(grid.flat, tables, names, strict=False):
        scores = {line.agent: line.scores[0] for line in table.standings}
        for y, agent in enumerate(order):
            _interval(axes, y, scores[agent], by, looks[agent], 5)
        axes.set_title(plain(name), fontsize=9)
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", labelbottom=True)
    for axes in grid.flat[len(tables) :]:
        axes.set_visible(False)
    grid[0, 0].set_yticks(range(len(order)), list(map(plain, order)))
    grid[0, 0].set_ylim(len(order) - 0.4, -0.6)
    grid[0, 0].margins(x=0.06)
    for axes in grid[-1, :]:
        axes.set_xlabel(column.axis)
    return figure


def ties(table: Table) -> list[tuple[int, int]]:
    """Return the longest runs of lines, of two or more, in which no agent is significantly better than another."""
    place = {line.agent: i for i, line in enumerate(table.standings)}
    differ = {
        (min(place[p.first], place[p.second]), max(place[p.first], place[p.second]))
        for p in table.pairs
        if p.p_mean < SIGNIFICANT
    }
    runs: list[tuple[int, int]] = []
    for first in range(len(place)):
        last = first
        while last + 1 < len(place) and not any((i, last + 1) in differ for i in range(first, last + 1)):
            last += 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def head_to_head(standings: Standings) -> Figure:
    """Draw on how many of 100 boards the line's agent did better than the column's agent. Ties count half."""
    table = standings.tables[0]
    order = [line.agent for line in table.standings]
    share = shares(table)
    unclear = {frozenset((p.first, p.second)) for p in table.pairs if p.p_sign >= SIGNIFICANT}
    values = np.array([[np.nan if a == b else 100 * share.get((a, b), 0.5) for b in order] for a in order])
    cell = min(0.55, 6.2 / len(order))
    figure = new_figure(cell * len(order), cell * len(order))
    axes = figure.add_axes((0, 0, 1, 1))

    def text(i: int, j: int) -> str:
        return "\u2248" if frozenset((order[i], order[j])) in unclear else f"{values[i, j]:.0f}"

    draw_cells(axes, values, share_colour, text)
    axes.set_xticks(range(len(order)), list(map(plain, order)), rotation=40, ha="left", rotation_mode="anchor")
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(order)), list(map(plain, order)))
    note = "Ties count half.\n\u2248: no significant difference (sign test)"
    axes.annotate(note, (0, 0), (0, -10), "axes fraction", "offset points", va="top", fontsize=9, color=GREY)
    return figure


def bins(low: float, high: float, *, whole: bool) -> npt.NDArray[np.float64]:
    """Return about forty bins. If the scores are whole numbers, all bins contain equally many of them."""
    if whole:
        width = max(1, -(-int(high - low + 1) // MAX_BINS))
        return np.arange(low - 0.5, high + 0.5 + width, width)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, MAX_BINS + 1)


def distribution(
    column: ScoreColumn, scores: Mapping[str, npt.NDArray[np.float64]], looks: Mapping[str, PlotLook]
) -> Figure:
    """Draw how the scores of single games are spread, agent by agent in the order given, with the median."""
    by = column.scale
    low = min(float(values.min()) for values in scores.values())
    high = max(float(values.max()) for values in scores.values())
    edges = bins(low, high, whole=all(bool(np.all(values == np.floor(values))) for values in scores.values()))
    figure = new_figure(6.8, 1.0 + 0.46 * len(scores))
    axes = figure.subplots()
    for y, (agent, values) in enumerate(scores.items()):
        look = looks[agent]
        counts, _ = np.histogram(values, edges)
        heights = 0.86 * counts / counts.max()
        steps = by * np.repeat(edges, 2)[1:-1]
        tops = y + 0.43 - np.repeat(heights, 2)
        axes.fill_between(steps, tops, y + 0.43, color=look.colour, alpha=0.55, linewidth=0)
        axes.plot([by * float(np.median(values))] * 2, [y - 0.43, y + 0.43], color=INK, linewidth=1.6)
        axes.axhline(y + 0.43, color=RULE, linewidth=0.6)
    axes.set_yticks(range(len(scores)), list(map(plain, scores)))
    axes.set_ylim(len(scores) - 0.5, -0.55)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.02)
    axes.set_xlabel(f"{column.axis} in a single game; the line is the median")
    return figure
