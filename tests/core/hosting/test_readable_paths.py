"""What a sealed process may read, and what it lacks to be sealed."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import sweepstakes
from sweepstakes.hosting import sealing
from sweepstakes.hosting.sealing import landlock, seccomp
from sweepstakes.plugins import BUILT_IN

ROOT = Path(__file__).parents[3]
NUMBERS = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")


def is_readable(path: Path) -> bool:
    """Return whether a rule for this path, or for a folder that it is in, would be made."""
    rules = set(sealing.python_paths())
    return any(str(place) in rules for place in (path.resolve(), *path.resolve().parents))


def test_of_the_plugins_exactly_the_built_in_ones_are_readable() -> None:
    plugins = Path(sys.modules["sweepstakes.plugins"].__path__[0])
    for name in BUILT_IN:
        path = plugins.joinpath(*name.split("."))
        assert is_readable(path if path.is_dir() else path.with_suffix(".py")), name
    for name in ("agents/_deducer.py", "noise/_rated.py", "agents/__init__.py", "__init__.py"):
        assert is_readable(plugins / name)
    for name in ("agents/dropped_in.py", "dropped_in.py", "agents/_weights.py", "agents/weights/one.bin"):
        assert not is_readable(plugins / name)
        assert not is_readable((plugins / name).parent / "__pycache__" / f"{Path(name).stem}.cpython-311.pyc")


def test_no_room_but_the_core_is_readable_in_a_checkout() -> None:
    if Path(sweepstakes.__path__[0]) != ROOT / "core":
        pytest.skip("the package is not installed from this checkout in place")
    for name in ("core/game/game.py", "core/game/__pycache__/game.cpython-311.pyc"):
        assert is_readable(ROOT / name)
    for name in ("leaderboards", "pyproject.toml", "runs/a/games.sqlite", "tests/conftest.py", "tournaments", "web"):
        assert not is_readable(ROOT / name)
    assert not is_readable(Path.home() / "agent.py")
    assert not is_readable(Path("/dev/zero"))


SEALED_READER = """
import sys
from pathlib import Path
import sweepstakes
from sweepstakes.hosting import sealing
sealing.seal(sealing.python_paths())
place = Path(sweepstakes.__path__[0])
for name in sys.argv[1:]:
    try:
        (place / name).read_bytes()
        print(name, "read")
    except PermissionError:
        print(name, "refused")
import beside
from sweepstakes.plugins.agents import basic
print(beside.VALUE, basic.__name__)
"""


@pytest.mark.skipif(bool(sealing.missing()), reason="this machine cannot seal")
def test_a_file_dropped_into_an_installed_package_is_not_readable(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "site-packages"
    ignored = shutil.ignore_patterns("__pycache__")
    for room, place in (("core", ""), ("plugins", "plugins"), ("tournaments", "tournaments")):
        shutil.copytree(ROOT / room, site / "sweepstakes" / place, ignore=ignored)
    (site / "beside.py").write_text("VALUE = 'beside'\n")
    (site / "sweepstakes" / "plugins" / "agents" / "dropped_in.py").write_text("# another agent\n")
    readable = ["agent.py", "game/game.py", "plugins/agents/chain.py", "plugins/agents/_deducer.py"]
    others = ["plugins/agents/dropped_in.py", "tournaments/__init__.py"]
    done = subprocess.run(
        [sys.executable, "-c", SEALED_READER, *readable, *others],
        env={**os.environ, "PYTHONPATH": str(site), "OPENBLAS_NUM_THREADS": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    expected = [*(f"{name} read" for name in readable), *(f"{name} refused" for name in others)]
    assert done.stdout.splitlines() == [*expected, "beside sweepstakes.plugins.agents.basic"], done.stderr


def test_a_command_may_execute_its_program_and_what_runs_it(tmp_path: Path) -> None:
    script, weights = tmp_path / "agent", tmp_path / "weights.bin"
    script.write_text("#!/usr/bin/env -S sh -e\necho\n")
    script.chmod(0o755)
    weights.write_text("1")
    readable, executable = sealing.program_paths([str(script), f"--weights={weights}", str(tmp_path)])
    assert {str(script), "/usr/bin/env", shutil.which("sh")} <= set(executable)
    assert str(weights) in readable
    assert str(weights) not in executable
    assert not {str(tmp_path), "/", "/etc", "/usr", "/home"} & {*readable, *executable}
    assert any("ld-linux" in path for path in executable)


def test_a_command_that_is_found_by_its_name_may_read_the_libraries_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bin", "lib"):
        (tmp_path / name).mkdir()
    program = tmp_path / "bin" / "speak"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    assert str(tmp_path / "lib") in sealing.program_paths(["speak"])[0]
    assert str(tmp_path / "lib") not in sealing.program_paths([str(program)])[0]


@pytest.mark.parametrize("text", ["", "#!", "#!\n", "\x7fELF", "\x7fELF\x02" + "\xff" * 100, "plain"])
def test_a_file_that_is_no_program_needs_nothing_more(tmp_path: Path, text: str) -> None:
    path = tmp_path / "program"
    path.write_text(text, encoding="latin-1")
    assert sealing.program_paths([str(path)])[1] == [str(path)]
    assert sealing.program_paths([str(tmp_path / "none")])[1] == []


@pytest.mark.skipif(not NUMBERS.exists(), reason="the kernel's headers are not installed")
def test_the_numbers_of_system_calls_are_the_kernels() -> None:
    theirs = dict(re.findall(r"#define __NR_(\w+) (\d+)", NUMBERS.read_text()))
    ours = {name: str(number) for name, number in seccomp.NUMBERS.items()}
    assert ours == {name: theirs[name] for name in ours}


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        (0, "the kernel has no Landlock, or was started without it"),
        (5, "the kernel's Landlock has version 5; signals are kept in from version 6 on (Linux 6.12)"),
    ],
)
def test_what_is_missing_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch, version: int, sentence: str) -> None:
    monkeypatch.setattr(landlock, "version", lambda: version)
    assert sentence in sealing.missing()
    with pytest.raises(sealing.SealingError, match=r"^cannot seal a process here: .*Landlock"):
        sealing.seal([])


def test_another_machine_cannot_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    seccomp.lacking.cache_clear()
    try:
        assert any("aarch64" in sentence for sentence in sealing.missing())
    finally:
        seccomp.lacking.cache_clear()


@pytest.mark.skipif(bool(sealing.missing()), reason="this machine cannot seal")
def test_a_process_with_two_threads_is_not_sealed() -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        with pytest.raises(sealing.SealingError, match="threads"):
            sealing.seal([])
    finally:
        end.set()
        thread.join()
    Path(os.devnull).read_text()
