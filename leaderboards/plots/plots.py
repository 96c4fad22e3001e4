"""Chooses and writes the plots of a publication: each only if the results have its data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sweepstakes.drawing.picture import Picture
from sweepstakes.leaderboards.plots import curves, grid, longest_chain, pictures
from sweepstakes.leaderboards.plots.style import PlotLook, add_title, looks, save, style
from sweepstakes.leaderboards.results import Results
from sweepstakes.standings import ScoreColumn
from sweepstakes.tournaments.condition_words import rules_words
from sweepstakes.tournaments.review.agent_page import file_name
from sweepstakes.tournaments.sweeps import sweeps

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FEWEST_FOR_A_MAP = 3
CROWD = 20
"""Maximum number of agents in curves, panels, distributions, a map or a matrix. With more they would be unreadable."""
MAX_PANELS = 9
MAX_SIZES = 5
MAX_MEASURED = 4
"""Maximum number of measured scores that get curves."""
_AXES = {
    "density": "mine density",
    "size": "the size of the board",
    "noise": "the probability that a clue is noisy",
}
_REMOVABLE = ["grid", "by-condition", "ranking", "head-to-head", "distribution"]
_REMOVABLE += [f"{kind}-{axis}" for kind in ("score", "time") for axis in _AXES]
"""The names of plots that an earlier publication may have written."""


class Plot(NamedTuple):
    """A plot of a publication."""

    name: str
    """The name of its files, without their endings."""
    sentence: str
    """The alternative text, which says what the plot shows."""
    draw: Callable[[Mapping[str, PlotLook]], Figure | Picture]
    """Draws it, each agent in its look."""
    caption: str = ""
    """The text below it."""
    dark: bool = True
    """Whether it has a second file for dark pages. The picture of a position has both in one file."""


def score_plots(results: Results, place: str = ".") -> list[Plot]:
    """Return the plots of the scores, in the order in which a page shows them. They depend only on the games.

    `place` is the directory of the publication in commands.
    """
    standings, plan = results.standings, results.plan
    axes = sweeps(plan.conditions)
    plots: list[Plot] = []
    crowded = len(plan.entries) > CROWD
    what = _what(standings.scores[0])
    if (cells := grid.find_grid(plan)) is not None:
        sentence = f"{what} by method of proof and rule for guesses; a stronger colour is better"
        plots.append(Plot("grid", sentence, lambda looks: grid.picture(standings, cells)))
    if not crowded:
        plots += _score_curves(results, 0, "score")
    if not crowded and not axes and 1 < len(results.blocks) <= MAX_PANELS:
        plots.append(Plot("by-condition", f"{what} under each condition", partial(pictures.by_condition, standings)))
    if len(plan.entries) > 1 and cells is None:
        sentence = f"{what} by every agent, the best on top"
        plots.append(Plot("ranking", sentence, partial(pictures.ranking, standings)))
    if FEWEST_FOR_A_MAP <= len(plan.entries) <= CROWD:
        sentence = "Boards of 100 on which the agent of the row did better than that of the column"
        plots.append(Plot("head-to-head", sentence, lambda looks: pictures.head_to_head(standings)))
    if not crowded and (score := _spread(results)) is not None:
        sentence = f"{_what(standings.scores[score])}: single games"
        plots.append(Plot("distribution", sentence, partial(_distribution, results, score)))
    measured = [index for index, name in enumerate(plan.scores) if index and name in plan.measures]
    for index in measured[:MAX_MEASURED]:
        plots += _score_curves(results, index, plan.scores[index])
    if (longest := longest_chain.longest_chain(results)) is not None:
        command = longest.command(plan, place)
        caption = f"The longest chain of influence in this run. The game, turn by turn:\n\n    {command}"
        sentence = "The longest chain of influence"
        draw = partial(longest_chain.picture, results, longest)
        plots.append(Plot("longest-chain", sentence, lambda looks: draw(), caption, dark=False))
    return plots


def time_plots(results: Results) -> list[Plot]:
    """Return the plots of the agents' times, or none if times are unknown."""
    if not results.standings.tables[0].timings or len(results.plan.entries) > CROWD:
        return []
    return [
        Plot(
            f"time-{sweep.name}",
            f"CPU time per game against {_AXES[sweep.name]}",
            partial(curves.time_curves, results.standings, sweep),
        )
        for sweep in sweeps(results.plan.conditions)
        if len(sweep.series) <= MAX_PANELS
    ]


def draw(results: Results, folder: Path) -> list[Path]:
    """Write every plot as SVG; remove plots of an earlier publication that these results do not have."""
    look = looks([entry.label for entry in results.plan.entries])
    times = time_plots(results)
    files: list[Path] = []
    title = conditions_title(results)
    with style():
        for plot in [*score_plots(results), *times]:
            drawn = plot.draw(look)
            if plot.dark and not isinstance(drawn, Picture):
                add_title(drawn, plot.sentence, title)
            files += save(drawn, folder, plot.name)
    removable = [*_REMOVABLE, *(f"{file_name(name)}-{axis}" for name in results.plan.scores for axis in _AXES)]
    for name in removable:
        for old in (folder / f"{name}.svg", folder / f"{name}-dark.svg"):
            if old not in files and (not name.startswith("time-") or times):
                old.unlink(missing_ok=True)
    return files


def conditions_title(results: Results) -> str:
    """Return the sizes, the rules and the number of boards that the plots of a publication show."""
    conditions = results.plan.conditions
    sizes = list(dict.fromkeys(f"{c.size.rows}x{c.size.cols}" for c in conditions))
    shown = ", ".join(sizes) if len(sizes) <= MAX_SIZES else f"{len(sizes)} sizes from {sizes[0]} to {sizes[-1]}"
    rules = rules_words(c.rules for c in conditions)
    each = " for each condition" if len(conditions) > 1 else ""
    return f"{results.standings.name}: {shown}; {rules}; {results.plan.config.games:,} boards{each}"


def _what(column: ScoreColumn) -> str:
    """Return the name of a score for people."""
    return column.title or column.name


def _score_curves(results: Results, score: int, name: str) -> Iterator[Plot]:
    """Yield a score against everything that was varied, unless that takes too many panels."""
    for sweep in sweeps(results.plan.conditions):
        if len(sweep.series) > MAX_PANELS:
            continue
        figure = partial(curves.score_curves, results.standings, sweep, score=score)
        sentence = f"{_what(results.standings.scores[score])} against {_AXES[sweep.name]}"
        yield Plot(f"{file_name(name)}-{sweep.name}", sentence, figure)


def _distribution(results: Results, score: int, look: Mapping[str, PlotLook]) -> Figure:
    """Draw how a score of single games is spread, for every agent that has any, best first."""
    agents = [entry.label for entry in results.plan.entries]
    values = np.concatenate([block.values[score] for block in results.blocks.values()])
    order = [line.agent for line in results.standings.tables[0].standings]
    columns = {agent: values[:, agents.index(agent)] for agent in order}
    known = {agent: column[~np.isnan(column)] for agent, column in columns.items()}
    by_agent = {agent: column for agent, column in known.items() if len(column)}
    return pictures.distribution(results.standings.scores[score], by_agent, look)


def _spread(results: Results) -> int | None:
    """Return the first known score that takes more than two values in single games, or None."""
    columns = results.standings.scores
    known = [any(not np.isnan(block.values[i]).all() for block in results.blocks.values()) for i in range(len(columns))]
    return next((i for i, column in enumerate(columns) if known[i] and not column.proportion), None)
