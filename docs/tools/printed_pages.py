"""Runs the Python of pages whose output is shown: docs/one-game.md and docs/definitions.md.

Blocks marked `python run` are run one after the other, in one module; a block marked `text output` after one of them is
what it must print.
"""

from __future__ import annotations

import re
from pathlib import Path

from notebooks import run_cells

DOCS = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python run\n(.*?)^```\n\n```text output\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def follow(page: Path) -> str:
    """Run the Python of a page. Return the page with what it printed."""
    text = page.read_text(encoding="utf-8")
    codes = [code for code, _ in BLOCK.findall(text)]
    assert len(codes) == text.count("```python"), "a block of Python without its output"
    printed = iter(run_cells({"cells": [{"cell_type": "code", "source": code} for code in codes]}))

    def fill_in(block: re.Match[str]) -> str:
        return f"```python run\n{block[1]}```\n\n```text output\n{next(printed).get('stream', '')}```"

    return BLOCK.sub(fill_in, text)


def generated() -> dict[Path, str]:
    """Return the pages by their files."""
    return {page: follow(page) for page in (DOCS / "one-game.md", DOCS / "definitions.md")}
