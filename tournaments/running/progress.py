"""The progress bar of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import Any

import click

LINE_SECONDS = 5.0
"""Seconds between two lines where there is no terminal."""


def in_words(seconds: float) -> str:
    """Return a time, as in 40 s, 5 min or 2.5 h."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


class Progress:
    """Shows how many games have finished: a bar in a terminal, otherwise a line every few seconds; nothing if quiet.

    `standing` returns a text to show next to the count, including the time left. Without it, the time left is estimated
    from the games so far.
    """

    def __init__(self, total: int, done: int, *, quiet: bool, standing: Callable[[], str] | None = None) -> None:
        self._total, self._done, self._done_at_start = total, done, done
        self._standing = standing
        self._started = self._shown = monotonic()
        self._bar: Any = None
        self._quiet = quiet
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
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
        if self._bar is not None:
            if now - self._shown > 0.1 or self._done == self._total:
                self._shown = now
                rate = f"{self._rate(now):,.0f} games/s"
                self._bar.update(self._task, completed=self._done, rate=rate, standing=self._text(now), refresh=True)
        elif not self._quiet and now - self._shown > LINE_SECONDS:
            self._shown = now
            count = f"{self._done:,} of {self._total:,} games, {self._rate(now):,.0f}/s"
            click.echo("; ".join(filter(None, (count, self._text(now)))), err=True)

    def _rate(self, now: float) -> float:
        return (self._done - self._done_at_start) / max(now - self._started, 1e-9)

    def _text(self, now: float) -> str:
        if self._standing is not None:
            return self._standing()
        rate = self._rate(now)
        return f"about {in_words((self._total - self._done) / rate)} left" if rate > 0 else ""

    def close(self) -> None:
        """Remove the bar from the screen."""
        if self._bar is not None:
            self._bar.stop()
