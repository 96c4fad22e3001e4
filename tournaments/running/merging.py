"""Merges runs that played shares of one tournament into one run, whose tables are those of a single run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.errors import RunError
from sweepstakes.standings import Standings
from sweepstakes.tournaments.config.loading import as_yaml
from sweepstakes.tournaments.running.runner import write_tables
from sweepstakes.tournaments.running.time_out_forfeits import forfeit_merged
from sweepstakes.tournaments.shard import Shard
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.joining import merge_games
from sweepstakes.tournaments.storage.opening import open_reader
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.tournaments.storage.run_writer import RunWriter
from sweepstakes.untrusted.text import clean

SAME = ("name", "games", "limits", "isolation", "moves")
"""The keys of a tournament file that must be the same, besides what makes its conditions, agents and scores."""
_MAX_LINES = 20


class Merged(NamedTuple):
    """The result of merging runs."""

    games: int
    """Games that the merged run has."""
    missing: list[str]
    """Sentences about missing games; empty if the tournament is complete."""
    standings: Standings | None
    """None if games are missing, since then no tables were written."""


def merge_runs(directories: Sequence[Path], out: Path, plugins: tuple[str, ...] = ()) -> Merged:
    """Merge several runs into one. Raise `RunError` if their tournaments differ or if a game has two results.

    The run `out` may exist. The merged games are then added to it.
    """
    with ExitStack() as stack:
        runs = []
        for directory in directories:
            if out.exists() and directory.exists() and out.samefile(directory):
                raise RunError(f"{out}: this is one of the runs to merge: expected another directory for --out")
            runs.append(stack.enter_context(open_reader(directory, plugins)))
        first = runs[0]
        for run in runs[1:]:
            _check_same(first, run)
        seed = first.secret.seed if first.secret is not None else None
        merged = stack.enter_context(closing(RunWriter(out, first.plan, first.registry, seed)))
        write_text(out / "tournament.yaml", as_yaml(first.config))
        merge_games(merged, runs)
        forfeit_merged(merged)
        missing = list(_missing(merged, runs))
        standings = None if missing else write_tables(merged)
        return Merged(merged.finished(), missing, standings)


def _check_same(one: RunReader, other: RunReader) -> None:
    """Raise `RunError` if two runs are of different tournaments. The message names both and the difference."""
    for what, a, b in _parts(one, other):
        if a != b:
            found = f"{what} {clean(str(a), 100)} in {one.directory}, but {clean(str(b), 100)} in {other.directory}"
            raise RunError(f"runs of different tournaments cannot be merged: {found}")


def _parts(one: RunReader, other: RunReader) -> Iterator[tuple[str, Any, Any]]:
    """Yield what two runs must have in common: its description, its value in one run and in the other."""

    def seeds(run: RunReader) -> str:
        return ", ".join(dict.fromkeys(condition.seed_text for condition in run.conditions))

    yield "the seed is", seeds(one), seeds(other)
    for key in SAME:
        yield f"`{key}` is", getattr(one.config, key), getattr(other.config, key)
    yield "the scores are", ", ".join(one.plan.scores), ", ".join(other.plan.scores)
    yield "the conditions are", [c.label for c in one.conditions], [c.label for c in other.conditions]
    for a, b in zip(one.conditions, other.conditions, strict=True):
        yield f"condition '{a.label}' has", a.plain(), b.plain()
    yield "the agents are", [e.label for e in one.agents], [e.label for e in other.agents]
    for entry, same in zip(one.agents, other.agents, strict=True):
        yield f"agent '{entry.label}' is", entry.plain(), same.plain()


def _missing(merged: RunWriter, runs: Sequence[RunReader]) -> Iterator[str]:
    """Say what the merged run lacks: by shard, if all runs are shards of the same division; otherwise by agent."""
    pending = merged.pending()
    if not pending:
        return
    yield f"{pending:,} of {merged.plan.games:,} games are missing"
    played = {shard: run for run in runs if (shard := run.shard) is not None}
    totals = {shard.total for shard in played}
    lines = []
    if len(totals) == 1:
        (total,) = totals
        for shard in (Shard(number, total) for number in range(1, total + 1)):
            if lacking := merged.pending(shard):
                if shard not in played:
                    what = "it is in none of these runs"
                elif played[shard].finished() < shard.games(merged.plan):
                    what = f"{played[shard].directory} is not finished"
                else:  # five time-outs in a row on its own boards need not be in a row on all boards
                    command = shlex.join(["sweepstakes", "run", str(merged.directory), "--out", str(merged.directory)])
                    what = f"forfeited after time-outs in {played[shard].directory} only; `{command}` plays them"
                lines.append(f"shard {shard}: {what}, {lacking:,} games")
    else:
        for place, entry in enumerate(merged.agents):
            if lacking := sum(len(chunk.numbers) for chunk in merged.missing() if chunk.agent == place):
                lines.append(f"agent '{clean(entry.label, 60)}': {lacking:,} games")
    yield from lines[:_MAX_LINES]
    if len(lines) > _MAX_LINES:
        yield f"and {len(lines) - _MAX_LINES} more"
