"""Machine code that a wheel brings along is used where everything fits, and compiled code everywhere else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from sweepstakes.compiling import prebuilt

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled"),  # type: ignore[attr-defined]
    pytest.mark.skipif(not prebuilt.is_able(), reason="this processor cannot run the code"),
]
FLAGS = """
import numpy as np
from sweepstakes.game.referee_kernels import standing_flags

print(standing_flags(np.array([-2, -3], np.int8), 1))
"""
SAVE = """
from pathlib import Path
from sweepstakes.compiling import prebuilt

folder = Path(prebuilt.__file__).with_name("prebuilt") / prebuilt.name()
folder.mkdir(parents=True)
for signature, compiled in standing_flags.overloads.items():
    standing_flags._cache.save_prebuilt(signature, compiled, str(folder))
"""
Change = Callable[[Path], object]


@pytest.fixture(scope="module", name="built")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the package, with machine code of one kernel."""
    place = tmp_path_factory.mktemp("built")
    source = Path(prebuilt.__file__).parents[1]
    shutil.copytree(source, place / "sweepstakes", ignore=shutil.ignore_patterns("__pycache__"))
    call(place, place / "cache", FLAGS + SAVE, {"NUMBA_CPU_NAME": prebuilt.CPU, "NUMBA_CPU_FEATURES": ""})
    return place


def call(place: Path, cache: Path, script: str, more: dict[str, str] | None = None) -> str:
    """Run a script with the copied package, and a cache of compiled code; return what it printed."""
    settings = {"PYTHONPATH": str(place), "NUMBA_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | settings | (more or {}),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def compiled(cache: Path) -> bool:
    """Return whether something had to be compiled."""
    return any(cache.rglob("*.nbc"))


def replace(file: str, old: str, new: str) -> Change:
    """Return a change of a file of the package."""

    def change(package: Path) -> None:
        text = (package / file).read_text()
        assert old in text
        (package / file).write_text(text.replace(old, new))

    return change


def rename(package: Path) -> None:
    """Make the code look as if it were for another version of numba."""
    (folder,) = (package / "compiling" / "prebuilt").iterdir()
    folder.rename(f"{folder}.1")


def damage(package: Path) -> None:
    """Change one bit of the machine code."""
    for file in (package / "compiling" / "prebuilt").rglob("*.nbc"):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)


def test_a_kernel_of_the_wheel_is_not_compiled(built: Path, tmp_path: Path) -> None:
    assert call(built, tmp_path / "cache", FLAGS) == "1"
    assert not compiled(tmp_path / "cache")


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        pytest.param(rename, "1", id="another version"),
        pytest.param(damage, "1", id="damaged"),
        pytest.param(replace("game/codes.py", "FLAG = -2", "FLAG = -5"), "0", id="another source"),
    ],
)
def test_where_something_differs_the_kernel_is_compiled(
    built: Path, tmp_path: Path, change: Change, answer: str
) -> None:
    shutil.copytree(built / "sweepstakes", tmp_path / "sweepstakes")
    change(tmp_path / "sweepstakes")
    assert call(tmp_path, tmp_path / "cache", FLAGS) == answer
    assert compiled(tmp_path / "cache")


OTHER_PROCESSOR = """
from sweepstakes.compiling import prebuilt

prebuilt.FEATURES += ("something that no processor can do",)
"""


def test_a_processor_that_cannot_run_the_code_compiles(built: Path, tmp_path: Path) -> None:
    assert call(built, tmp_path / "cache", OTHER_PROCESSOR + FLAGS) == "1"
    assert compiled(tmp_path / "cache")
