"""A program has the same identity wherever its files are, and a new one if a byte of them changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sweepstakes import PluginError
from sweepstakes.registry.program_identity import program_identity


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "bot").write_bytes(b"\x7fELF")
        (tmp_path / place / "bot.py").write_text("print()")
        (tmp_path / place / "w.bin").write_bytes(bytes(1000))
        (tmp_path / place / "x.bin").write_bytes(bytes(10))
    return tmp_path


def identity(folder: Path, *words: str, files: tuple[str, ...] = ("w.bin", "x.bin")) -> str:
    return program_identity([word.replace("@", f"{folder}/") for word in words], [str(folder / file) for file in files])


def test_the_same_files_in_another_folder_are_the_same_program(folder: Path) -> None:
    for words in (("@bot", "--fast"), ("python3", "@bot.py"), ("python3", "-u", "@bot.py", "6")):
        here = identity(folder / "here", *words)
        assert here == identity(folder / "there", *words)
        assert here == identity(folder / "there", *words, files=("x.bin", "w.bin"))
        assert len(here) == 12


def test_every_change_is_another_program(folder: Path) -> None:
    here = folder / "here"
    before = identity(here, "@bot", "--fast", "@bot.py")
    seen = {
        before,
        identity(here, "@bot", "--fast"),
        identity(here, "@bot", "--Fast", "@bot.py"),
        identity(here, "@bot", "--fast", "@bot.py", files=("w.bin",)),
        identity(here, "@bot", "--fast", "@bot.py", "@w.bin", files=("x.bin",)),
        identity(here, "bot", "--fast", "@bot.py"),
        identity(here, "@bot", "--fast --fast"),
        identity(here, "@bot", "--fast", "--fast"),
    }
    for name in ("bot", "bot.py", "w.bin"):
        content = (here / name).read_bytes()
        (here / name).write_bytes(content + b" ")
        seen.add(identity(here, "@bot", "--fast", "@bot.py"))
        (here / name).write_bytes(content)
    assert len(seen) == 11
    assert identity(here, "@bot", "--fast", "@bot.py") == before


def test_a_file_that_cannot_be_read_is_named(folder: Path) -> None:
    with pytest.raises(PluginError, match=r"nope: cannot be read: No such file"):
        program_identity([str(folder / "nope")], [])
    with pytest.raises(PluginError, match=r"nope\.bin: cannot be read: No such file"):
        program_identity(["python3"], [str(folder / "nope.bin")])
    with pytest.raises(PluginError, match="here: cannot be read: "):
        program_identity(["python3"], [str(folder / "here")])
    os.mkfifo(folder / "pipe")
    with pytest.raises(PluginError, match="pipe: cannot be read: it is not a regular file"):
        program_identity(["python3"], [str(folder / "pipe")])
    with pytest.raises(PluginError, match="not a valid file name"):
        program_identity(["python3"], ["a\0b"])
