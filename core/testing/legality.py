"""Steps of `check_agent`: every turn is legal and every game ends, under all rules and board sizes."""

from __future__ import annotations

from sweepstakes.agent import Agent
from sweepstakes.game.size import Size
from sweepstakes.testing.scenarios import EVERYTHING, Games
from sweepstakes.testing.steps import Factory, Note, check, play, play_all


def is_an_agent(factory: Factory, games: Games = EVERYTHING) -> None:
    """Every call of the factory makes a new `Agent`."""
    first, second = factory(), factory()
    for agent in (first, second):
        check(isinstance(agent, Agent), f"it made a {type(agent).__name__}, which is not a sweepstakes.Agent")
    check(first is not second, "it gave the same object twice: every game needs a fresh agent")


def keeps_the_rules(factory: Factory, games: Games = EVERYTHING) -> None:
    """Games under all combinations of rules end without a fault."""
    play_all(factory, games, games.every_rule())


def plays_odd_boards(factory: Factory, games: Games = EVERYTHING) -> None:
    """Games on the smallest boards, without mines and with mines only, end without a fault."""
    play_all(factory, games, games.odd_boards())


def deals_with_every_mine(factory: Factory, games: Games = EVERYTHING) -> str:
    """Say what happens to the mines if the game continues after one. An agent that never flags detonates them all."""
    setups = [games.setup(Size(8, 8, 10), number) for number in range(5)]
    results = [play(factory, games, setup).result for setup in setups]
    mines, detonated = sum(result.mines for result in results), sum(result.detonated for result in results)
    flags = sum(result.right_flags + result.wrong_flags for result in results)
    if flags or not detonated:
        return f"it flagged {flags} cells and detonated {detonated} of {mines} mines"
    return Note(
        f"it never flags. With on_mine=continue a game continues until every cell is open, flagged or detonated, so "
        f"it detonated {detonated} of {mines} mines and wins none of these games: flag the mines that are left, or "
        "give up with an empty Turn(). With on_mine=end no flag is needed"
    )
