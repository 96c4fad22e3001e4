"""The output of `race`: the winner, when and why agents dropped out, and a plot of the differences to the leader."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from sweepstakes.drawing.agent_looks import COLOURS, agent_looks
from sweepstakes.score import bounds_of
from sweepstakes.standings import Interval
from sweepstakes.tables import Grid, join_words, markdown_table, rounded, signed
from sweepstakes.tournaments.race import RacePlayer, RaceResult
from sweepstakes.tournaments.running.progress import in_words
from sweepstakes.tournaments.statistics.betting import Bets
from sweepstakes.tournaments.statistics.confidence_sequence import half_width
from sweepstakes.tournaments.statistics.sequential_race import FAULTS, Outcome, SequentialRace, misses_of
from sweepstakes.tournaments.statistics.sequential_test import ALPHA, BATCH, Method
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.untrusted.text import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "race.csv"
"""The table of a race, in its run directory."""
MAX_POINTS = 60
"""Maximum number of points of a line in the plot."""
_GREY = "#6B6B6B"


def race_lines(result: RaceResult) -> Iterator[str]:
    """Yield the outcome, the winner's interval, the error guarantee, the games, and the table."""
    yield outcome_line(result)
    if result.broken:
        return
    yield from _fresh_lines(result)
    yield promise(result.method)
    race = result.race
    played, full = sum(result.boards), race.agents * race.boards
    if full:
        yield f"games: {played:,} in the race; {full:,} if no agent had left"
    if note := result.games.on_understated(result.boards):
        yield note
    yield ""
    yield markdown_table(race_grid(result))


def outcome_line(result: RaceResult) -> str:
    """Return who won, or between which agents the race was not decided."""
    race = result.race
    labels = _labels(result)
    if result.broken:
        return f"{join_words([labels[a] for a in result.broken])} finished no game, so there is no race."
    after = f"after {race.boards:,} board{'s' * (race.boards != 1)}"
    leader, inside = labels[race.leader], join_words([labels[a] for a in race.order if a in race.inside])
    if race.outcome is Outcome.ONE:
        return f"{leader} wins the race of {race.agents} agents {after}."
    if race.outcome is Outcome.EVEN:
        return f"{inside} are left {after}; none of them differs from the leader {leader} by {race.delta:.3g} or more."
    if race.outcome is Outcome.MAXIMUM:
        return f"{inside} are left {after}, the maximum; {leader} leads."
    if not race.boards:
        return f"The race was stopped before all agents had played {BATCH} boards; run the same command to resume it."
    return f"{inside} are still in the race {after}; {leader} leads. Run the same command to resume it."


def promise(method: Method) -> str:
    """Return the error guarantee of the race, which depends on the score."""
    what = f"the best agent is dropped in at most {100 * ALPHA:.0f} % of all races"
    if method is Method.BETTING:
        return f"error guarantee: {what}, whatever the distribution of the scores"
    return f"approximate error guarantee: {what} (at most 6 % in simulations from stored games)"


def _fresh_lines(result: RaceResult) -> Iterator[str]:
    race, fresh = result.race, result.fresh
    labels, name = _labels(result), result.games.plan.scores[0]
    if fresh is None:
        if race.over:
            yield "the winner has no interval yet: run the same command again to play boards for it"
        return
    whose = labels[race.leader]
    yield (
        f"{name} of {whose}: {_estimate(result, fresh.score)}, "
        f"on {fresh.boards:,} further board{'s' * (fresh.boards != 1)} that were not used for choosing it"
    )
    if fresh.rival is not None and fresh.lead is not None:
        yield f"lead over {labels[fresh.rival]} on these boards: {_estimate(result, fresh.lead, difference=True)}"


def _estimate(result: RaceResult, value: Interval, *, difference: bool = False) -> str:
    scale = result.games.column.scale
    unit = "" if scale == 1 else " points" if difference else " %"
    texts = [signed(scale * x, 1) if difference else f"{scale * x:.1f}" for x in value]
    if scale == 1:
        texts = [f"{x:+.4g}" if difference else f"{x:.4g}" for x in value]
    return f"{texts[0]}{unit} (95 % interval {texts[1]} to {texts[2]})"


