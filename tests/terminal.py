"""The command line, called in this process: a real one costs seconds on a busy machine."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest

from sweepstakes.cli import main


class Said(NamedTuple):
    """What a command ended with."""

    code: int
    out: str
    err: str


class Terminal:
    """Types commands, in whatever directory the test is."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capfd = capfd

    def __call__(self, *words: str) -> Said:
        self._monkeypatch.setattr(sys, "argv", ["sweepstakes", *words])
        code = 0
        try:
            main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        return Said(code, *self._capfd.readouterr())
