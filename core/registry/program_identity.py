"""What makes a program the same program: its words and the content of its files, wherever they lie."""

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
    """A short hash of the words of a command and of the content of every file among them and under `files`.

    Of a path only the last part counts, so that the same files give the same hash on every machine. A first word
    without `/` names an interpreter that the system finds: it counts by its name alone. `PluginError` for a program
    that is not there, and for one of the `files` that cannot be read.
    """
    parts: list[list[str]] = []
    named = set(named_files(words))
    for word in words:
        is_path = word in named
        parts.append(["file", Path(word).name, digest_of(Path(word), folder_of(word))] if is_path else ["word", word])
    parts += sorted(["file", Path(file).name, digest_of(Path(file), home_of(Path(file), None))] for file in files)
    return hashlib.sha256(json.dumps([len(words), parts]).encode()).hexdigest()[:12]


def named_files(words: Sequence[str]) -> list[str]:
    """Those words of a command that are files: the program, if it is a path, and the names of files among the rest."""
    return [
        word for place, word in enumerate(words) if ("/" in word if place == 0 else bool(word) and is_file(Path(word)))
    ]


def digest_of(path: Path, inside: Path | None = None) -> str:
    """The hash of a regular file, however large; a pipe or a device is refused, and cannot block.

    `PluginError` names the link if the file does not really lie inside the folder `inside`.
    """
    with opened(path, PluginError, inside) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_of(word: str) -> Path | None:
    """The folder that a file among the words of a program must really lie in: the one in which the word names it.

    None for an installed program, PREFIX/bin/NAME: a link may lead to it from anywhere, as `.venv/bin/python` does.
    """
    return None if Path(os.path.realpath(word)).parent.name == "bin" else Path(word).absolute().parent
