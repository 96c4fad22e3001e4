"""Writes the page of the agents: each with its idea (the docstring of its module), parameters, source and picture."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from pathlib import Path

import numpy as np

from sweepstakes import Agent, Registry, View, svg
from sweepstakes.agent import start_agent
from sweepstakes.game.turn import Cells

DOCS = Path(__file__).resolve().parents[1]
PAGE = DOCS / "agents.md"
INTRODUCTION = """\
# Agents

This page describes the built-in agents, from the simplest to the strongest. For each it gives the idea (the docstring
of its module in `plugins/agents`), the source, the code, and a picture of one turn. `sweepstakes agents` lists the
agents, and `sweepstakes watch NAME` plays a game of one. The picture below shows the leaderboard
[classic](../leaderboards/published/classic/README.md), with all agents except `trusting` and `bounds`. These two play
on the leaderboard [noise](../leaderboards/published/noise/README.md). Written by `docs/tools/write.py --write`.

<picture><source media="(prefers-color-scheme: dark)" \
srcset="../leaderboards/published/classic/plots/ranking-dark.svg"><img alt="How often each agent wins" \
src="../leaderboards/published/classic/plots/ranking.svg"></picture>

In the pictures, a green tick marks a cell that the agent opens as certain, a red cross a mine that it flags, a question
mark a guess, and three dots a cell drawn at random."""
STRONG = "8 8 12\n..1.....\n1112.2..\n.101.2.1\n.322111.\n....101.\n....211.\n........\n..1....."
"""Each way of reasoning proves other cells here: single clues none, pairs of clues some, triples all."""
COUNT = "8 8 12\n.1000011\n.100123.\n11001..3\n.22123..\n....1...\n.23233.1\n..1.....\n.1112..."
"""Solutions prove more than equations here, and the mine count proves still more."""
STUCK = "3 4 2 on_mine=end\n.1..\n....\n...1"
"""Nothing is certain here."""
UNCERTAIN = "4 5 4 noise=optimistic(rate=0.5)\n0012.\n012..\n02...\n1...."
"""Every clue may be too small here."""
SHOWN = {
    "random": STUCK,
    "basic": STRONG,
    "knowledge-base": STRONG,
    "local-probability": STRONG,
    "ibm": STRONG,
    "chain": STRONG,
    "bounds": UNCERTAIN,
    "triples": STRONG,
    "triples-global": COUNT,
    "probabilistic": COUNT,
    "improved-probabilistic": COUNT,
    "trusting": COUNT,
    "exact": STUCK,
    "learned": COUNT,
    "champion": STUCK,
}
"""The agents in the order of the page, and the position that each is shown with."""
OURS = {
    "random": "written for this package",
    "trusting": "written for this package, to compare with [`exact`](#exact)",
    "exact": "written for this package; the sum over all layouts is in [`core/inference/exact`]"
    "(../core/inference/exact/__init__.py), and [one game](one-game.md#mine-probabilities) calls it",
    "learned": "written for this package; [learning](learning.md#the-agent-learned) says how it was trained",
    "champion": "written for this package; [the agent `champion`](champion.md) has the method and what it is worth",
}
"""Where the agents come from that are in none of the reports of docs/sources.md."""


def page() -> str:
    """The page of all agents."""
    parts = [INTRODUCTION]
    registry = Registry.default()
    sources = (DOCS / "sources.md").read_text(encoding="utf-8")
    modules: dict[str, list[str]] = {}
    for name in SHOWN:
        modules.setdefault(registry.agent(name)().__class__.__module__, []).append(name)
    for module, names in modules.items():
        parts.append("## " + " and ".join(f"`{name}`" for name in names))
        parts.append(_text(module))
        parts += [_parameters(registry, name) for name in names]
        parts.append(_fill(f"Source: {_reports(sources, names) or OURS[names[0]]}. Code: {_code(module)}."))
        parts += [f"![A turn of {name}](pictures/agents/{name}.svg)" for name in names]
    return "\n\n".join(part for part in parts if part) + "\n"


def _code(module: str) -> str:
    path = "/".join(module.split(".")[1:]) + ".py"
    return f"[`{path}`](../{path})"


def _fill(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def _text(module: str) -> str:
    """The text of a module without its first word, which is the name in the heading."""
    text = inspect.cleandoc(importlib.import_module(module).__doc__ or "")
    first, _, rest = text.partition("\n")
    idea = first.partition(": ")[2]
    code = re.sub(r"((?:^    .*\n?(?:\n(?=    ))?)+)", _block, rest, flags=re.MULTILINE)
    return f"**{idea[0].upper()}{idea[1:]}**\n{code}".rstrip()


def _block(lines: re.Match[str]) -> str:
    return "```text\n" + inspect.cleandoc(lines[1]) + "\n```\n"


def _parameters(registry: Registry, name: str) -> str:
    parameters = registry.offers("agent")[name].description.parameters
    return f"Parameters of `{name}` and their defaults: `{parameters}`." if parameters else ""


def _reports(sources: str, names: list[str]) -> str:
    """The reports that have one of these agents; one that has it with parameters comes last and says so."""
    plain, others = [], []
    for letter, line in re.findall(r"^\| ([A-E]), (.*)", sources, re.MULTILINE):
        found = [spec for name in names for spec in re.findall(rf"`({name}(?:\(.*?\))?)`", line)]
        link = f"[{letter}](sources.md#{letter.lower()})"
        if any(spec in names for spec in found):
            plain.append(link)
        elif found:
            others.append(f"; report {link} has `{found[0]}`")
    if not plain and not others:
        return ""
    *first, last = plain
    words = f"reports {', '.join(first)} and {last}" if first else f"report {last}"
    return words + "".join(others)


def pictures() -> dict[Path, str]:
    """The pictures of the page, by their files."""
    registry = Registry.default()
    return {
        DOCS / "pictures" / "agents" / f"{name}.svg": turn_picture(
            start_agent(registry.agent(name), 1), View.parse(text)
        )
        for name, text in SHOWN.items()
    }


def turn_picture(agent: Agent, view: View) -> str:
    """A position and what the agent does with it."""
    turn = agent.act(view)
    opened = {"proof": "safe", "guess": "guess", "random": "random"}[turn.why]
    marks = dict.fromkeys(_cells(view, turn.open), opened) | dict.fromkeys(_cells(view, turn.flag), "mine")
    return svg(view, marks=marks, coordinates=False, cell=20)


def _cells(view: View, cells: Cells) -> list[tuple[int, int]]:
    if isinstance(cells, np.ndarray):
        return [divmod(int(flat), view.cols) for flat in cells]
    return [(row, col) for row, col in cells]


def generated() -> dict[Path, str]:
    """Return the page and its pictures by their files."""
    return {PAGE: page(), **pictures()}
