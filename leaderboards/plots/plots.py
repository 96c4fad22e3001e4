"""All the plots of a publication: each where the results have what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from sweepstakes.leaderboards.plots.axes import sweeps
from sweepstakes.leaderboards.plots.longest_chain import longest_chain
from sweepstakes.leaderboards.results import Results

FEWEST_FOR_A_MAP = 3
MOST_PANELS = 9
_SENTENCES = {
    "score-density": "Score against mine density",
    "score-size": "Score against the size of the board",
    "score-noise": "Score against the rate of noisy clues",
    "by-condition": "Score under each condition",
    "ranking": "Agents by mean score; bars join those that cannot be told apart",
    "head-to-head": "Head to head on the same boards",
    "distribution": "How the scores of single games are spread",
    "time-density": "CPU time per game against mine density",
    "time-size": "CPU time per game against the size of the board",
    "time-noise": "CPU time per game against the rate of noisy clues",
}


class Plot(NamedTuple):
    """A picture that the results call for."""

    name: str
    """Of its files, without their endings."""
    sentence: str
    """What it shows, for readers and for those who cannot see it."""
    caption: str = ""
    """What stands below it."""


def planned(results: Results) -> list[Plot]:
    """The plots of the scores, in the order in which a page shows them; they depend on nothing but the games."""
    axes = sweeps(results.plan.conditions)
    names = [f"score-{sweep.name}" for sweep in axes]
    agents = len(results.plan.entries)
    names += ["by-condition"] if not names and 1 < len(results.blocks) <= MOST_PANELS else []
    names += ["ranking"] if agents > 1 else []
    names += ["head-to-head"] if agents >= FEWEST_FOR_A_MAP else []
    names += ["distribution"] if _spread(results) is not None else []
    plots = [Plot(name, _SENTENCES[name]) for name in names]
    for score in results.plan.scores[1:]:
        if score in results.plan.measures:
            plots += [Plot(f"{score}-{s.name}", _SENTENCES[f"score-{s.name}"].replace("Score", score)) for s in axes]
    if (longest := longest_chain(results)) is not None:
        command = longest.command(results.plan)
        caption = f"The longest chain of influence in this run. The game, turn by turn:\n\n    {command}"
        plots.append(Plot("longest-chain", "The longest chain of influence", caption))
    return plots


def planned_times(results: Results) -> list[Plot]:
    """The plots of the agents' times; none if no times are known."""
    if not results.standings.tables[0].timings:
        return []
    return [Plot(f"time-{s.name}", _SENTENCES[f"time-{s.name}"]) for s in sweeps(results.plan.conditions)]


def draw(results: Results, folder: Path) -> list[Path]:
    """Write every planned plot as SVG and PNG; what earlier results called for and these do not is removed."""
    from sweepstakes.leaderboards.plots import curves, longest_chain, pictures
    from sweepstakes.leaderboards.plots.style import looks, save, style

    standings = results.standings
    agents = [entry.label for entry in results.plan.entries]
    order = [line.agent for line in standings.tables[0].standings]
    look = looks(agents)
    axes = {sweep.name: sweep for sweep in sweeps(results.plan.conditions)}
    files: list[Path] = []
    with style():
        for name, *_ in [*planned(results), *planned_times(results)]:
            kind, _, axis = name.rpartition("-")
            if name == "ranking":
                figure = pictures.ranking(standings, look)
            elif name == "by-condition":
                figure = pictures.by_condition(standings, look)
            elif name == "head-to-head":
                figure = pictures.head_to_head(standings)
            elif name == "distribution":
                score = _spread(results)
                assert score is not None
                values = np.concatenate([block.values[score] for block in results.blocks.values()])
                columns = {agent: values[:, agents.index(agent)] for agent in order}
                known = {agent: column[~np.isnan(column)] for agent, column in columns.items()}
                by_agent = {agent: column for agent, column in known.items() if len(column)}
                figure = pictures.distribution(standings.scores[score], by_agent, look)
            elif name == "longest-chain":
                found = longest_chain.longest_chain(results)
                assert found is not None
                figure = longest_chain.picture(results, found)
            elif kind == "time":
                figure = curves.time_curves(standings, axes[axis], look)
            else:
                score = results.plan.scores.index(kind) if kind != "score" else 0
                figure = curves.score_curves(standings, axes[axis], look, score)
            files += save(figure, folder, name)
    for name in _SENTENCES:
        for old in (folder / f"{name}.svg", folder / f"{name}.png"):
            if old not in files and (not name.startswith("time-") or planned_times(results)):
                old.unlink(missing_ok=True)
    return files


def _spread(results: Results) -> int | None:
    """The first score that is known and whose single games are more than yes or no; None if there is none."""
    columns = results.standings.scores
    known = [any(not np.isnan(block.values[i]).all() for block in results.blocks.values()) for i in range(len(columns))]
    return next((i for i, column in enumerate(columns) if known[i] and not column.proportion), None)
