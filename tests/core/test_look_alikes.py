"""A label that looks like the name of another agent is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from said import Said

from sweepstakes import Registry
from sweepstakes.untrusted.look_alikes import look_alike

NAMES = ("basic", "chain", "champion", "exact")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ex\u0430ct", "exact"),  # Cyrillic
        ("\u0435\u0445\u0430\u0441t", "exact"),
        ("EX\u0410CT", "exact"),
        ("\uff45\uff58\uff41\uff43\uff54", "exact"),  # full width
        ("\U0001d41ex\U0001d41act", "exact"),  # mathematical
        ("e\u0301xact", "exact"),
        ("ch\u0430in(window=6)", "chain"),
        ("ex\u0430ct v2", "exact"),
        ("champi0n", "champion"),
        ("charnpion", "champion"),
        ("baslc", "basic"),
    ],
)
def test_a_name_that_looks_like_another_is_found(text: str, name: str) -> None:
    assert look_alike(text, NAMES) == name


@pytest.mark.parametrize(
    "text", ["exact", "Exact", "exact v2", "\u041f\u0430\u0432\u0435\u043b", "J\u00fcrgen", "chains"]
)
def test_other_names_are_taken_for_nobody(text: str) -> None:
    assert look_alike(text, NAMES) == ""


def test_built_in_agents_do_not_look_alike() -> None:
    names = list(Registry.built_in().offers("agent"))
    assert [name for name in names if look_alike(name, names)] == []


def test_a_look_alike_of_a_built_in_agent_is_refused(tmp_path: Path, sweepstakes: Callable[..., Said]) -> None:
    (tmp_path / "t.yaml").write_text(
        "boards: beginner\nagents:\n  - random\n  - {agent: random(), as: ex\u0430ct}\n", encoding="utf-8"
    )
    said = sweepstakes("run", "t.yaml")
    expected = "'ex\u0430ct' looks like the built-in agent 'exact' but is a different one: choose another name"
    assert said == (2, "", f"sweepstakes: t.yaml:4: {expected}\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b\u0435n.py").write_text("")
    (tmp_path / "in" / "ben.py").write_text("")
    said = sweepstakes("classroom", "in", "--out", "class")
    assert said.code == 2
    assert "looks like the agent 'ben' but is a different one: choose another name" in said.err
