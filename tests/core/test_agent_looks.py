"""An agent looks the same wherever it is drawn."""

from __future__ import annotations

import re

from sweepstakes import Registry
from sweepstakes.drawing.agent_looks import COLOURS, DARK_COLOURS, FIXED, MARKERS, agent_looks
from sweepstakes.web.assets import assets, modules


def test_a_built_in_agent_looks_the_same_in_every_tournament() -> None:
    assert agent_looks(["basic", "exact"])["exact"] == agent_looks(["exact", "mine", "chain(window=6)"])["exact"]
    assert set(FIXED) <= set(Registry.built_in().offers("agent"))


def test_no_two_agents_look_alike() -> None:
    agents = [*FIXED, *(f"agent-{i}" for i in range(14))]
    assert len(set(agent_looks(agents).values())) == len(agents)
    assert len({agent_looks([*FIXED])[agent].colour for agent in FIXED[:7]}) == 7


def test_the_arena_has_the_same_colours_and_markers() -> None:
    colours = re.findall(r"--s\d: (#[0-9a-f]{6})", assets()["style.css"])
    assert colours == [colour.lower() for colour in (*COLOURS, *DARK_COLOURS)]
    drawn = set(re.findall(r'^  (?:"(.)"|(.)): "M', modules()["agent_mark.js"], re.M))
    assert {first or second for first, second in drawn} == set(MARKERS)
