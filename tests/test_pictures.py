"""The page on pictures shows what its code draws, and prints what its commands print."""

from __future__ import annotations

import sys
from pathlib import Path

import pictures
import pytest
import tutorial

pytestmark = pytest.mark.system

PICTURES = Path(pictures.ROOT) / "docs" / "pictures"


def test_the_pictures_are_what_the_code_of_the_page_draws() -> None:
    assert not pictures.differing(), "run tests/pictures.py --write"


def test_there_are_no_other_pictures() -> None:
    assert {file for file in PICTURES.iterdir() if file.suffix == ".svg"} == set(pictures.pictures())


def test_the_commands_of_the_page_print_what_it_says(tmp_path: Path) -> None:
    _, complaints = tutorial.follow(pictures.PAGE, tmp_path, Path(sys.executable).parent)
    assert not complaints, "\n\n".join(complaints)
