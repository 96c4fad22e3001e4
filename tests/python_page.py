"""Run the Python of docs/one-game.md and compare what it prints with what the page says.

    python tests/python_page.py            compare
    python tests/python_page.py --write    put what is printed into the page

Blocks marked `python run` are run one after the other, in one module; a block marked `text output` after one of them is
what it must print.
"""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path

from notebooks import run_cells

PAGE = Path(__file__).resolve().parents[1] / "docs" / "one-game.md"
BLOCK = re.compile(r"^```python run\n(.*?)^```\n\n```text output\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def follow(page: Path) -> tuple[str, list[str]]:
    """The page with what its code prints, and where that differs from what it says."""
    text = page.read_text(encoding="utf-8")
    codes = [code for code, _ in BLOCK.findall(text)]
    assert len(codes) == text.count("```python"), "a block of Python without its output"
    printed = iter(run_cells({"cells": [{"cell_type": "code", "source": code} for code in codes]}))
    complaints: list[str] = []

    def fill_in(block: re.Match[str]) -> str:
        code, said = block.groups()
        found = next(printed).get("stream", "")
        if found != said:
            complaints.append("\n".join(difflib.unified_diff(said.splitlines(), found.splitlines(), "page", "printed")))
        return f"```python run\n{code}```\n\n```text output\n{found}```"

    return BLOCK.sub(fill_in, text), complaints


def main() -> int:
    """Run the page; 1 if anything differs."""
    text, complaints = follow(PAGE)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    print("\n".join(complaints) or f"{PAGE.name}: as it says")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
