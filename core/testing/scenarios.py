"""The games that `check_agent` plays."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import EXACT_CLUES, GameSetup
from sweepstakes.game.size import Size
from sweepstakes.registry.spec import Spec

NOISES = (
    "hidden(rate=0.3)",
    "hidden(rate=0.3,blanks=true)",
    "optimistic(rate=0.3)",
    "cautious(rate=0.3)",
    "liar(rate=0.3)",
    "liar(rate=0.3,blanks=true)",
)


def every_rule() -> Iterator[GameSetup]:
    """Two games for every combination of rules."""
    for on_mine, click, start, flood in product(
        ("continue", "end"), ("any", "safe", "opening"), (None, Cell(2, 3)), (True, False)
    ):
        rules = Rules(on_mine, click, start, flood)  # type: ignore[arg-type]  # product forgets the literals
        for number, size in enumerate((Size(6, 7, 8), Size(5, 5, 12))):
            yield GameSetup(size, number=number, rules=rules)


def every_noise() -> Iterator[GameSetup]:
    """Games under every clue noise, for all rules about mines and first clicks."""
    for name, on_mine, click in product(NOISES, ("continue", "end"), ("any", "safe", "opening")):
        rules = Rules(on_mine, click)  # type: ignore[arg-type]  # product forgets the literals
        for number, size in enumerate((Size(7, 6, 8), Size(5, 5, 3))):
            yield GameSetup(size, number=number, rules=rules, noise=Spec.parse(name))


def odd_boards() -> Iterator[GameSetup]:
    """One cell, one row, one column, no mines, mines only."""
    noises = (EXACT_CLUES, Spec("hidden", {"rate": 0.3}))
    for rows, cols in ((1, 1), (1, 2), (1, 7), (7, 1), (2, 2), (3, 4)):
        cells = rows * cols
        for mines in sorted({0, 1, cells // 2, cells - 1, cells} & set(range(cells + 1))):
            for on_mine, click, noise in product(("continue", "end"), ("any", "safe", "opening"), noises):
                rules = Rules(on_mine, click)  # type: ignore[arg-type]  # product forgets the literals
                size = Size(rows, cols, mines)
                try:
                    rules.check(size)
                except PositionError:
                    continue  # too many mines for a safe first click
                yield GameSetup(size, rules=rules, noise=noise)


def sample() -> list[GameSetup]:
    """A few games under different rules and noises, for steps that play each game several times."""
    games = (
        (Size(8, 8, 10), Rules(), EXACT_CLUES),
        (Size(8, 8, 10), Rules("end", "safe"), EXACT_CLUES),
        (Size(6, 9, 12), Rules("continue", "opening"), EXACT_CLUES),
        (Size(8, 8, 10), Rules(), Spec("liar", {"rate": 0.3})),
        (Size(6, 9, 12), Rules("end"), Spec("hidden", {"rate": 0.3})),
    )
    return [GameSetup(s, number=k, rules=rules, noise=noise) for k, (s, rules, noise) in enumerate(games)]
