"""Tests of `my-thing`."""

from __future__ import annotations

from sweepstakes.tournaments import run_tournament

from my_thing import MyThing


def test_every_agent_has_a_line() -> None:
    standings = run_tournament({"boards": "beginner", "games": 2, "agents": ["random", "basic"], "workers": 1})
    text = MyThing().text(standings)
    assert "basic" in text
    assert text == MyThing().text(standings)
