"""Fixtures and settings of all tests: property tests try the same examples every time and have no deadline."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from compile_first import compile_first
from finished_run import make_once
from hypothesis import settings
from said import Said
from shared_server import SharedServer

with suppress(ImportError):  # it hashes every exception class, so import it before those of tests/nasty, which raise
    import distributed  # noqa: F401

settings.register_profile("sweepstakes", deadline=None, derandomize=True, database=None)
settings.load_profile("sweepstakes")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell; commands inherit it from here
    signal.signal(signal.SIGINT, signal.default_int_handler)


_SERVER = SharedServer()
_SERVER.install()


def pytest_configure(config: pytest.Config) -> None:
    """Exclude slow tests from `pytest -m system` too."""
    if config.option.markexpr == "system":
        config.option.markexpr = "system and not slow"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run system tests in one more process than there are cores, since they often wait for other processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1 if config.option.markexpr.startswith("system") else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let tests of the default tier share a server, unless they test servers."""
    _SERVER.wanted = not any(item.get_closest_marker(mark) for mark in ("system", "slow", "own_server"))


def pytest_sessionfinish() -> None:
    """End the shared server."""
    _SERVER.close()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what all processes of a parallel run need once, before they start."""
    parallel = session.config.getoption("numprocesses", None) and not hasattr(session.config, "workerinput")
    if parallel and not session.config.getoption("collectonly"):
        compile_first()


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run, `run`, and its publication, `published`. Tests must copy what they change."""
    return make_once(tmp_path_factory)


@pytest.fixture
def sums(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The status of each exact sum that the engine computes during the test."""
    engine = importlib.import_module("sweepstakes.inference.posterior")  # its package exports a function of that name
    made: list[int] = []
    sum_layouts = engine.sum_layouts

    def counted(*given: object) -> tuple[int, ...]:
        answer: tuple[int, ...] = sum_layouts(*given)
        made.append(answer[0])
        return answer

    monkeypatch.setattr(engine, "sum_layouts", counted)
    return made


@pytest.fixture
def sweepstakes(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Said]:
    """Run the command line in an empty directory, in this process: a new one costs seconds on a busy machine.

    `text` is the standard input.
    """
    from sweepstakes.cli.main import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))  # no test expects the note about a busy machine

    def type_in(*words: str, text: str = "") -> Said:
        monkeypatch.setattr(sys, "argv", ["sweepstakes", *words])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))
        code = 0
        try:
            main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        return Said(code, *capfd.readouterr())

    return type_in
