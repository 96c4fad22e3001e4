"""Exceptions of third-party code: their class, text and traceback, read safely.

Third-party code defines the class, name, text and traceback of its exceptions: each may be false, raise another
exception, or be as long as memory allows.
"""

from __future__ import annotations

import signal
import traceback
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any

from sweepstakes.untrusted.text import MAX_LENGTH, clean

DEEPEST = 10_000
"""Largest number of traceback entries that are read. A real one has fewer; a forged one may have more."""
_PACKAGE = Path(__file__).parents[1]
_PLUGINS = _PACKAGE / "plugins"
_NO_FRAME = "error return without exception set"
_NAME = type.__dict__["__name__"].__get__  # that of a metaclass could run third-party code
_TRACEBACK = BaseException.__dict__["__traceback__"].__get__  # that of a subclass could run third-party code


def is_ctrl_c(error: BaseException) -> bool:
    """Return whether an error may be the user's Ctrl-C, which must stop the program.

    Python's handler of Ctrl-C raises a KeyboardInterrupt without arguments. In a process without that handler, such as
    a worker of a tournament, only third-party code can have raised it. In a process with the handler, the two cannot be
    distinguished.
    """
    if type(error) is not KeyboardInterrupt or error.args:
        return False
    return callable(signal.getsignal(signal.SIGINT))  # SIG_IGN and SIG_DFL raise nothing


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an exception was caused by a lack of memory.

    If there is not enough memory for the frame of a function, Python 3.11 and 3.12 forget to set a `MemoryError`.
    """
    if type(error) is SystemError and len(error.args) == 1 and type(error.args[0]) is str:
        return error.args[0] == _NO_FRAME
    return issubclass(type(error), MemoryError)


def class_name(thing: Any) -> str:
    """Return the name of the class of a value, cleaned."""
    return clean(_NAME(type(thing)), 60)


def text_of(error: BaseException, longest: int = MAX_LENGTH) -> str:
    """Return the cleaned text of an exception, or "" if it has no text or raises when it is read."""
    try:
        return clean(str(error), longest)
    except BaseException as another:  # a third-party `__str__` may raise anything
        if is_ctrl_c(another):
            raise
        return ""


def describe_error(error: BaseException, longest: int = MAX_LENGTH) -> str:
    """Return the exception in one line, as in `ValueError: no idea`."""
    return clean(f"{class_name(error)}: {text_of(error, longest)}".rstrip(": "), longest)


def traceback_entries(error: BaseException) -> list[tuple[str, int | None, tuple[str, ...]]]:
    """Return the entries of the traceback, outermost first: file, line if known, and names of local variables."""
    entries: list[tuple[str, int | None, tuple[str, ...]]] = []
    trace: TracebackType | None = _TRACEBACK(error)
    while trace is not None and len(entries) < DEEPEST:
        code = trace.tb_frame.f_code
        entries.append((str.__str__(code.co_filename), trace.tb_lineno, code.co_varnames))
        trace = trace.tb_next
    return entries


def trace_of(error: BaseException) -> str:
    """Return the traceback from the agent's first frame on, or only the error's text if that cannot be read."""
    try:
        trace: TracebackType | None = error.__traceback__
        while trace is not None and is_ours(trace.tb_frame.f_code.co_filename):
            trace = trace.tb_next
        return "".join(traceback.format_exception(type(error), error, trace, chain=False))
    except BaseException:  # noqa: BLE001 - an exception's text and traceback may raise anything
        return describe_error(error)


def is_ours(file: str) -> bool:
    """Return whether a file of a traceback is part of this package, except plugins, which may be at fault."""
    path = PurePath(file)
    return path.is_relative_to(_PACKAGE) and not path.is_relative_to(_PLUGINS)
