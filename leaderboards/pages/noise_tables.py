"""The tables by condition, one for each noise, of a leaderboard whose conditions are noises at several rates."""

from __future__ import annotations

from sweepstakes.leaderboards.results import Results
from sweepstakes.markup import escape_markdown as escape
from sweepstakes.tables import Grid, decimals, markdown_table, number
from sweepstakes.tournaments.condition_words import noise_kind
from sweepstakes.tournaments.sweeps import sweeps


def noise_tables(results: Results) -> str:
    """Return the ranking score by noise and rate: a line for each agent, a column for each rate. Empty for other
    conditions."""
    sweep = next((sweep for sweep in sweeps(results.plan.conditions) if sweep.name == "noise"), None)
    tables = {table.condition: table for table in results.standings.tables[1:]}
    if sweep is None or {c.label for series in sweep.series for _, c in series.points} != set(tables):
        return ""
    column = results.standings.scores[0]
    digits = decimals(line.scores[0].mean for table in tables.values() for line in table.standings)
    parts = [f"Mean of {escape(column.head)}, by noise and by its rate, the probability that a clue is noisy:"]
    for series in sweep.series:
        columns = [{line.agent: line.scores[0].mean for line in tables[c.label].standings} for _, c in series.points]
        heads = ["agent", *(f"rate {rate:g}" for rate, _ in series.points)]
        lines = [
            [escape(line.agent), *(number(means[line.agent], column, digits) for means in columns)]
            for line in results.standings.tables[0].standings
        ]
        title = series.title or noise_kind(series.points[-1][1].noise)
        parts += [f"**{escape(title)}**", markdown_table(Grid(heads, lines, 1))]
    return "\n\n".join(parts)
