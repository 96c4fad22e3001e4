"""Writes the reference pages: of the commands, of the keys of a tournament file, and of the names of the packages.

python tests/reference.py            compare the pages with what they should say
python tests/reference.py --write    write them
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from sweepstakes.cli.main import COMMANDS, cli
from sweepstakes.tournaments.config.json_schema import json_schema

DOCS = Path(__file__).resolve().parents[1] / "docs"
WIDTH = 100
PACKAGES = (
    "sweepstakes",
    "sweepstakes.tournaments",
    "sweepstakes.testing",
    "sweepstakes.inference",
    "sweepstakes.inference.deduction",
    "sweepstakes.learning",
)


VALUES = {
    "LONGEST": "The most neighbouring clues that `windows` takes together.",
    "PRESETS": "The standard sizes by name: beginner, intermediate and expert.",
    "REWARDS": "The presets of rewards by name: win and progress.",
    "STEPS": "The steps of `check_agent`, in order.",
    "Weighting": "How `posterior` weighs solutions: `layouts`, by their number of layouts, or `solutions`, all alike.",
    "hookimpl": "Marks a function of a plugin as the implementation of a hook.",
}
"""What values and other packages' functions are, since they have no documentation of their own."""


def commands_page() -> str:
    """Every command with its help, in groups."""
    parts = ["# Commands", "What `sweepstakes COMMAND --help` prints. Written by `tests/reference.py --write`."]
    for group, commands in COMMANDS.items():
        parts.append(f"## {group}")
        parts += [f"### sweepstakes {name}\n\n```text\n{_help(name)}\n```" for name in commands]
    return "\n\n".join(parts) + "\n"


def _help(name: str) -> str:
    settings: dict[str, Any] = {"terminal_width": WIDTH, "max_content_width": WIDTH}
    shown = CliRunner().invoke(cli, [name, "--help"], prog_name="sweepstakes", **settings)
    assert shown.exit_code == 0, shown.output
    return click.unstyle(shown.output).rstrip()


def tournament_page() -> str:
    """Every key of a tournament file, from the JSON Schema of its model."""
    schema = json_schema()
    defined = schema["$defs"]
    parts = [
        "# The tournament file",
        "A tournament is a yaml file. `boards` and `agents` are needed, all other keys have a default. A path is\n"
        "relative to the file. `sweepstakes schema` prints the JSON Schema of the file, for editors; `sweepstakes run\n"
        "FILE --dry-run` prints what a file means. Written by `tests/reference.py --write`.",
        "\n".join(_table(schema["properties"], set(schema["required"]))),
    ]
    for key, title in (("boards", "Boards"), ("rules", "RulesItem"), ("agents", "AgentItem"), ("limits", None)):
        name = title or schema["properties"]["limits"]["$ref"].rpartition("/")[2]
        about = defined[name]
        parts.append(f"## An item of `{key}`" if key != "limits" else "## `limits`")
        parts.append(_line(about["description"]))
        parts.append("\n".join(_table(about["properties"], set(about.get("required", ())))))
    parts.append("## A range\n\nWherever a number of `boards` may be a list, it may be a range.")
    parts.append(_line(defined["Range"]["description"]))
    return "\n\n".join(parts) + "\n"


def python_page() -> str:
    """Every name that a package exports, with the first sentence of its documentation."""
    parts = [
        "# Python",
        "Every name that the packages export. Names that are not listed here may change at any time. Written by\n"
        "`tests/reference.py --write`.",
    ]
    for package in PACKAGES:
        module = importlib.import_module(package)
        rows = [
            f"| `{name}` | {_summary(getattr(module, name), name)} |" for name in sorted(module.__all__, key=str.lower)
        ]
        parts.append(f"## {package}\n\n{_summary(module)}")
        parts.append("\n".join(["| name | |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _summary(thing: Any, name: str = "") -> str:
    if name in VALUES:
        return VALUES[name]
    text = getattr(thing, "__doc__", None) or ""
    return _line(inspect.cleandoc(text).partition("\n\n")[0])


def _table(properties: dict[str, Any], required: set[str]) -> Iterator[str]:
    yield "| key | default | what it means |"
    yield "|---|---|---|"
    for name, about in properties.items():
        yield f"| `{name}` | {_default(name, about, required)} | {_line(about.get('description', ''))} |"


def _default(name: str, about: dict[str, Any], required: set[str]) -> str:
    if name in required:
        return "needed"
    value = about.get("default")
    return "" if value in (None, [], "") or isinstance(value, dict) else f"`{value}`"


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


PAGES = {"commands.md": commands_page, "python.md": python_page, "tournament-file.md": tournament_page}


def main() -> int:
    differing = [name for name, page in PAGES.items() if not _same(name, page())]
    if "--write" in sys.argv[1:]:
        for name in differing:
            (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
    print("\n".join(f"docs/{name} differs" for name in differing) or "the pages are what they should be")
    return bool(differing) and "--write" not in sys.argv[1:]


def _same(name: str, text: str) -> bool:
    path = DOCS / name
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
