"""Follows the page on pictures: draws its pictures, and runs its commands.

    python tests/pictures.py            compare the pictures and the output with what they should be
    python tests/pictures.py --write    write them

Each block of Python on the page leaves an SVG in `picture`, which is the picture that the page shows below the block.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import tutorial

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "pictures-and-formats.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n+!\[.*?\]\((.*?)\)$", re.MULTILINE | re.DOTALL)


def pictures() -> dict[Path, str]:
    """The pictures of the page, by their files."""
    names: dict[str, Any] = {}
    found = {}
    for code, file in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        exec(code, names)
        found[PAGE.parent / file] = names.pop("picture")
    return found


def differing() -> list[Path]:
    """The files that are not what the page's code draws."""
    return [
        file for file, text in pictures().items() if not (file.is_file() and file.read_text(encoding="utf-8") == text)
    ]


def main() -> int:
    write = "--write" in sys.argv[1:]
    files = differing()
    with tempfile.TemporaryDirectory() as place:
        page, complaints = tutorial.follow(PAGE, Path(place), Path(sys.executable).parent)
    if write:
        PAGE.write_text(page, encoding="utf-8")
        for file, text in pictures().items():
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
    for line in [*(f"{file.relative_to(ROOT)} differs" for file in files), *complaints]:
        print(line)
    return bool(files or complaints) and not write


if __name__ == "__main__":
    sys.exit(main())
