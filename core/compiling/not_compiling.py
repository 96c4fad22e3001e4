"""Forbid compiling: compiled kernels can be used, but nothing new is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from numba.core import event

from sweepstakes.compiling import compile_locks

_COMPILING = "numba:compile"


class NotCompiledError(Exception):
    """A kernel is needed that has not been compiled on this machine."""


class Refusal(event.Listener):
    """Raises an exception when numba begins to compile."""

    def __init__(self) -> None:
        self.refused = False
        """Whether something had to be compiled. The exception itself may have been mistaken for an agent's error."""

    def on_start(self, event: event.Event) -> None:
        """Numba calls this when it begins to compile a function that is not in its cache."""
        self.refused = True
        raise NotCompiledError

    def on_end(self, event: event.Event) -> None:
        """Do nothing. This is never called."""


@contextmanager
def without_compiling() -> Iterator[Refusal]:
    """Raise `NotCompiledError` if something would have to be compiled in this block and this process."""
    refusal = Refusal()
    try:
        with event.install_listener(_COMPILING, refusal):
            yield refusal
    finally:
        compile_locks.release_all()
