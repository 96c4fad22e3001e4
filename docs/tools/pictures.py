"""Follows docs/pictures-and-formats.md: draws its pictures, and runs its commands.

Each block of Python on the page leaves an SVG in `picture`, which is the picture that the page shows below the block.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import tutorial

PAGE = Path(__file__).resolve().parents[1] / "pictures-and-formats.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n+!\[.*?\]\((.*?)\)$", re.MULTILINE | re.DOTALL)


def pictures() -> dict[Path, str]:
    """The pictures of the page, by their files."""
    names: dict[str, Any] = {}
    found = {}
    for code, file in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        exec(code, names)
        found[PAGE.parent / file] = names.pop("picture")
    return found


def generated() -> dict[Path, str]:
    """Return the page, with what its commands print, and its pictures by their files."""
    with tempfile.TemporaryDirectory() as place:
        return {PAGE: tutorial.follow(PAGE, Path(place)), **pictures()}
