"""Draws curves: score and time against density, size or noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from sweepstakes.leaderboards.plots.style import EDGE, INK, PlotLook, new_figure, plain
from sweepstakes.standings import Interval, Standings
from sweepstakes.tournaments.sweeps import Series, Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 3
_LINE = 0.21
"""Inches between two labels."""


def score_curves(standings: Standings, sweep: Sweep, looks: Mapping[str, PlotLook], score: int = 0) -> Figure:
    """Draw a score of every agent along the axis, by default the ranking score, with 95 % bands."""
    column = standings.scores[score]
    values = {
        table.condition: {
            line.agent: _scaled(line.scores[score], column.scale)
            for line in table.standings
            if not isnan(line.scores[score].mean)
        }
        for table in standings.tables
    }
    return _curves(sweep, values, looks, column.axis, log=False)


def time_curves(standings: Standings, sweep: Sweep, looks: Mapping[str, PlotLook]) -> Figure:
    """Draw the agents' own CPU time per game along the axis, as far as it is known: milliseconds, logarithmic."""
    values = {
        table.condition: {timing.agent: _scaled(timing.seconds, 1000) for timing in table.timings}
        for table in standings.tables
    }
    return _curves(sweep, values, looks, "CPU milliseconds per game", log=True)


def _scaled(interval: Interval, by: float) -> Interval:
    return Interval(*(by * end for end in interval))


def _curves(
    sweep: Sweep, values: Mapping[str, Mapping[str, Interval]], looks: Mapping[str, PlotLook], what: str, *, log: bool
) -> Figure:
    panels = len(sweep.series)
    columns = 2 if panels == 4 else min(panels, _COLUMNS)
    rows = -(-panels // columns)
    height = max(3.9, _LINE * len(looks) + 0.9) if columns == 1 else 3.4
    figure = new_figure({1: 6.4, 2: 8.8}.get(columns, 10.1), height * rows)
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True, gridspec_kw={"wspace": 0.22, "hspace": 0.42})
    for axes, series in zip(grid.flat, sweep.series, strict=False):
        _panel(axes, series, values, looks, log)
        axes.set_title(plain(series.title), fontsize=9)
        axes.set_xlabel(sweep.axis)
        axes.tick_params(axis="y", labelleft=True)
        if sweep.name == "size":
            _size_axis(axes, series)
        if log:
            _log_axis(axes)
    for axes in grid.flat[panels:]:
        axes.set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel(what)
    if panels == 1:
        _label_ends(figure, grid[0, 0], sweep.series[0], values, looks)
    else:
        _legend(figure, looks, columns)
    return figure


def _panel(
    axes: Axes, series: Series, values: Mapping[str, Mapping[str, Interval]], looks: Mapping[str, PlotLook], log: bool
) -> None:
    if log:
        axes.set_yscale("log")
    for agent, look in looks.items():
        points = [(x, values[c.label][agent]) for x, c in series.points if agent in values.get(c.label, {})]
        if not points:
            continue
        xs = [x for x, _ in points]
        floor = min((i.mean for _, i in points), default=0.0) / 2 if log else float("-inf")
        lows, highs = ([max(interval[end], floor) for _, interval in points] for end in (1, 2))
        axes.fill_between(xs, lows, highs, color=look.colour, alpha=0.16, linewidth=0)
        axes.plot(
            xs,
            [interval.mean for _, interval in points],
            color=look.colour,
            linestyle=look.dash,
            marker=look.marker,
            markersize=4.5,
            markeredgecolor=EDGE,
            markeredgewidth=0.5,
            linewidth=1.5,
        )
    axes.margins(x=0.03)


def _size_axis(axes: Axes, series: Series) -> None:
    """Sizes as rows x cols, spaced by the number of cells on a logarithmic axis."""
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log")
    axes.set_xlabel("board")
    axes.xaxis.set_minor_locator(NullLocator())
    names = [f"{c.size.rows}x{c.size.cols}" for _, c in series.points]
    axes.set_xticks([x for x, _ in series.points], names, rotation=45, ha="right", rotation_mode="anchor")


def _log_axis(axes: Axes) -> None:
    """Write 0.5, 1, 2, 5, 10 instead of powers of ten on a logarithmic axis; only powers of ten if it is long."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1,) if high > 200 * low else (1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _label_ends(
    figure: Figure,
    axes: Axes,
    series: Series,
    values: Mapping[str, Mapping[str, Interval]],
    looks: Mapping[str, PlotLook],
) -> None:
    """Write each agent's name at the end of its curve. Names that would overlap are moved apart and joined by a thin
    line."""
    ends: dict[str, tuple[float, float]] = {}
    for x, c in series.points:
        for agent, interval in values.get(c.label, {}).items():
            ends[agent] = (x, interval.mean)
    figure.canvas.draw()
    inches = axes.get_window_extent().height / figure.dpi
    heights = {
        agent: axes.transAxes.inverted().transform(axes.transData.transform(end))[1] for agent, end in ends.items()
    }
    order = sorted(ends, key=lambda agent: (heights[agent], agent))
    spread = spread_out([heights[agent] for agent in order], _LINE / inches, 0.0, 1.0)
    for agent, place in zip(order, spread, strict=True):
        look = looks[agent]
        start = axes.transAxes.inverted().transform(axes.transData.transform(ends[agent]))
        drawn: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False, "color": look.colour}
        axes.plot([start[0] + 0.012, 1.07], [start[1], place], linewidth=0.6, alpha=0.7, **drawn)
        axes.plot([1.07, 1.14], [place, place], linestyle=look.dash, linewidth=1.5, **drawn)
        axes.plot([1.105], [place], marker=look.marker, markersize=5, markeredgecolor=EDGE, **drawn)
        axes.text(1.155, place, plain(agent), transform=axes.transAxes, va="center", fontsize=9, color=INK)


def spread_out(places: Sequence[float], gap: float, lowest: float, highest: float) -> list[float]:
    """Move the sorted places as little as necessary so that they are `gap` apart, within the bounds if possible."""
    blocks: list[tuple[float, int]] = []  # isotonic regression of the places less the gaps before them
    for i, place in enumerate(places):
        mean, size = place - i * gap, 1
        while blocks and blocks[-1][0] >= mean:
            other, count = blocks.pop()
            mean = (mean * size + other * count) / (size + count)
            size += count
        blocks.append((mean, size))
    most = max(lowest, highest - gap * (len(places) - 1))
    flat = [min(max(mean, lowest), most) for mean, size in blocks for _ in range(size)]
    return [place + i * gap for i, place in enumerate(flat)]


def _legend(figure: Figure, looks: Mapping[str, PlotLook], columns: int) -> None:
    """One legend below all panels."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=look.colour, linestyle=look.dash, marker=look.marker, markersize=5, label=plain(agent))
        for agent, look in looks.items()
    ]
    below = figure.get_tightbbox().y0 / figure.get_figheight()
    figure.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, below),
        ncols=min(len(handles), max(2, 2 * columns - 1)),
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        handlelength=3,
    )
