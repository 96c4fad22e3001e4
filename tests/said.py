"""What a command that a test types has answered; apart from `conftest`, of which there is another in tests/web."""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    """What a command ended with."""

    code: int
    out: str
    err: str
