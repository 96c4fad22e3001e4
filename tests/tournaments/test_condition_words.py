"""Conditions are named in words that need no knowledge of tournament files."""

from __future__ import annotations

from typing import Any

import pytest

from sweepstakes.game.rules import Rules
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.tournaments.condition_words import noise_words, rules_words
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.plan import describe_rules
from sweepstakes.tournaments.resolve.conditions import make_conditions

CLASSIC = {"on_mine": "end", "first_click": "safe"}


def conditions(**keys: Any) -> list[Any]:
    config = parse({"name": "test", "games": 1, "seed": 7, "boards": "expert", "agents": ["basic"], **keys})
    return list(make_conditions(config, Registry.built_in()))


@pytest.mark.parametrize(
    ("keys", "titles"),
    [
        ({}, ["Expert"]),
        ({"boards": {"size": 16, "density": [0.15]}}, ["16x16, mine density 0.15"]),
        ({"boards": "5x8/1"}, ["5x8 with 1 mine"]),
        ({"boards": "16x16/40"}, ["16x16 with 40 mines"]),
        (
            {"rules": [CLASSIC, {"on_mine": "end", "first_click": "opening"}]},
            [
                "Expert, safe first click, first mine ends the game",
                "Expert, first click opens a blank, first mine ends the game",
            ],
        ),
        (
            {"noise": ["exact-clues", {"hidden": {"rate": 0.25}}, {"liar": {"rate": 0.5, "blanks": True}}]},
            [
                "Expert, exact clues",
                "Expert, clues withheld with probability 0.25",
                "Expert, clues one off, also of blanks, with probability 0.5",
            ],
        ),
        (
            {
                "boards": [
                    {"preset": "expert", "source": s} for s in ("uniform", "clustered", {"clustered": {"group": 8}})
                ]
            },
            ["Expert", "Expert, mines in groups of 4", "Expert, mines in groups of 8"],
        ),
    ],
)
def test_a_title_says_what_differs_between_conditions(keys: dict[str, Any], titles: list[str]) -> None:
    assert [condition.title for condition in conditions(**keys)] == titles


def test_no_title_has_a_word_of_a_tournament_file() -> None:
    rules = [{**CLASSIC, "start": [0, 3]}, {"on_mine": "continue", "first_click": "any", "flood": False}]
    noise = [{name: {"rate": 0.1}} for name in ("hidden", "optimistic", "cautious", "liar")]
    for condition in conditions(rules=rules, noise=noise):
        for text in (condition.title, condition.description, describe_rules([condition])):
            assert "=" not in text
            assert "_" not in text


def test_a_description_adds_the_rules_and_the_noise_that_all_conditions_share() -> None:
    (condition,) = conditions(rules=CLASSIC, noise={"hidden": {"rate": 0.25}})
    shared = "safe first click, first mine ends the game, clues withheld with probability 0.25"
    assert condition.description == f"Expert, {shared}"
    assert conditions(rules=[CLASSIC, {"on_mine": "end"}])[0].description == (
        "Expert, safe first click, first mine ends the game"
    )


def test_rules_in_all_combinations_are_listed_once() -> None:
    clicks = ("any", "safe", "opening")
    both = [Rules.of({"first_click": click, "start": start}) for click in clicks for start in ((0, 0), (8, 8))]
    assert rules_words(both) == (
        "first click may hit a mine, safe first click or first click opens a blank, game continues after a mine, game "
        "begins at (0, 0) or (8, 8)"
    )
    assert rules_words([Rules.of(CLASSIC), Rules()]) == (
        "safe first click, first mine ends the game; or first click may hit a mine, game continues after a mine"
    )


def test_rates_of_one_noise_are_listed_together_and_a_foreign_noise_by_its_spec() -> None:
    noises = [*(Spec("hidden", {"rate": rate}) for rate in (0.05, 0.1, 1)), Spec("fog", {"depth": 2})]
    assert noise_words(noises) == "clues withheld with probability 0.05, 0.1 or 1; or fog(depth=2)"
