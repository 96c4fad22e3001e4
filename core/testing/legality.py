"""Steps of `check_agent`: every turn is legal and every game ends, under all rules, noises and board sizes."""

from __future__ import annotations

from sweepstakes.agent import Agent
from sweepstakes.testing.scenarios import every_noise, every_rule, odd_boards
from sweepstakes.testing.steps import Factory, check, play_all


def is_an_agent(factory: Factory) -> None:
    """Every call of the factory makes a new `Agent`."""
    first, second = factory(), factory()
    for agent in (first, second):
        check(isinstance(agent, Agent), f"it made a {type(agent).__name__}, which is not a sweepstakes.Agent")
    check(first is not second, "it gave the same object twice: every game needs a fresh agent")


def keeps_the_rules(factory: Factory) -> None:
    """Games under all combinations of rules end without a fault."""
    play_all(factory, every_rule())


def copes_with_noise(factory: Factory) -> None:
    """Games under every clue noise end without a fault."""
    play_all(factory, every_noise())


def plays_odd_boards(factory: Factory) -> None:
    """Games on the smallest boards, without mines and with mines only, end without a fault."""
    play_all(factory, odd_boards())
