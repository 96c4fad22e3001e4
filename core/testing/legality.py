"""Whether an agent keeps the rules: every turn legal, every game ended, whatever the rules, noise and board."""

from __future__ import annotations

from sweepstakes.agent import Agent
from sweepstakes.testing.scenarios import every_noise, every_rule, odd_boards
from sweepstakes.testing.steps import Factory, check, play_all


def is_an_agent(factory: Factory) -> None:
    """Every call of the factory makes a fresh `Agent`."""
    first, second = factory(), factory()
    for made in (first, second):
        check(isinstance(made, Agent), f"it made a {type(made).__name__}, which is not a sweepstakes.Agent")
    check(first is not second, "it gave the same object twice: every game needs a fresh agent")


def keeps_the_rules(factory: Factory) -> None:
    """Games under every combination of rules end without a fault."""
    play_all(factory, every_rule())


def copes_with_noise(factory: Factory) -> None:
    """Games under every clue noise end without a fault."""
    play_all(factory, every_noise())


def plays_odd_boards(factory: Factory) -> None:
    """Games on the smallest, emptiest and fullest boards end without a fault."""
    play_all(factory, odd_boards())
