"""The options that `match` and `race` share, and the early start of the server that forks workers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import click

from sweepstakes.cli.options import (
    Decimal,
    F,
    executor_option,
    isolation_option,
    noise_option,
    plugin_option,
    start_method_option,
    workers_option,
)
from sweepstakes.cli.rule_options import rule_options
from sweepstakes.game.rules import CLASSIC, Rules
from sweepstakes.hosting.forked import end_early, start_early


class Contest(NamedTuple):
    """The one condition of a match or a race, what decides it, and how its games are played."""

    boards: str
    rules: Rules
    noise: str
    seed: int | str
    score: str | None
    workers: int | None
    executor: str | None
    isolation: str | None
    start_method: str | None
    plugins: tuple[str, ...]


def contest_options(command: F) -> F:
    """Add `--boards`, the rules, `--noise` and `--score`. The command gets these, `--seed` and `process_options` as
    `contest`.

    With the usual executor, the server that forks workers starts before the command is called.
    """

    @functools.wraps(command)
    def gathered(**options: Any) -> Any:
        contest = Contest(**{name: options.pop(name) for name in Contest._fields})
        if contest.executor is None and contest.start_method is None:
            start_server()
        return command(contest=contest, **options)

    boards = click.option(
        "--boards",
        default="intermediate",
        show_default=True,
        metavar="SIZE",
        help="Size of the boards, such as 16x30/99.",
    )
    score = click.option(
        "--score", metavar="SPEC", help="Score to compare.", show_default="win, or identified if the game continues"
    )
    return boards(rule_options(CLASSIC)(noise_option(score(gathered))))  # type: ignore[return-value]  # as click does


def lead_options(limit: int, about_delta: str) -> Callable[[F], F]:
    """`--delta`, and `--max` with an upper limit."""

    def decorate(command: F) -> F:
        delta = click.option(
            "--delta",
            type=Decimal(1e-6, 1e6),
            show_default="0.02 for shares, otherwise a tenth of the standard deviation",
            help=about_delta,
        )
        boards = click.IntRange(1, limit)
        most = click.option(
            "--max", "most", type=boards, default=30_000, show_default=True, help="Maximum number of boards."
        )
        return delta(most(command))

    return decorate


def process_options(command: F) -> F:
    """Add `--workers`, `--executor`, `--isolation`, `--start-method` and `--plugin`."""
    return workers_option(executor_option(isolation_option(start_method_option(plugin_option(command)))))


def start_server() -> None:
    """Start the server that forks workers, so that it imports while the command does."""
    start_early("sweepstakes.plugins.executors.local.worker:warm_up_early")
    click.get_current_context().call_on_close(end_early)
