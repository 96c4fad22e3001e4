"""The plots of a publication as figures of matplotlib, for notebooks and papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sweepstakes.drawing.picture import Picture
from sweepstakes.errors import RunError, brief, did_you_mean
from sweepstakes.leaderboards.plots import pictures
from sweepstakes.leaderboards.plots.plots import score_plots, time_plots
from sweepstakes.leaderboards.plots.style import PlotLook, looks, style
from sweepstakes.leaderboards.results import read_results
from sweepstakes.standings import Standings
from sweepstakes.tournaments.storage.run_reader import RunReader

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = Callable[[Mapping[str, PlotLook]], "Figure | Picture"]


def figure(drawn: Standings | RunReader, name: str) -> Figure:
    """Draw a plot of standings or of a run."""
    return _standings_figure(drawn, name) if isinstance(drawn, Standings) else _run_figure(drawn, name)


def _standings_figure(standings: Standings, name: str) -> Figure:
    """Draw a plot that needs the standings alone: `ranking`, `head-to-head` or `by-condition`."""
    if not standings.tables:
        raise RunError("no board has been played by every agent yet: there is nothing to draw")
    plots: dict[str, Draw] = {
        "ranking": lambda look: pictures.ranking(standings, look),
        "head-to-head": lambda look: pictures.head_to_head(standings),
    }
    if len(standings.tables) > 1:
        plots["by-condition"] = lambda look: pictures.by_condition(standings, look)
    return _draw(name, plots, [line.agent for line in standings.tables[0].standings])


def _run_figure(run: RunReader, name: str) -> Figure:
    """Draw a plot of a run, by the name that its file has in a publication."""
    results = read_results(run)
    plots: dict[str, Draw] = {
        plot.name: plot.draw for plot in [*score_plots(results), *time_plots(results)] if plot.dark
    }
    return _draw(name, plots, [entry.label for entry in run.agents])


def _draw(name: str, plots: Mapping[str, Draw], agents: list[str]) -> Figure:
    if name not in plots:
        raise RunError(f"no plot {brief(name)}{did_you_mean(name, list(plots))}")
    with style():
        drawn = plots[name](looks(agents))
    assert not isinstance(drawn, Picture)
    return drawn
