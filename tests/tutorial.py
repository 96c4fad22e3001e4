"""Follow the tutorial literally and compare what is printed with what the page says.

    python tests/tutorial.py         in this environment
    python tests/tutorial.py --fresh    in a new environment, installed as the page says
    python tests/tutorial.py --write    put what is printed into the page

Of the page's fenced blocks, those marked `file=NAME` are written to a file, those marked `run` are run by bash in an
empty directory, and those marked `output` are what it must print. Those marked `install` are run in a copy of the
repository, and only with --fresh.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(\w+) (run|output|install|file=\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def follow(page: Path, directory: Path, programs: Path, *, fresh: Path | None = None) -> tuple[str, list[str]]:
    """The page with what its commands print, and where that differs from what it says.

    `programs` is the folder of the environment's programs; `fresh` a copy of the repository to install from.
    """
    text = page.read_text(encoding="utf-8")
    complaints: list[str] = []
    printed = ""
    environment = os.environ | {"COLUMNS": "120"}

    def carry_out(block: re.Match[str]) -> str:
        nonlocal printed
        language, what, body = block.groups()
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        if what == "install":
            if fresh is not None:
                subprocess.run(["bash", "-ec", body], cwd=fresh, check=True)
        elif what == "run":
            done = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", body],
                cwd=directory,
                env=environment | {"PATH": path},
                capture_output=True,
                text=True,
            )
            printed = done.stdout
            if done.returncode:
                complaints.append(f"$ {body.strip()}\nended with {done.returncode}: {done.stderr}")
        elif what == "output":
            if printed != body:
                lines = difflib.unified_diff(body.splitlines(), printed.splitlines(), "page", "printed", lineterm="")
                complaints.append("\n".join(lines))
            return f"```{language} {what}\n{printed}```"
        else:
            (directory / what.removeprefix("file=")).write_text(body, encoding="utf-8")
        return block.group()

    return BLOCK.sub(carry_out, text), complaints


def main() -> int:
    """Follow the page; 1 if anything differs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place) / "mine"
        directory.mkdir()
        copy = None
        programs = Path(sys.executable).parent
        if given.fresh:
            copy = Path(place) / "clone"
            left_out = shutil.ignore_patterns(".git", ".venv", "build", "runs", "*.egg-info", "__pycache__", ".*_cache")
            shutil.copytree(ROOT, copy, ignore=left_out)
            programs = copy / ".venv" / "bin"
        text, complaints = follow(PAGE, directory, programs, fresh=copy)
    if given.write:
        PAGE.write_text(text, encoding="utf-8")
    for complaint in complaints:
        print(complaint)
    print(f"{PAGE.name}: {'as it says' if not complaints else f'{len(complaints)} differences'}")
    return 1 if complaints and not given.write else 0


if __name__ == "__main__":
    sys.exit(main())
