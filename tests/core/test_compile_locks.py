"""Locks by which processes share the work of compiling."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sweepstakes.compiling import compile_locks
from sweepstakes.compiling.compile_locks import CompiledElsewhereError, lock, release, release_all, yielding

HOLDER = """
import sys
from sweepstakes.compiling.compile_locks import lock
lock(sys.argv[1], nested=False)
print("held", flush=True)
sys.stdin.read()
"""

YIELDING = """
import sys
from sweepstakes.compiling.compile_locks import CompiledElsewhereError, lock, yielding
try:
    with yielding():
        lock(sys.argv[1], nested=False)
except CompiledElsewhereError:
    print("left")
"""


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    yield str(tmp_path / "kernel.lock")
    release_all()


@pytest.fixture
def holder(path: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its standard input is closed."""
    command = [sys.executable, "-c", HOLDER, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_lock_that_nobody_holds_is_taken_at_once(path: str) -> None:
    with yielding() as turns:
        lock(path, nested=False)
        lock(path, nested=False)
    assert not turns.left


def test_what_another_process_compiles_is_left_to_it(path: str, holder: subprocess.Popen[str]) -> None:
    with yielding() as turns, pytest.raises(CompiledElsewhereError):
        lock(path, nested=False)
    assert turns.left
    with yielding() as turns:
        pass
    assert not turns.left


def test_the_end_of_the_other_process_ends_the_waiting(path: str, holder: subprocess.Popen[str]) -> None:
    assert holder.stdin is not None
    holder.kill()
    lock(path, nested=False)
    with subprocess.Popen([sys.executable, "-c", YIELDING, path], stdout=subprocess.PIPE) as third:
        assert third.communicate()[0] == b"left\n", "the lock is held here now"


def test_a_kernel_inside_another_is_waited_for(
    path: str, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_locks, "MAX_WAIT", 0.0)
    with yielding() as turns:
        lock(path, nested=True)
    assert not turns.left


def test_a_released_lock_is_for_others(path: str) -> None:
    lock(path, nested=False)
    release(path)
    with subprocess.Popen([sys.executable, "-c", HOLDER, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as it:
        assert it.communicate()[0] == b"held\n"


def test_where_nothing_can_be_written_nobody_waits(tmp_path: Path) -> None:
    lock(str(tmp_path / "missing" / "kernel.lock"), nested=False)
    assert list(tmp_path.iterdir()) == []
