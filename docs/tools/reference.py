"""Writes the reference pages: of the commands, of the keys of a tournament file, and of the names of the packages."""

from __future__ import annotations

import importlib
import inspect
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import yaml
from click.testing import CliRunner

from sweepstakes.cli.main import COMMANDS, cli
from sweepstakes.limits import declared
from sweepstakes.tournaments.config.json_schema import json_schema

DOCS = Path(__file__).resolve().parents[1]
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
    "LONGEST": "The maximum number of neighbouring clues that `windows` solves together.",
    "OFFER_STEPS": "The steps of `check_offer`, in order, for each kind of plugin.",
    "PRESETS": "The standard board sizes by name: beginner, intermediate and expert.",
    "REWARDS": "The reward presets by name: win and progress.",
    "STEPS": "The steps of `check_agent`, in order.",
    "Weighting": "How `posterior` weights solutions: by their number of layouts (`layouts`) or equally (`solutions`).",
    "hookimpl": "Marks a plugin function as the implementation of a hook.",
}
"""Summaries of constants and of functions from other packages, which have no docstring of their own."""


GROUPS = {"boards": "Boards", "rules": "RulesItem", "agents": "AgentItem", "limits": "LimitsItem", "range": "Range"}
"""The keys whose values have keys of their own, and the models of these."""
TITLES = {
    "boards": "An item of `boards`",
    "rules": "An item of `rules`",
    "agents": "An item of `agents`",
    "limits": "The keys of `limits`",
    "range": "A range",
}
WHOLE_FILE = """
name: small-boards
seed: 2026
games: 200                                        # boards for each condition
boards: [expert, {size: 16, density: [0.15, 0.2]}]  # 3 sizes
rules:                                            # x 2 sets of rules = 6 conditions
  - {on_mine: end, first_click: safe}
  - {on_mine: end, first_click: opening}
agents: [basic, exact, "chain(window=6)", ./edge_first.py]
scores: [win, win-adjusted, guesses]              # win ranks
limits: {turn_seconds: 2, game_seconds: 20}
"""
INTRODUCTIONS = {
    "boards": "Each combination of the lists is a size. An item may also be text: `expert`, `16x30/99`, `16x30@0.2`.",
    "limits": "A game that exceeds a limit ends with a fault. `null` means no limit.",
    "range": "Wherever `boards` accepts a list of numbers, it also accepts a range. Both ends are included.",
}
_LIMITS = {
    f"limits.{key}": {"example": f"limits: {{{key}: {limit.default or 1000000}}}"} for key, limit in declared().items()
}
KEYS: dict[str, dict[str, str]] = _LIMITS | yaml.safe_load(
    (Path(__file__).parent / "tournament_keys.yaml").read_text(encoding="utf-8")
)
"""The example of each key, and its type, default and meaning where the model does not say enough."""


def commands_page() -> str:
    """Every command with its help, in groups."""
    parts = ["# Commands", "The output of `sweepstakes COMMAND --help`. Written by `docs/tools/write.py --write`."]
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
        _fill(
            "A tournament is a yaml file. `boards` and `agents` are required; every other key has a default. Paths are "
            "relative to the file. `sweepstakes run FILE --dry-run` shows what a file means, and `sweepstakes schema` "
            "prints the JSON Schema for editors. [`sweepstakes run`](commands.md#sweepstakes-run) has options that "
            "override many of the keys. Written by `docs/tools/write.py --write`."
        ),
        f"```yaml\n{WHOLE_FILE.strip()}\n```",
        *_keys("", schema["properties"], set(schema["required"])),
    ]
    for group, name in GROUPS.items():
        about = defined[name]
        parts.append(f"## {TITLES[group]}")
        parts.append(_fill(INTRODUCTIONS.get(group) or about["description"]))
        parts += _keys(group, about["properties"], set(about.get("required", ())))
    return "\n\n".join(parts) + "\n"


def examples() -> dict[str, str]:
    """A whole tournament file with the example of each key."""
    needed = {"boards": "boards: beginner", "agents": "agents: basic"}
    return {
        key: "\n".join(
            [about["example"], *(line for name, line in needed.items() if not about["example"].startswith(name))]
        )
        for key, about in KEYS.items()
    }


def _keys(group: str, properties: dict[str, Any], required: set[str]) -> Iterator[str]:
    for key, about in properties.items():
        said = KEYS[f"{group}.{key}" if group else key]
        yield f"{'###' if group else '##'} `{key}`"
        value = "" if key in required else said.get("default") or f"`{json.dumps(about['default'])}`".replace('"', "")
        yield _fill(f"Type: {said.get('type') or _type(about)}. " + (f"Default: {value}." if value else "Required."))
        yield _fill(said.get("meaning") or about["description"])
        yield f"```yaml\n{said['example'].strip()}\n```"


def _fill(text: str) -> str:
    return textwrap.fill(_line(text), 120, break_long_words=False, break_on_hyphens=False)


def _type(about: dict[str, Any]) -> str:
    """The type of a key in words."""
    if "enum" in about:
        *most, last = [f"`{value}`" for value in about["enum"]]
        return f"{', '.join(most)} or {last}"
    if about.get("type") == "integer":
        low, high = about.get("minimum"), about.get("maximum")
        return "whole number" + (f" from {low:,} to {high:,}" if low is not None and high is not None else "")
    if about.get("type") == "boolean":
        return "`true` or `false`"
    if about.get("type") == "string":
        return "text" + (f" of at most {about['maxLength']} characters" if "maxLength" in about else "")
    if about.get("$ref", "").endswith("/Range"):
        return "[range](#a-range)"
    if about.get("type") == "array" and "items" in about:
        return "a list of these"
    if about.get("type") == "null":
        return "`null`"
    if "anyOf" in about:
        kinds = [_type(kind) for kind in about["anyOf"]]
        if "whole number" in kinds and "number" in kinds:
            kinds.remove("whole number")
        more = f" above {about['gt']}" if "gt" in about else ""
        return " or ".join(dict.fromkeys(kinds)) + more
    assert about.get("type") == "number", f"a type without words: {about}"
    return "number"


def python_page() -> str:
    """Every name that a package exports, with the first sentence of its documentation."""
    parts = [
        "# Python",
        "Every public name, with a one-line description; [API](api.md) has the full docstrings. Names that are not\n"
        "listed here may change at any time. Written by `docs/tools/write.py --write`.",
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


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def generated() -> dict[Path, str]:
    """Return the pages by their files."""
    return {
        DOCS / "commands.md": commands_page(),
        DOCS / "python.md": python_page(),
        DOCS / "tournament-file.md": tournament_page(),
    }
