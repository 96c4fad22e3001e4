"""What third-party code raised: whose it is and what it says, without trusting a word of it.

An exception's class, name, text and traceback are its author's: each may lie, raise, or be as long as memory allows.
"""

from __future__ import annotations

import signal
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any

from sweepstakes.untrusted.text import LONGEST, clean

DEEPEST = 10_000
"""Entries of a traceback that are looked at: more than Python's own stack has, unless somebody made them."""
_PACKAGE = Path(__file__).parents[1]
_PLUGINS = _PACKAGE / "plugins"
_NAME = type.__dict__["__name__"].__get__  # not that of a metaclass, which could run code of its own
_TRACEBACK = BaseException.__dict__["__traceback__"].__get__  # not that of a subclass


def is_ctrl_c(error: BaseException) -> bool:
    """Whether this may be the user's Ctrl-C, which stops the program, and is not what the third-party code raised.

    Python's handler of Ctrl-C raises a bare KeyboardInterrupt. A process that does not listen to Ctrl-C, as the
    workers of a tournament, has no user: there it is the third party's. Where it does listen, the two look the same.
    """
    if type(error) is not KeyboardInterrupt or error.args:
        return False
    return callable(signal.getsignal(signal.SIGINT))  # SIG_IGN and SIG_DFL raise nothing


def class_name(thing: Any) -> str:
    """The name of the thing's class, cleaned."""
    return clean(_NAME(type(thing)), 60)


def text_of(error: BaseException, longest: int = LONGEST) -> str:
    """The exception's own text, cleaned; nothing if it has none or does not give it."""
    try:
        return clean(str(error), longest)
    except BaseException as another:  # an exception's own text may raise anything
        if is_ctrl_c(another):
            raise
        return ""


def describe_error(error: BaseException, longest: int = LONGEST) -> str:
    """The exception in a line, as `ValueError: no idea`."""
    return clean(f"{class_name(error)}: {text_of(error, longest)}".rstrip(": "), longest)


def traceback_entries(error: BaseException) -> list[tuple[str, int | None, tuple[str, ...]]]:
    """Where it came by, from the outside in: the file, the line if it is known, and the function's local names."""
    found: list[tuple[str, int | None, tuple[str, ...]]] = []
    trace: TracebackType | None = _TRACEBACK(error)
    while trace is not None and len(found) < DEEPEST:
        code = trace.tb_frame.f_code
        found.append((str.__str__(code.co_filename), trace.tb_lineno, code.co_varnames))
        trace = trace.tb_next
    return found


def is_ours(file: str) -> bool:
    """Whether a file of a traceback is part of this package; a plugin that comes with it is not: it may be at fault."""
    path = PurePath(file)
    return path.is_relative_to(_PACKAGE) and not path.is_relative_to(_PLUGINS)
