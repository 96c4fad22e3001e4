"""`sweepstakes compare`: two agents on the boards that both have played."""

from __future__ import annotations

import click

from sweepstakes.cli.options import plugin_option


@click.command("compare")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@click.option(
    "--with", "other", metavar="RUN|PUBLISHED", help="The run of B, by default the same; B is then A if left out."
)
@click.option("--score", metavar="SPEC", help="The score to compare by, instead of the one that ranks.")
@click.option("--condition", metavar="TEXT", help="Compare only under conditions whose label contains TEXT.")
@click.option(
    "--boards",
    "most",
    type=click.IntRange(0, 1000),
    default=5,
    show_default=True,
    metavar="N",
    help="List at most N boards on which they differ.",
)
@plugin_option
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
    """Compare two agents of a run, of two runs, or two versions of one agent, on the boards that both have played.

    A and B are agents as tables print them. Prints the paired difference of their scores, over all conditions and under
    each, and the boards on which they differ most, with the commands that show these games.
    """
    from contextlib import ExitStack

    from sweepstakes.tournaments.comparison import compare as compare_agents
    from sweepstakes.tournaments.storage.stored_run import open_run

    with ExitStack() as runs:
        run = runs.enter_context(open_run(directory, plugins))
        other_run = runs.enter_context(open_run(other, plugins)) if other is not None else None
        compared = compare_agents(run, first, second, other=other_run, score=score, condition=condition, most=most)
    click.echo(str(compared))
