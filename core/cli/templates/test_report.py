"""Tests of `my-thing`."""

from __future__ import annotations

from sweepstakes.tournaments import run_tournament

from my_thing import MyThing


def test_the_report_lists_the_agents() -> None:
    standings = run_tournament({"boards": "beginner", "games": 2, "agents": ["random", "basic"], "workers": 1})
    text = MyThing().text(standings)
    assert "basic" in text
    assert text == MyThing().text(standings)
