"""Agents that differ in two things, as a grid: how they prove cells, and by which rule they guess."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.leaderboards.plots.cell_map import AMOUNT, STEPS, draw_cells
from sweepstakes.leaderboards.plots.style import new_figure, plain
from sweepstakes.standings import Standings
from sweepstakes.tables import number
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
    """Return the grid if every name occurs with every rule, and there are at least two names and two rules."""
    labels = {
        (entry.spec.name, str(entry.spec.parameters[PARAMETER])): entry.label
        for entry in plan.entries
        if set(entry.spec.parameters) == {PARAMETER}
    }
    names, rules = ([*dict.fromkeys(key[i] for key in labels)] for i in (0, 1))
    full = len(labels) == len(plan.entries) == len(names) * len(rules)
    return Grid(names, rules, labels) if full and min(len(names), len(rules)) > 1 else None


def picture(standings: Standings, grid: Grid) -> Figure:
    """Draw the ranking score of every agent of the grid: over all conditions, then a panel for each condition."""
    column, tables = standings.scores[0], standings.tables
    columns = 1 if len(tables) == 1 else 2
    rows = -(-len(tables) // columns)
    width, height = 0.48 * len(grid.rules), 0.36 * len(grid.names)
    figure = new_figure(columns * (width + 0.3), rows * (height + 0.9))
    spaces = {"wspace": 0.3 / width, "hspace": 0.9 / height, "top": 1, "bottom": 0, "left": 0, "right": 1}
    panels = figure.subplots(rows, columns, squeeze=False, gridspec_kw=spaces)
    for place, (axes, table) in enumerate(zip(panels.flat, tables, strict=False)):
        means = {line.agent: line.scores[0].mean for line in table.standings}
        values = np.array([[means[grid.labels[name, rule]] for rule in grid.rules] for name in grid.names])
        low, high = float(values.min()), float(values.max())

        def colour(value: float, low: float = low, high: float = high) -> str:
            share = (value - low) / (high - low) if high > low else 0.0
            return AMOUNT[round((share if column.more_is_better else 1 - share) * STEPS)]

        def text(i: int, j: int, values: npt.NDArray[np.float64] = values) -> str:
            return number(values[i, j], column, 3)

        draw_cells(axes, values, colour, text)
        axes.set_title(plain(table.heading), fontsize=9)
        axes.set_xticks(range(len(grid.rules)), list(map(plain, grid.rules)), rotation=35, ha="right", fontsize=8)
        axes.set_yticks(range(len(grid.names)), list(map(plain, grid.names)) if place % columns == 0 else [])
    for axes in panels.flat[len(tables) :]:
        axes.set_visible(False)
    return figure
