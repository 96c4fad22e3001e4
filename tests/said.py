"""The outcome of a command that a test runs. Not in `conftest`, because tests/web has another module of that name."""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str
