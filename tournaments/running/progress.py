"""The progress bar of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import Any

import click


class Progress:
    """Shows how many games have finished: a bar in a terminal, otherwise a line every few seconds; nothing if quiet.

    `standing` returns a text to show beside the count.
    """

    def __init__(self, total: int, done: int, *, quiet: bool, standing: Callable[[], str] | None = None) -> None:
        self._total, self._done, self._done_at_start = total, done, done
        self._standing = standing
        self._started = self._shown = monotonic()
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
                TextColumn("{task.fields[standing]}", markup=False),  # names of agents may look like markup
                console=Console(stderr=True),
                transient=True,
                auto_refresh=False,  # no thread: worker processes are forked meanwhile
            )
            self._task = self._bar.add_task("games", total=total, completed=done, rate="", standing="")
            self._bar.start()

    def advance(self, games: int) -> None:
        """Count `games` more finished games and refresh the display."""
        self._done += games
        now = monotonic()
        rate = (self._done - self._done_at_start) / max(now - self._started, 1e-9)
        if self._bar is not None:
            if now - self._shown > 0.1 or self._done == self._total:
                self._shown = now
                text = self._standing() if self._standing else ""
                self._bar.update(
                    self._task, completed=self._done, rate=f"{rate:,.0f} games/s", standing=text, refresh=True
                )
        elif not self._quiet and now - self._shown > 5:
            self._shown = now
            left = (self._total - self._done) / max(rate, 1e-9)
            line = f"{self._done:,} of {self._total:,} games, {rate:,.0f}/s, {left:,.0f} s left"
            if self._standing:
                line += f"; {self._standing()}"
            click.echo(line, err=True)

    def close(self) -> None:
        """Remove the bar from the screen."""
        if self._bar is not None:
            self._bar.stop()
