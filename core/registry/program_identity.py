"""The identity of a program: its words and the content of its files, but not their location."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from sweepstakes.errors import PluginError
from sweepstakes.registry.own_modules import home_of
from sweepstakes.untrusted.files import is_file, opened


def program_identity(words: Sequence[str], files: Sequence[str]) -> str:
    """Return a short hash of the words of a command and of the content of every file among them and under `files`.

    Only the last part of a path counts, so that the same files give the same hash on every machine. A first word
    without `/` names an interpreter that the system finds: it counts by its name alone. Raise `PluginError` if the
    program does not exist, or if one of the `files` cannot be read.
    """
    parts: list[list[str]] = []
    named = set(named_files(words))
    for word in words:
        is_path = word in named
        parts.append(["file", Path(word).name, digest_of(Path(word), folder_of(word))] if is_path else ["word", word])
    parts += sorted(["file", Path(file).name, digest_of(Path(file), home_of(Path(file), None))] for file in files)
    return hashlib.sha256(json.dumps([len(words), parts]).encode()).hexdigest()[:12]


def named_files(words: Sequence[str]) -> list[str]:
    """Return the words of a command that are files: the program, if it is a path, and any other names of files."""
    return [
        word for place, word in enumerate(words) if ("/" in word if place == 0 else bool(word) and is_file(Path(word)))
    ]


def digest_of(path: Path, inside: Path | None = None) -> str:
    """Return the hash of a regular file of any size. A pipe or a device is refused and cannot block.

    If the file is not really inside the folder `inside`, raise `PluginError` with the name of the link.
    """
    with opened(path, PluginError, inside) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_of(word: str) -> Path | None:
    """Return the folder in which a file named by a word of a program must really be: the folder in the word.

    Returns None for an installed program, PREFIX/bin/NAME, since a link may lead anywhere, as `.venv/bin/python` does.
    """
    return None if Path(os.path.realpath(word)).parent.name == "bin" else Path(word).absolute().parent