def race_grid(result: RaceResult) -> Grid:
    """Return the table: every agent with its boards and its mean score there, when it left and why."""
    race, labels = result.race, _labels(result)
    name = result.games.plan.scores[0]
    left = {leaving.agent: leaving for leaving in race.left}
    lines = []
    for place, agent in enumerate(race.order, 1):
        lead = _difference(result, agent)
        if agent not in left:
            why = _stays(race, agent)
        elif left[agent].better == FAULTS:
            why = result.games.plan.entries[agent].forfeit or "lost its first games by faults"
            why = f"left after {left[agent].boards}: {clean(why, 120)}"
        else:
            why = f"left after {left[agent].boards:,}: {labels[left[agent].better]} is better"
        boards = result.boards[agent]
        mean = result.games.sign * float(race.means[agent]) if race.boards and lead is not None else math.nan
        lines.append([str(place), labels[agent], f"{boards:,}", _number(result, mean), _lead_text(result, lead), why])
    return Grid(["#", "agent", "boards", name, "to the leader", "in the race"], lines, 2)


def _stays(race: SequentialRace, agent: int) -> str:
    if race.outcome is Outcome.ONE:
        return "wins"
    if agent == race.leader:
        return "leads" if not race.over else "stays, leads"
    return f"stays, within {race.delta:.3g} of the leader" if race.outcome is Outcome.EVEN else "stays"


def _number(result: RaceResult, value: float) -> str:
    if math.isnan(value):
        return "-"
    column = result.games.column
    return f"{rounded(column.scale * value, 1)} %" if column.percent else f"{value:.4g}"


def _lead_text(result: RaceResult, lead: Interval | None) -> str:
    if lead is None or lead == (0, 0, 0):
        return "-"
    scale = result.games.column.scale
    return " to ".join(signed(scale * end, 1) if scale == 100 else f"{end:+.3g}" for end in lead[1:])


def _difference(result: RaceResult, agent: int, boards: int | None = None) -> Interval | None:
    """Return the mean difference of an agent to the leader over the boards that it played, with its interval.

    It is None without such boards, and (0, 0, 0) for the leader.
    """
    race, values = result.race, result.games.values
    last = result.boards[agent] if boards is None else boards
    if agent == race.leader:
        return Interval(0.0, 0.0, 0.0)
    differences = values[agent, :last] - values[race.leader, :last]
    differences = differences[~np.isnan(differences)]
    if len(differences) < 2 or last > race.boards:
        return None
    mean, misses = float(differences.mean()), misses_of(race.level)
    if result.method is Method.BETTING:
        low, high = bounds_of(result.games.score, result.games.plan.scores[0], result.games.plan.conditions[0].size)
        bets = Bets(high - low)
        bets.add(differences)
        return bets.interval(mean, misses)
    scatter = float(np.square(differences - mean).sum())
    half = float(half_width(len(differences), scatter, float(np.abs(differences).max()), misses))
    return Interval(mean, mean - half, mean + half)


def progress_line(player: RacePlayer, seconds: float) -> str:
    """Return the state of the race after a round, in one line: who is in, who left last, and the estimated rest."""
    race, plan = player.race, player.plan
    labels = [entry.label for entry in plan.entries]
    line = f"{race.boards:>7,} boards: {len(race.inside)} of {race.agents} in the race, {labels[race.leader]} leads"
    others = [labels[agent] for agent in race.order if agent in race.inside and agent != race.leader]
    if others:
        line += f" {join_words(others[:3])}" + f" and {len(others) - 3} more" * (len(others) > 3)
    gone = [labels[leaving.agent] for leaving in race.left if leaving.boards == race.boards and race.boards]
    if gone:
        line += f"; {join_words(gone)} left"
    if race.over:
        return f"{line}; the race is over"
    games = sum(race.boards_left().values()) + 2 * player.fresh
    line += f"; about {float(f'{games:.2g}'):,.0f} games left"
    if player.finished:
        line += f", {in_words(games * seconds / player.finished)}"
    return line


