"""What `sweepstakes compare` does."""

from __future__ import annotations

from contextlib import ExitStack

import click

from sweepstakes.tournaments.comparison import compare as compare_agents
from sweepstakes.tournaments.storage.opening import open_reader


def compare(
    directory: str,
    first: str,
    second: str | None,
    other: str | None,
    score: str | None,
    condition: str | None,
    most: int,
    plugins: tuple[str, ...],
) -> None:
    """Print the comparison of two agents."""
    with ExitStack() as runs:
        run = runs.enter_context(open_reader(directory, plugins))
        other_run = runs.enter_context(open_reader(other, plugins)) if other is not None else None
        compared = compare_agents(run, first, second, other=other_run, score=score, condition=condition, most=most)
    click.echo(str(compared))
