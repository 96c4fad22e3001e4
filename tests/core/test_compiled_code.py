"""Cached compiled code: damage to it is not an error, and no agent can change what other processes load."""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numba
import pytest

from sweepstakes.compiling import protected_folder as protection
from sweepstakes.compiling.decorators import TRIED
from sweepstakes.compiling.protected_folder import protected_folder
from sweepstakes.hosting.sealing import landlock
from sweepstakes.resolving import find_agent

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled"),  # type: ignore[attr-defined]
    pytest.mark.skipif(not TRIED[0] <= numba.version_info.short <= TRIED[1], reason="numba's own cache is used"),
]

DOUBLE = """from sweepstakes.compiling.decorators import kernel

@kernel
def double(x):
    return 2 * x
"""


def make_double(folder: Path) -> Any:
    """A kernel as a new process has it."""
    spec = importlib.util.spec_from_file_location("doubling", folder / "doubling.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.double


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Path]:
    """The folder with the files of a compiled function."""
    (tmp_path / "doubling.py").write_text(DOUBLE)
    double = make_double(tmp_path)
    assert double(2) == 4
    folder = Path(double.stats.cache_path)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: b"garbage" * 100,
        lambda data: pickle.dumps(42),
        lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
    ],
    ids=["empty", "cut", "garbage", "pickle", "bit"],
)
def test_a_damaged_file_is_compiled_again(
    kept: Path, tmp_path: Path, damage: Callable[[bytes], bytes], ending: str
) -> None:
    (file,) = kept.glob(f"doubling.double-*.{ending}")
    file.write_bytes(damage(file.read_bytes()))
    again = make_double(tmp_path)
    assert again(2) == 4
    assert sum(again.stats.cache_misses.values()) == 1
    after = make_double(tmp_path)
    assert after(2) == 4
    assert sum(after.stats.cache_hits.values()) == 1


def test_a_command_goes_on_with_a_damaged_cache(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sweepstakes", "board", "4x4/3"]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    files = [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]
    assert files
    for number, file in enumerate(files):
        file.write_bytes(b"" if number % 2 else b"\x80\x04garbage")
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert again.stdout == first.stdout


ATTACKS = """
import json, os, pathlib, shutil
from sweepstakes import Agent, Turn, hookimpl

def attempts(folder, scratch):
    file = folder / "code.nbi"
    place = folder.parent
    (scratch / "poison").write_bytes(b"poison")
    return {
        "write": lambda: file.write_bytes(b"poison"),
        "append": lambda: open(file, "ab").write(b"poison"),
        "truncate": lambda: os.truncate(file, 0),
        "remove": lambda: file.unlink(),
        "make": lambda: (folder / "more.nbi").write_bytes(b"poison"),
        "move in": lambda: os.replace(scratch / "poison", file),
        "link in": lambda: os.link(scratch / "poison", folder / "more.nbi"),
        "link out": lambda: (os.link(file, scratch / "out"), (scratch / "out").write_bytes(b"poison")),
        "point": lambda: (folder / "more.nbi").symlink_to(scratch / "poison"),
        "move away": lambda: folder.rename(place / "away"),
        "move out": lambda: folder.rename(scratch / "away"),
        "move home away": lambda: place.rename(str(place) + "-away"),
        "new home": lambda: pathlib.Path(str(place) + "-1").mkdir(),
        "in the place": lambda: (place.parent / "more").write_bytes(b"poison"),
        "loosen": lambda: (folder.chmod(0o777), (folder / "more.nbi").write_bytes(b"poison")),
    }

class Attacks(Agent):
    def __init__(self, folder: str = "", scratch: str = ""):
        self.folder, self.scratch = pathlib.Path(folder), pathlib.Path(scratch)

    def act(self, view):
        done = []
        for name, attempt in attempts(self.folder, self.scratch).items():
            try:
                attempt()
                done.append(name)
            except OSError:
                pass
        (self.scratch / "done").write_text(json.dumps(done))
        return Turn(open=view.covered())

@hookimpl
def sweepstakes_agents():
    return {"attacks": Attacks}
"""


@pytest.mark.skipif(not protected_folder() or not landlock.version(), reason="nothing is protected here")
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_no_agent_changes_compiled_code_that_other_processes_load(tmp_path: Path, start: str) -> None:
    from sweepstakes.executor import Limits
    from sweepstakes.game.playing import play_game
    from sweepstakes.game.setup import GameSetup
    from sweepstakes.game.size import Size
    from sweepstakes.hosting.client import Hosts
    from sweepstakes.hosting.forked import Server
    from sweepstakes.hosting.hosted_agent import HostedAgents
    from sweepstakes.registry.registry import Registry

    (tmp_path / "attacks.py").write_text(ATTACKS)
    # on the same file system as the folder, where files can be moved and linked into it
    scratch = Path(tempfile.mkdtemp(dir=protection.PLACE))
    folder = Path(tempfile.mkdtemp(dir=protected_folder()))
    try:
        (folder / "code.nbi").write_bytes(b"sound")
        source = find_agent(Registry([tmp_path / "attacks.py"]), "attacks", check=False)
        assert source is not None
        source = source._replace(parameters={"folder": str(folder), "scratch": str(scratch)})
        with closing(Server(spawn=start == "spawn")) as server:
            agents = HostedAgents(Hosts(server), source, Limits(start_seconds=60))
            fault = play_game(GameSetup(Size(1, 1, 0)).game(), agents).result.fault
            agents.end()
        assert not fault
        assert json.loads((scratch / "done").read_text()) == []
        assert [file.name for file in folder.iterdir()] == ["code.nbi"]
        assert (folder / "code.nbi").read_bytes() == b"sound"
    finally:
        shutil.rmtree(scratch)
        shutil.rmtree(folder)


def test_a_folder_that_is_not_the_users_alone_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not protected_folder():
        pytest.skip("nothing is protected here")
    monkeypatch.setattr(protection, "PLACE", str(tmp_path.resolve()))
    first, second = (tmp_path.resolve() / f"sweepstakes-{os.geteuid()}{more}" for more in ("", "-1"))
    assert protected_folder.__wrapped__() == str(first)
    first.chmod(0o777)
    assert protected_folder.__wrapped__() == str(second)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert protected_folder.__wrapped__() == ""


@pytest.mark.system
@pytest.mark.skipif(not protected_folder() or not landlock.version(), reason="nothing is protected here")
@pytest.mark.parametrize("name", ["TMPDIR", "NUMBA_CACHE_DIR"])
def test_compiled_code_of_other_commands_is_protected_where_it_is_kept_elsewhere(name: str, tmp_path: Path) -> None:
    usual = Path(protected_folder())
    code = (
        "import os, tempfile\nfrom sweepstakes.hosting import sealing\ntempfile.gettempdir()\nsealing.contain()\n"
        f"try: os.mkdir({str(usual / tmp_path.name)!r})\nexcept PermissionError: print('refused')\n"
        f"try: os.mkdir({str(usual) + '-' + tmp_path.name!r})\nexcept PermissionError: print('refused')\n"
        "tempfile.TemporaryFile().close()\n"
    )
    where = protection.PLACE if name == "TMPDIR" else str(tmp_path)
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, name: where}, capture_output=True, text=True)
    for made in (usual / tmp_path.name, Path(f"{usual}-{tmp_path.name}")):
        if made.exists():
            made.rmdir()
    assert done.stdout == "refused\nrefused\n", done.stderr
    assert done.returncode == 0, done.stderr
