"""What makes a program the same program: its words and the content of its files, wherever they lie."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from sweepstakes.errors import PluginError, located
from sweepstakes.untrusted.files import is_file, open_at_once


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
        parts.append(["file", Path(word).name, digest_of(Path(word))] if is_path else ["word", word])
    parts += sorted(["file", Path(file).name, digest_of(Path(file))] for file in files)
    return hashlib.sha256(json.dumps([len(words), parts]).encode()).hexdigest()[:12]


def named_files(words: Sequence[str]) -> list[str]:
    """Those words of a command that are files: the program, if it is a path, and the names of files among the rest."""
    return [
        word for place, word in enumerate(words) if ("/" in word if place == 0 else bool(word) and is_file(Path(word)))
    ]


def digest_of(path: Path) -> str:
    """The hash of a regular file, however large; a pipe or a device is refused, and cannot block."""
    try:
        with open(path, "rb", opener=open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise PluginError(f"{located(path)}: cannot be read: it is not a regular file")
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise PluginError(f"{located(path)}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise PluginError(f"{located(path)}: cannot be read: no file has such a name") from None
