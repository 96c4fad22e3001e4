"""The games that `check_agent` plays."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from sweepstakes.cell import Cell
from sweepstakes.deal import Deal
from sweepstakes.errors import PositionError
from sweepstakes.game import Game
from sweepstakes.noise import EXACT, Noise
from sweepstakes.registry import Registry
from sweepstakes.rules import Rules
from sweepstakes.size import Size

NOISES = (
    "hidden(rate=0.3)",
    "hidden(rate=0.3,blanks=true)",
    "optimistic(rate=0.3)",
    "cautious(rate=0.3)",
    "liar(rate=0.3)",
    "liar(rate=0.3,blanks=true)",
)


class Setting(NamedTuple):
    """One game of the check."""

    size: Size
    rules: Rules = Rules()
    noise: Noise = EXACT
    number: int = 0

    def __str__(self) -> str:
        return f"{self.size} {self.rules} noise={self.noise.name} board {self.number}"

    def game(self) -> Game:
        """The game, from its beginning."""
        source = Registry.default().make("board source", "uniform", {})
        return Game(Deal.of(source, "uniform", self.size, 0, self.number), self.rules, self.noise)


def every_rule() -> Iterator[Setting]:
    for on_mine, click, start, flood in product(
        ("continue", "end"), ("any", "safe", "opening"), (None, Cell(2, 3)), (True, False)
    ):
        rules = Rules(on_mine, click, start, flood)  # type: ignore[arg-type]  # product forgets the literals
        for number, size in enumerate((Size(6, 7, 8), Size(5, 5, 12))):
            yield Setting(size, rules, number=number)


def every_noise() -> Iterator[Setting]:
    registry = Registry.default()
    for name, on_mine, click in product(NOISES, ("continue", "end"), ("any", "safe", "opening")):
        rules = Rules(on_mine, click)  # type: ignore[arg-type]  # product forgets the literals
        for number, size in enumerate((Size(7, 6, 8), Size(5, 5, 3))):
            yield Setting(size, rules, registry.noise(name), number)


def odd_boards() -> Iterator[Setting]:
    hidden = Registry.default().noise("hidden(rate=0.3)")
    for rows, cols in ((1, 1), (1, 2), (1, 7), (7, 1), (2, 2), (3, 4)):
        cells = rows * cols
        for mines in sorted({0, 1, cells // 2, cells - 1, cells} & set(range(cells + 1))):
            for on_mine, click, noise in product(("continue", "end"), ("any", "safe", "opening"), (EXACT, hidden)):
                rules = Rules(on_mine, click)  # type: ignore[arg-type]  # product forgets the literals
                size = Size(rows, cols, mines)
                try:
                    rules.check(size)
                except PositionError:
                    continue  # no room for a first click that is safe
                yield Setting(size, rules, noise)


def sample() -> list[Setting]:
    noises = Registry.default()
    return [
        Setting(Size(8, 8, 10), number=0),
        Setting(Size(8, 8, 10), Rules("end", "safe"), number=1),
        Setting(Size(6, 9, 12), Rules("continue", "opening"), number=2),
        Setting(Size(8, 8, 10), Rules(), noises.noise("liar(rate=0.3)"), number=3),
        Setting(Size(6, 9, 12), Rules("end"), noises.noise("hidden(rate=0.3)"), number=4),
    ]
