"""Files that are not an agent's own: links out of its folder, and what other people have handed in."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from said import Said

from sweepstakes import PluginError, Registry, Spec
from sweepstakes.hosting import sealing
from sweepstakes.hosting.describing import read_imports
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.resolving import find_agent
from sweepstakes.untrusted.files import read_file

sealable = pytest.mark.skipif(bool(sealing.missing()), reason="this machine cannot seal")

AGENT = """
from sweepstakes import Agent, Turn, hookimpl
{imports}

class Mine(Agent):
    '''Opens the first covered cell.'''

    def act(self, view):
        return Turn(open=view.covered()[:1], why="random")

@hookimpl
def sweepstakes_agents():
    return {{"mine": Mine}}
"""


def write(file: Path, imports: str = "pass") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(AGENT.format(imports=imports))
    return file


def grades(out: Path) -> dict[str, str]:
    """Label and remark of each submission of a class."""
    with (out / "grades.csv").open(newline="") as file:
        return {row[0]: " ".join(row) for row in csv.reader(file)}


def test_a_class_keeps_its_seed_and_its_members_apart(tmp_path: Path, sweepstakes: Callable[..., Said]) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "hidden-seed").write_text("12345\n")
    hall = tmp_path / "hall"
    write(hall / "ben" / "agent.py", "SECRET_OF_BEN = 1")
    write(hall / "cleo" / "agent.py", "import answers")
    (hall / "cleo" / "answers.py").symlink_to("../../class/hidden-seed")
    write(hall / "dora.py", "import ben.agent")
    (hall / "emil").symlink_to("ben")
    (hall / "finn.py").symlink_to("ben/agent.py")
    write(hall / "gus" / "agent.py", "import helper").with_name("helper.py").write_text("")
    (tmp_path / "submissions").symlink_to("hall")
    said = sweepstakes("classroom", "submissions", "--out", "class", "--games", "1", "--workers", "1", "--no-check")
    assert said.code == 0, said.err
    rows = grades(tmp_path / "class")
    assert "answers.py is a link to ../../class/hidden-seed, out of the agent's folder" in rows["cleo"]
    assert "No module named 'ben'" in rows["dora"]
    assert "emil is a link to ben: expected the submission itself" in rows["emil"]
    assert "finn.py is a link to ben/agent.py: expected the submission itself" in rows["finn"]
    assert not any("link" in rows[name] or "module" in rows[name] for name in ("ben", "gus"))


def test_a_publication_has_no_file_behind_a_link(tmp_path: Path, sweepstakes: Callable[..., Said]) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "id_rsa").write_text("THE KEY")
    write(tmp_path / "in" / "ann" / "agent.py", "if False: import key")
    (tmp_path / "in" / "ann" / "key.py").symlink_to(tmp_path / "home" / "id_rsa")
    write(tmp_path / "in" / "bob.py")
    (tmp_path / "in" / "kim.py").symlink_to(tmp_path / "home" / "id_rsa")
    (tmp_path / "t.yaml").write_text("agents: [./in/]\nboards: 4x4/2\ngames: 1\nworkers: 1\n")
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    said = sweepstakes("publish", "run", "--to", "page")
    assert said.code == 0, said.err
    published = [file.read_bytes() for file in (tmp_path / "page").rglob("*") if file.is_file()]
    assert published
    assert not any(b"THE KEY" in data for data in published)


def _link_to_file(folder: Path, outside: Path) -> str:
    (folder / "other.py").symlink_to(outside / "secret.py")
    return "other.py"


def _link_to_folder(folder: Path, outside: Path) -> str:
    (folder / "other").symlink_to(outside)
    return "other"


def _link_to_a_package(folder: Path, outside: Path) -> str:
    (outside / "__init__.py").write_text("")
    (folder / "other").symlink_to(outside)
    return "other"


def _link_as_init(folder: Path, outside: Path) -> str:
    (folder / "other").mkdir()
    (folder / "other" / "__init__.py").symlink_to(outside / "secret.py")
    return "other/__init__.py"


def _link_to_a_compiled_module(folder: Path, outside: Path) -> str:
    (folder / f"other{EXTENSION_SUFFIXES[0]}").symlink_to(outside / "secret.py")
    return f"other{EXTENSION_SUFFIXES[0]}"


def _chain_of_links(folder: Path, outside: Path) -> str:
    (folder / "other.py").symlink_to("between.py")
    (folder / "between.py").symlink_to(outside / "secret.py")
    return "other.py"


def _link_to_nothing_yet(folder: Path, outside: Path) -> str:
    (folder / "other.py").symlink_to(outside / "to-come")
    return "other.py"


def _link_to_proc(folder: Path, outside: Path) -> str:
    (folder / "other.py").symlink_to("/proc/self/environ")
    return "other.py"


@pytest.mark.parametrize(
    "make",
    [
        _link_to_file,
        _link_to_folder,
        _link_to_a_package,
        _link_as_init,
        _link_to_a_compiled_module,
        _chain_of_links,
        _link_to_nothing_yet,
        _link_to_proc,
    ],
)
def test_a_link_out_of_the_folder_is_refused_by_its_name(make: Callable[[Path, Path], str], tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("x = 1\n")
    agent = write(tmp_path / "agent" / "mine.py", "import other.secret")
    link = agent.parent / make(agent.parent, outside)
    with pytest.raises(PluginError) as refused:
        PluginSource.of_file(agent, read_imports)
    assert str(refused.value).startswith(f"{link} is a link to ")
    assert "out of the agent's folder" in str(refused.value)


def test_links_within_the_folder_and_to_the_folder_are_fine(tmp_path: Path) -> None:
    agent = write(tmp_path / "real" / "mine.py", "import other")
    (agent.parent / "kept").mkdir()
    (agent.parent / "kept" / "new.py").write_text("")
    (agent.parent / "other.py").symlink_to("kept/new.py")
    (tmp_path / "here").symlink_to("real")
    for folder in ("real", "here"):
        assert [
            module.name for module in PluginSource.of_file(tmp_path / folder / "mine.py", read_imports).modules
        ] == ["other"]


@pytest.mark.parametrize("place", ["weights.csv", "data/weights.csv"])
def test_a_listed_file_behind_a_link_is_refused(place: str, tmp_path: Path, sweepstakes: Callable[..., Said]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "weights.csv").write_text("secret")
    agent = write(tmp_path / "agent" / "mine.py")
    link = agent.parent / Path(place).parts[0]
    link.symlink_to(outside if "/" in place else outside / "weights.csv")
    said = sweepstakes("check", f'agent/mine.py(files=["agent/{place}"])')
    assert said.code != 0
    assert f"{link} is a link to /" in said.out + said.err
    with pytest.raises(PluginError, match="is a link to"):
        find_agent(Registry(third_party=False), Spec.parse(str(agent)).adding({"files": [str(agent.parent / place)]}))


def test_a_program_and_the_files_among_its_words_are_no_links(tmp_path: Path, sweepstakes: Callable[..., Said]) -> None:
    (tmp_path / "id_rsa").write_text("key")
    (tmp_path / "solver").mkdir()
    (tmp_path / "solver" / "data").symlink_to(tmp_path / "id_rsa")
    (tmp_path / "other-solver").write_text("#!/bin/sh\n")
    (tmp_path / "other-solver").chmod(0o755)
    (tmp_path / "solver" / "play").symlink_to(tmp_path / "other-solver")
    for command in ("command:sh solver/data", "command:solver/play"):
        said = sweepstakes("check", command)
        assert said.code != 0
        assert "is a link to" in said.out + said.err


def test_the_folder_of_a_command_and_pythonpath_are_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "ben" / "agent.py")
    agent = write(tmp_path / "cleo" / "agent.py", "if False: import ben.agent")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert PluginSource.of_file(agent, read_imports).modules == ()


def test_a_link_that_is_swapped_while_it_is_read_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is compared after it was opened: here a link is replaced between both."""
    folder = tmp_path / "agent"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    (folder / "helper.py").symlink_to(tmp_path / "secret")

    real = os.path.realpath

    def swap(path: str) -> str:
        if (folder / "helper.py").is_symlink():
            (folder / "helper.py").unlink()
            (folder / "helper.py").write_text("innocent")
        return real(path)

    monkeypatch.setattr("os.path.realpath", swap)
    with pytest.raises(PluginError):
        read_file(folder / "helper.py", 100, PluginError, folder)


@sealable
def test_a_sealed_process_is_not_given_a_file_that_a_link_has_replaced(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "own").symlink_to(tmp_path / "secret")
    (tmp_path / "mine").write_text("mine")
    code = (
        "import sys\nfrom sweepstakes.hosting import sealing\n"
        f"sealing.seal(sealing.python_paths(), exact=[{str(tmp_path / 'own')!r}, {str(tmp_path / 'mine')!r}])\n"
        f"print(open({str(tmp_path / 'mine')!r}).read())\nopen({str(tmp_path / 'own')!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "mine\n"
    assert "PermissionError" in done.stderr


@pytest.mark.system
def test_the_module_run_as_a_command_imports_nothing_from_the_folder_it_is_typed_in(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('beside the referee')\n")
    command = [sys.executable, "-m", "sweepstakes", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
