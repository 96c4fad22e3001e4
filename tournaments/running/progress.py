"""What is on the screen while games are played."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import Any

import click


class Progress:
    """Counts finished games: a bar in a terminal, a line every few seconds elsewhere, nothing when quiet."""

    def __init__(self, total: int, done: int, *, quiet: bool, standing: Callable[[], str] | None = None) -> None:
        self._total, self._done, self._begun_with = total, done, done
        self._standing = standing
        self._begun = self._said = monotonic()
        self._bar: Any = None
        self._quiet = quiet
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[standing]}", markup=False),  # it has names of agents
                console=Console(stderr=True),
                transient=True,
                auto_refresh=False,  # no thread of its own: worker processes are started meanwhile
            )
            self._task = self._bar.add_task("games", total=total, completed=done, rate="", standing="")
            self._bar.start()

    def advance(self, games: int) -> None:
        """So many more games are finished."""
        self._done += games
        now = monotonic()
        rate = (self._done - self._begun_with) / max(now - self._begun, 1e-9)
        if self._bar is not None:
            if now - self._said > 0.1 or self._done == self._total:
                self._said = now
                text = self._standing() if self._standing else ""
                self._bar.update(
                    self._task, completed=self._done, rate=f"{rate:,.0f} games/s", standing=text, refresh=True
                )
        elif not self._quiet and now - self._said > 5:
            self._said = now
            left = (self._total - self._done) / max(rate, 1e-9)
            line = f"{self._done:,} of {self._total:,} games, {rate:,.0f}/s, {left:,.0f} s left"
            if self._standing:
                line += f"; {self._standing()}"
            click.echo(line, err=True)

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
