"""Commands start fast: they do not import large libraries that they do not need, and processes are started early."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from waiting import wait_until

from sweepstakes.hosting.forked import end_early, start_early, take_server
from sweepstakes.os_support import children
from sweepstakes.registry.registry import Registry
from sweepstakes.warm_up import warm_up

pytestmark = pytest.mark.system

HEAVY = {"matplotlib", "scipy.stats", "pandas", "numba.np.linalg"}
"""Libraries for plots and data frames, and the part of numba that compiles and does not only load compiled code."""
WARM_UP = "sweepstakes.plugins.executors.local.worker:warm_up_early"
TINY = "{games: 2, boards: {rows: 3, cols: 3, mines: 1}, agents: [random, basic]}"
NOTED = """
import sys
from sweepstakes.cli.main import run
code = run(sys.argv[2:])
print(*sorted(set(sys.argv[1].split()) & set(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


def imported(modules: set[str], *command: str, cwd: Path, code: int = 0) -> set[str]:
    """Return which of `modules` a command has imported when it ends with this exit code."""
    done = subprocess.run(
        [sys.executable, "-c", NOTED, " ".join(modules), *command], cwd=cwd, capture_output=True, text=True
    )
    assert done.returncode == code, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small tournament, in an environment that has compiled everything."""
    warm_up([Registry.built_in().agent("basic")], quiet=True)
    folder = tmp_path_factory.mktemp("start")
    (folder / "tiny.yaml").write_text(TINY)
    return folder


def test_a_run_and_its_leaderboard_import_neither_a_compiler_nor_plots(folder: Path) -> None:
    assert imported(HEAVY, "run", "tiny.yaml", "--workers", "1", cwd=folder) == set()
    assert imported(HEAVY, "leaderboard", "runs/tiny", cwd=folder) == set()
    assert "matplotlib" in imported(HEAVY, "publish", "runs/tiny", "--to", "there", cwd=folder)


@pytest.mark.parametrize("words", ["misspelt.yaml", "misspelt", "tiny.yaml --games 2 --isolation closed"])
def test_a_mistake_in_a_tournament_is_reported_before_numba_is_imported(words: str, folder: Path) -> None:
    (folder / "misspelt.yaml").write_text(TINY.replace("games", "gmaes"))
    assert imported({"numba"}, "run", *words.split(), cwd=folder, code=2) == set()


def test_a_dry_run_compiles_nothing_and_says_so(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sweepstakes", "run", "tiny.yaml", "--dry-run", "--out", "nowhere"]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].startswith("how long that takes is not known: the inner loops")
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock"] == []
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "estimated from a few games" in done.stdout


@pytest.mark.own_server
def test_a_server_that_was_started_early_is_the_one_that_is_taken() -> None:
    before = set(children(os.getpid()))
    start_early(WARM_UP)
    (early,) = set(children(os.getpid())) - before
    first, second = take_server(), take_server()
    assert first.pid == early
    assert second.pid != first.pid, "a server is taken once"
    for server in (first, second):
        server.close()
    assert set(children(os.getpid())) == before


@pytest.mark.own_server
def test_a_server_that_was_started_in_other_surroundings_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    start_early(WARM_UP)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/elsewhere")
    with closing(take_server()) as server:
        environment = Path(f"/proc/{server.pid}/environ")  # empty until the new process has begun
        assert wait_until(lambda: b"NUMBA_CACHE_DIR=/elsewhere" in environment.read_bytes())


@pytest.mark.own_server
def test_a_server_that_nobody_takes_is_ended() -> None:
    before = children(os.getpid())
    start_early(WARM_UP)
    assert children(os.getpid()) != before
    end_early()
    assert children(os.getpid()) == before