def race_csv(result: RaceResult) -> str:
    """Return the table for programs: the mean score over the agent's boards, and its difference to the leader there."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["place", "agent", "boards", "score", "difference", "low", "high", "state", "better"])
    race, labels = result.race, _labels(result)
    left = {leaving.agent: leaving for leaving in race.left}
    for place, agent in enumerate(race.order, 1):
        better = left[agent].better if agent in left else FAULTS
        state = "in" if agent not in left else "faults" if better == FAULTS else "left"
        lead = _difference(result, agent)
        numbers = ["", "", ""] if lead is None else [repr(round(value, 12)) for value in lead]
        mean = repr(round(result.games.sign * float(race.means[agent]), 12))
        rival = labels[better] if better != FAULTS else ""
        writer.writerow([place, labels[agent], result.boards[agent], mean, *numbers, state, rival])
    return out.getvalue()


def write_race(result: RaceResult, folder: Path) -> list[Path]:
    """Write the table as Markdown and csv, and the plot, into the run directory; return their paths."""
    files = [folder / "race.md", folder / FILE]
    write_text(files[0], "\n".join(race_lines(result)) + "\n")
    write_text(files[1], race_csv(result))
    if result.race.boards:
        figure = race_plot(result)
        for file in (folder / "race.svg", folder / "race.png"):
            figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
            files.append(file)
    return files


def race_plot(result: RaceResult) -> Figure:
    """Plot the difference of each agent to the leader over the boards. A line ends where its agent dropped out."""
    from matplotlib.figure import Figure  # slow to import

    race, labels = result.race, _labels(result)
    looks = agent_looks(labels)
    scale = result.games.column.scale
    figure = Figure(figsize=(9, 5.2), layout="constrained", dpi=120)
    axes = figure.add_subplot()
    axes.axhline(0, color="#222222", linewidth=1.6)
    axes.plot([], [], color="#222222", linewidth=1.6, label=_plain(f"{labels[race.leader]} (0)"))
    faulty = {leaving.agent for leaving in race.left if leaving.better == FAULTS}
    for agent in race.order:
        if agent == race.leader or agent in faulty:
            continue
        look = looks[labels[agent]]
        colour = COLOURS[look.colour]
        last = result.boards[agent]
        rounds = [*range(BATCH, last, BATCH), last]
        chosen = [rounds[i] for i in np.unique(np.linspace(0, len(rounds) - 1, MAX_POINTS).round().astype(int))]
        found = [(boards, interval) for boards in chosen if (interval := _difference(result, agent, boards))]
        if not found:
            continue
        x = [boards for boards, _ in found]
        mean, low, high = (np.array([scale * interval[part] for _, interval in found]) for part in range(3))
        inside = agent in race.inside
        dash = ("-", "--", ":", "-.")[look.dash]
        name = labels[agent] if inside else f"{labels[agent]}, {last:,}"
        mark = "o" if inside else "x"
        axes.plot(x, mean, dash, color=colour, linewidth=1.6)
        axes.fill_between(x, low, high, color=colour, alpha=0.1, linewidth=0)
        axes.plot(x[-1:], mean[-1:], mark, color=colour, markersize=6, markeredgewidth=1.8, zorder=3)
        axes.plot([], [], dash, color=colour, linewidth=1.6, marker=mark, markeredgewidth=1.8, label=_plain(name))
        if len(x) == 1:
            axes.plot([x[0]] * 2, [low[0], high[0]], color=colour, alpha=0.4, linewidth=1)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8, title="agent, boards", title_fontsize=8)
    unit = ", percentage points" if scale == 100 else ""
    axes.set_xscale("log")  # most agents leave early
    axes.set_xlim(0.93 * BATCH, max(race.boards, 2 * BATCH) * 1.05)
    ticks = [n for n in (k * 10**e for e in range(2, 8) for k in (1, 2, 5)) if n <= max(race.boards, 2 * BATCH)]
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("boards")
    less = "" if result.games.score.more_is_better else " (turned round: higher is better)"
    axes.set_ylabel(f"{result.games.column.title or result.games.column.name}: difference to the leader{unit}{less}")
    axes.grid(color="#E3E3E3", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(_plain(fill(outcome_line(result), 90)), loc="left", fontsize=10)
    level = 100 * (1 - misses_of(race.level))
    about = f"Bands: {level:.3g} % intervals of each pair, at all boards together. x: the agent left; o: it stayed."
    figure.supxlabel(about, fontsize=8, color=_GREY)
    return figure


def _labels(result: RaceResult) -> list[str]:
    return [entry.label for entry in result.games.plan.entries]


def _plain(text: str) -> str:
    """Escape a text for matplotlib, so that dollar signs do not begin a formula."""
    return text.replace("$", r"\$")
