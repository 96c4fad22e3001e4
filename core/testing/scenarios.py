"""The games that a check plays: under all rules and clue noises, or only under those of a tournament."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import Game
from sweepstakes.game.rules import RULES, Rules
from sweepstakes.game.setup import EXACT_CLUES, GameSetup
from sweepstakes.game.size import Size
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec

_VALUES = {name: [*rule.phrases, *([rule.example] if rule.example else [])] for name, rule in RULES.items()}
_ALL_RULES = tuple(Rules(*values) for values in product(*(_VALUES[name] for name in Rules._fields)))
_ALL_NOISES = (
    EXACT_CLUES,
    *map(
        Spec.parse,
        (
            "hidden(rate=0.3)",
            "hidden(rate=0.3,blanks=true)",
            "optimistic(rate=0.3)",
            "cautious(rate=0.3)",
            "liar(rate=0.3)",
            "liar(rate=0.3,blanks=true)",
        ),
    ),
)


@dataclass(frozen=True)
class Games:
    """The games that a check plays, and their names in messages."""

    agent: str = "agent"
    """The name of the agent in messages."""
    rules: tuple[Rules, ...] = _ALL_RULES
    noises: tuple[Spec, ...] = _ALL_NOISES
    registry: Registry | None = None
    """The registry of noises; by default the installed plugins."""
    restart: Callable[[], None] = lambda: None
    """Ends the process of the agent, if it has its own process. The next game begins in a new one."""

    @property
    def clues(self) -> Spec:
        """The noise of all games that are not about noise: exact clues, unless the tournament has none."""
        return EXACT_CLUES if EXACT_CLUES in self.noises else self.noises[0]

    @property
    def noisy(self) -> tuple[Spec, ...]:
        """The other noises."""
        return tuple(noise for noise in self.noises if noise != self.clues)

    def game(self, setup: GameSetup) -> Game:
        """Return the game before the first turn."""
        return setup.game(self.registry, self.agent)

    def setup(self, size: Size, number: int = 0, rules: Rules = Rules(), noise: Spec | None = None) -> GameSetup:
        """Return a game on a board of this size, under the rules of this check that are most like those."""
        for best in sorted(self.rules, key=lambda own: sum(a != b for a, b in zip(own, rules, strict=True))):
            fitting = _on_board(best, size)
            if _is_possible(fitting, size):
                return GameSetup(size, number=number, rules=fitting, noise=noise or self.clues)
        raise PositionError(f"{size}: too many mines for the rules of the tournament")

    def every_rule(self, where: Callable[[Rules], bool] = lambda rules: True) -> Iterator[GameSetup]:
        """Yield two games for each of the rules for which the condition holds."""
        for rules in filter(where, self.rules):
            for number, size in enumerate((Size(6, 7, 8), Size(5, 5, 12))):
                if _is_possible(fitting := _on_board(rules, size), size):
                    yield GameSetup(size, number=number, rules=fitting, noise=self.clues)

    def every_noise(self) -> Iterator[GameSetup]:
        """Yield games under the other noises, for all rules about mines and first clicks."""
        for noise, rules in product(self.noisy, self._mines_and_clicks()):
            for number, size in enumerate((Size(7, 6, 8), Size(5, 5, 3))):
                if _is_possible(fitting := _on_board(rules, size), size):
                    yield GameSetup(size, number=number, rules=fitting, noise=noise)

    def odd_boards(self, noise: Spec | None = None) -> Iterator[GameSetup]:
        """Yield one cell, one row, one column, no mines, mines only."""
        for rows, cols in ((1, 1), (1, 2), (1, 7), (7, 1), (2, 2), (3, 4)):
            cells = rows * cols
            for mines in sorted({0, 1, cells // 2, cells - 1, cells} & set(range(cells + 1))):
                size = Size(rows, cols, mines)
                for rules in dict.fromkeys(_on_board(rules, size) for rules in self._mines_and_clicks()):
                    if _is_possible(rules, size):  # not too many mines for a safe first click
                        yield GameSetup(size, rules=rules, noise=noise or self.clues)

    def sample(self) -> list[GameSetup]:
        """Return a few games under different rules, for steps that play each game several times."""
        games = (
            (Size(8, 8, 10), Rules()),
            (Size(8, 8, 10), Rules("end", "safe")),
            (Size(6, 9, 12), Rules("continue", "opening")),
        )
        return [self.setup(size, number, rules) for number, (size, rules) in enumerate(games)]

    def noisy_sample(self) -> list[GameSetup]:
        """Return the same as `sample`, under the other noises."""
        games = ((Size(8, 8, 10), Rules()), (Size(6, 9, 12), Rules("end")))
        chosen = [(*games[k % 2], k, noise) for k, noise in enumerate(self.noisy)]
        return [self.setup(size, number, rules, noise) for size, rules, number, noise in chosen]

    def _mines_and_clicks(self) -> list[Rules]:
        """Return rules with each combination of the effect of a mine and the kind of first click."""
        first = {(rules.last_mine, rules.first_click): rules for rules in reversed(self.rules)}
        return [first[key] for key in sorted(first)]


def _on_board(rules: Rules, size: Size) -> Rules:
    """Return the rules with a start cell that is on a board of this size."""
    if rules.start is None:
        return rules
    return rules._replace(start=Cell(min(rules.start.row, size.rows - 1), min(rules.start.col, size.cols - 1)))


def _is_possible(rules: Rules, size: Size) -> bool:
    try:
        rules.check(size)
    except PositionError:
        return False
    return True


EVERYTHING = Games()
"""All rules and all clue noises."""
