"""Follows docs/tutorial.md literally.

Of the page's fenced blocks, those marked `file=NAME` are written to a file, those marked `run` are run by bash in an
empty directory, and those marked `output` are what it must print.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "tutorial.md"
BLOCK = re.compile(r"^```(\w+) (run|output|file=\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def follow(page: Path, directory: Path) -> str:
    """Carry out a page in a directory. Return the page with what its commands print.

    Raise `subprocess.CalledProcessError` if one fails.
    """
    printed = ""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"COLUMNS": "120", "PATH": path}

    def carry_out(block: re.Match[str]) -> str:
        nonlocal printed
        language, what, body = block.groups()
        if what == "run":
            command = ["bash", "-eo", "pipefail", "-c", body]
            printed = subprocess.run(
                command, cwd=directory, env=environment, stdout=subprocess.PIPE, text=True, check=True
            ).stdout
        elif what == "output":
            return f"```{language} {what}\n{printed}```"
        else:
            (directory / what.removeprefix("file=")).write_text(body, encoding="utf-8")
        return block.group()

    return BLOCK.sub(carry_out, page.read_text(encoding="utf-8"))


def generated() -> dict[Path, str]:
    """Return the page by its file."""
    with tempfile.TemporaryDirectory() as place:
        return {PAGE: follow(PAGE, Path(place))}
