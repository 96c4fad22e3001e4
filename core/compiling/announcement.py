"""Announce on the screen that the inner loops are being compiled, or that loading them takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import click
from numba.core import event

from sweepstakes.compiling import cache

PATIENCE = 1.5
"""Seconds before anything is printed. Loading everything from the cache is faster, unless the machine is busy."""
_COMPILING = "numba:compile"


class _Announcement(event.Listener):
    """Prints once what is being done, after it has taken a while."""

    def __init__(self) -> None:
        self._begun = perf_counter()
        self._lock = threading.Lock()
        self._compiling = self._patient = self._over = False
        self._printed = ""

    def on_start(self, event: event.Event) -> None:
        """Numba calls this when it begins to compile a function that is not in its cache."""
        with self._lock:
            self._compiling = True
            self._print()

    def on_end(self, event: event.Event) -> None:
        """Numba calls this when the function is compiled."""

    def on_time(self) -> None:
        """Print the message if there is something to announce. The timer calls this."""
        with self._lock:
            self._patient = True
            self._print()

    def _print(self) -> None:
        what = _compiling() if self._compiling else "loading the compiled inner loops"
        if self._patient and not self._over and what != self._printed:
            click.echo(f"{self._seconds()}{what} ...", err=True, nl=False)
            sys.stderr.flush()
            self._printed = what

    def _seconds(self) -> str:
        return f" {perf_counter() - self._begun:.0f} s\n" if self._printed else ""

    def end(self) -> None:
        """End the line."""
        with self._lock:
            self._over = True
            click.echo(self._seconds(), err=True, nl=False)


@contextmanager
def announced() -> Iterator[None]:
    """Announce loading or compiling in this block, with its duration, if it takes more than `PATIENCE` seconds."""
    announcement = _Announcement()
    timer = threading.Timer(PATIENCE, announcement.on_time)
    timer.start()
    try:
        with event.install_listener(_COMPILING, announcement):
            yield
    finally:
        timer.cancel()
        timer.join()
        announcement.end()


def _compiling() -> str:
    how = "once in this environment"
    if cache.is_private():
        how = "for this time only: no folder for numba's cache can be written (NUMBA_CACHE_DIR may name one)"
    return f"compiling the inner loops, {how}"
