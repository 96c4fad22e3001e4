"""The judge: takes the turns of a game again, with no agent at the table, and says whether its row agrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sweepstakes.errors import IllegalMove
from sweepstakes.executor import Fixture
from sweepstakes.game import Game
from sweepstakes.record import read_turns
from sweepstakes.registry import Registry
from sweepstakes.result import Ending, GameResult
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.worker import Setting
from sweepstakes.turn import Turn


class Outcome(NamedTuple):
    """What must be the same whenever a game is played: how it ended, and all that it counts."""

    ending: str
    """That of the result, or `not over`."""
    opened: int
    right_flags: int
    wrong_flags: int
    detonated: int
    turns: int
    asked: int
    guesses: int
    fallbacks: int

    @classmethod
    def of(cls, result: GameResult) -> Outcome:
        """That of a result."""
        return cls(str(result.ending), *result[4:12])

    def words(self, result: GameResult) -> str:
        """All of it in a line; the result says how large the board is."""
        return (
            f"{self.ending}, {self.opened} of {result.safe} safe cells open, {self.right_flags} of {result.mines} "
            f"mines flagged, {self.wrong_flags} wrong flags, {self.detonated} set off, {self.turns} turns, "
            f"{self.asked} cells asked for, {self.guesses} guesses, {self.fallbacks} fallbacks"
        )


def take_again(game: Game, turns: Sequence[Turn], stated: GameResult) -> Outcome:
    """What the referee makes of the turns, in a game that has not begun.

    Where an agent broke a game off, by an error or an answer that is no turn, the turns do not tell: then, and only
    then, the ending is the stated one. `ValueError`, with a sentence, if these are not the turns of one game.
    """
    for number, turn in enumerate(turns, 1):
        if game.over:
            raise ValueError(f"the game is over after {number - 1} of {len(turns)} turns")
        try:
            game.take(turn)
        except IllegalMove as broken:
            if number < len(turns):
                raise ValueError(f"turn {number} of {len(turns)} is illegal") from None
            game.forfeit(Ending.ILLEGAL_MOVE, str(broken))
    if game.over:
        return Outcome.of(game.result())
    game.forfeit(stated.ending, stated.fault)
    outcome = Outcome.of(game.result())
    return outcome if stated.ending.is_fault else outcome._replace(ending="not over")


class Judge:
    """Sets the games of a plan up again. Nothing of an agent is needed for that."""

    def __init__(self, plan: Plan, registry: Registry) -> None:
        self._plan = plan
        self._settings = [Setting.of(condition, registry) for condition in plan.conditions]

    def game(self, fixture: Fixture) -> Game:
        """The game before the first turn."""
        return self._settings[fixture.condition].game(fixture.number, self._plan.name(fixture))

    def complaint(self, fixture: Fixture, stored: GameResult, moves: Any, stated: GameResult) -> str:
        """In which way the row of a game is not what the turns give, in a sentence; nothing if it is.

        `stored` is the row in question, `moves` are packed turns, `stated` is what was said of those turns.
        """
        row = Outcome.of(stored)
        try:
            found = take_again(self.game(fixture), read_turns(moves), stated)
        except ValueError as error:
            return f"the row says {row.words(stored)}; {error}"
        return "" if found == row else f"the row says {row.words(stored)}; the turns give {found.words(stored)}"
