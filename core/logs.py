"""The log: every trusted process appends its lines to one file, if the user wants one. Otherwise nothing is written.

`--log FILE` and `SWEEPSTAKES_LOG=FILE` name the file. A process finds its path in the environment when it starts.
Hosts, in which third-party code runs, never get the path and never have the file open: the referee and the server log
what happens to them. Turns are not logged, except that `-v` logs the lines exchanged with programs.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from sweepstakes.errors import ConfigError
from sweepstakes.untrusted.text import clean

FILE, VERBOSE = "SWEEPSTAKES_LOG", "SWEEPSTAKES_VERBOSE"
"""Environment variables: the path of the log, and whether the lines exchanged with programs are logged too."""
LONGEST_LINE = 10_000
"""Maximum length of a message, in characters."""
LONGEST_QUOTE = 200
"""Maximum number of characters quoted from an unreadable message."""

agent: ContextVar[str] = ContextVar("agent", default="-")
"""The agent that is playing. Every line names it."""

_root = logging.getLogger("sweepstakes")
_root.addHandler(logging.NullHandler())  # or Python would print warnings
_appender: _Appender | None = None


class _Appender(logging.Handler):
    """Appends each record to a file by a single system call, so that the lines of several processes do not mix."""

    def __init__(self, file: int, kind: str) -> None:
        super().__init__()
        self.file = file
        self.kind = kind
        self.setFormatter(logging.Formatter(datefmt="%Y-%m-%d %H:%M:%S"))

    def emit(self, record: logging.LogRecord) -> None:
        """Append the record. An error, such as a full disk, must not stop a run."""
        assert self.formatter is not None
        when = f"{self.formatter.formatTime(record, self.formatter.datefmt)}.{int(record.msecs):03}"
        who = f"{self.kind}[{os.getpid()}] {clean(agent.get(), 60)}"
        with suppress(Exception):
            line = f"{when} {record.levelname:<7} {who}: {clean(record.getMessage(), LONGEST_LINE)}\n"
            os.write(self.file, line.encode(errors="replace"))


def logger(name: str) -> logging.Logger:
    """Return the logger of a module of this package. It is silent unless this process has a log."""
    return logging.getLogger(name)


def quote(data: bytes | str) -> str:
    """Return the beginning of an unreadable message as one printable line. Third parties wrote the message."""
    text = data[: 8 * LONGEST_QUOTE]
    return repr(clean(text if isinstance(text, str) else text.decode("latin-1"), LONGEST_QUOTE))


def path() -> str:
    """Return the absolute path of the log, or "" if there is no log."""
    return os.environ.get(FILE, "")


def file() -> int | None:
    """Return the descriptor of the log, for a process that must not know its path, or None if there is no log."""
    return None if _appender is None else _appender.file


def start(kind: str, file: int | None = None) -> None:
    """Start logging as a process of this kind, to the open `file` or to the file named by the environment.

    Do nothing if there is neither. Raise `ConfigError` if the file cannot be written.
    """
    global _appender
    if file is None:
        if not (name := path()):
            return
        try:
            file = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "not a path"
            raise ConfigError(f"the log cannot be written: {why}", name) from None
    stop()
    _appender = _Appender(file, kind)
    _root.addHandler(_appender)
    _root.setLevel(logging.DEBUG if os.environ.get(VERBOSE) else logging.INFO)


def enter(kind: str) -> None:
    """Log as a process of this kind if the environment names a file. A file that cannot be written is ignored."""
    with suppress(ConfigError):  # the command line has reported it
        start(kind)


def stop() -> None:
    """Stop logging and close the file."""
    global _appender
    if _appender is not None:
        _root.removeHandler(_appender)
        _root.setLevel(logging.NOTSET)
        with suppress(OSError):
            os.close(_appender.file)
        _appender = None


@contextmanager
def logging_to(name: str, *, verbose: bool = False) -> Iterator[None]:
    """Have this process and those that it starts log to the file `name`. Raise `ConfigError` if it is not writable."""
    before = {key: os.environ.get(key) for key in (FILE, VERBOSE)}
    os.environ[FILE] = str(Path(name).absolute())
    if verbose:
        os.environ[VERBOSE] = "1"
    playing = agent.set("-")
    try:
        start("main")
        yield
    finally:
        stop()
        agent.reset(playing)
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value


enter("main")  # for scripts and notebooks; the command line starts its log itself
