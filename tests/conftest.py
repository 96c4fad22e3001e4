"""Property tests try the same examples every time, no test is judged by the clock, and commands are typed here."""

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

with suppress(ImportError):  # which hashes every class of exceptions: before those of tests/nasty, which raise
    import distributed  # noqa: F401

settings.register_profile("sweepstakes", deadline=None, derandomize=True, database=None)
settings.load_profile("sweepstakes")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # tests in the background of a shell, and the commands they start
    signal.signal(signal.SIGINT, signal.default_int_handler)


_SERVER = SharedServer()
_SERVER.install()


def pytest_configure(config: pytest.Config) -> None:
    """`pytest -m system` leaves out what is slow as well."""
    if config.option.markexpr == "system":
        config.option.markexpr = "system and not slow"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run system tests in one process more than there are cores, since they often wait for other processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1 if config.option.markexpr.startswith("system") else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests of the default tier share a server, unless they are about servers."""
    _SERVER.wanted = not any(item.get_closest_marker(mark) for mark in ("system", "slow", "own_server"))


def pytest_sessionfinish() -> None:
    """End the shared server."""
    _SERVER.close()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile once what all processes of a parallel run need, before they begin."""
    parallel = session.config.getoption("numprocesses", None) and not hasattr(session.config, "workerinput")
    if parallel and not session.config.getoption("collectonly"):
        compile_first()


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run, `run`, and its publication, `published`. Copy what the test changes."""
    return make_once(tmp_path_factory)


@pytest.fixture
def sums(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The status of each exact sum that the engine has made during the test."""
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
    """The command line in an empty directory, called in this process: a new one costs seconds on a busy machine.

    `text` is what the standard input has.
    """
    from sweepstakes.cli.main import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))  # a busy machine is mentioned, which no test expects

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
