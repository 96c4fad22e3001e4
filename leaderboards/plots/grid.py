"""Agents that differ in two things, as a grid: how they prove cells, and by which rule they guess."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sweepstakes.leaderboards.plots.style import ON_DARK, ON_PALE, new_figure, plain
from sweepstakes.standings import Standings
from sweepstakes.tournaments.plan import Plan

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARAMETER = "guess"


class Grid(NamedTuple):
    """The agents of a tournament by name and by the value of `guess`, each in the order of the tournament."""

    names: list[str]
    rules: list[str]
    labels: dict[tuple[str, str], str]


def find_grid(plan: Plan) -> Grid | None:
    """The grid, if every name is there with every rule, at least two of each."""
    labels = {
        (entry.spec.name, str(entry.spec.parameters[PARAMETER])): entry.label
        for entry in plan.entries
        if set(entry.spec.parameters) == {PARAMETER}
    }
    names, rules = ([*dict.fromkeys(key[i] for key in labels)] for i in (0, 1))
    full = len(labels) == len(plan.entries) == len(names) * len(rules)
    return Grid(names, rules, labels) if full and min(len(names), len(rules)) > 1 else None


def picture(standings: Standings, grid: Grid) -> Figure:
    """The ranking score of every agent of the grid, a panel for each condition."""
    column = standings.scores[0]
    by = column.scale
    tables = standings.tables[1:] or standings.tables
    columns = 1 if len(tables) == 1 else 2
    rows = -(-len(tables) // columns)
    width, height = 0.72 * len(grid.rules), 0.5 * len(grid.names)
    figure = new_figure(columns * (width + 0.4) + 1.2, rows * (height + 1.15) + 0.1)
    axes_of = figure.subplots(
        rows, columns, squeeze=False, gridspec_kw={"wspace": 0.08, "hspace": 0.62, "top": 0.9, "bottom": 0.1}
    )
    for place, (axes, table) in enumerate(zip(axes_of.flat, tables, strict=False)):
        means = {line.agent: by * line.scores[0].mean for line in table.standings}
        values = np.array([[means[grid.labels[name, rule]] for rule in grid.rules] for name in grid.names])
        axes.imshow(values, cmap="YlGnBu", aspect="auto")
        middle = (values.min() + values.max()) / 2
        for i, j in np.ndindex(values.shape):
            text = f"{values[i, j]:.1f}" if column.proportion else f"{values[i, j]:.3f}"
            axes.text(
                j, i, text, ha="center", va="center", fontsize=9, color=ON_DARK if values[i, j] > middle else ON_PALE
            )
        axes.set_title(plain(table.heading), fontsize=9)
        axes.set_xticks(range(len(grid.rules)), list(map(plain, grid.rules)), rotation=35, ha="right", fontsize=8)
        axes.set_yticks(range(len(grid.names)), list(map(plain, grid.names)) if place % columns == 0 else [])
        axes.tick_params(length=0)
        axes.grid(visible=False)
    for axes in axes_of.flat[len(tables) :]:
        axes.set_visible(False)
    figure.suptitle(
        f"{column.axis}: proofs by line, guesses by column; dark is best",
        fontsize=10,
        x=0.02,
        ha="left",
        y=0.9 + 0.62 / figure.get_figheight(),
    )
    return figure
