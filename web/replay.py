"""A stored game, turn by turn, as the browser takes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sweepstakes.errors import RunError, SweepstakesError
from sweepstakes.game import Game
from sweepstakes.result import GameResult
from sweepstakes.turn import Turn
from sweepstakes.view import View
from sweepstakes.web.faces import layout, marks, plain_turn


def positions(game: Game, turns: list[Turn]) -> Iterator[View]:
    """The view before the first turn, and after each; `RunError` if the turns do not fit the game."""
    yield game.view()
    for number, turn in enumerate(turns, 1):
        try:
            game.take(turn)
        except SweepstakesError as error:
            raise RunError(f"turn {number} of the stored game does not fit its board: {error}") from None
        yield game.view()


def replay(game: Game, turns: list[Turn], result: GameResult) -> dict[str, Any]:
    """The first position, what each turn did and why, the board, and how it ended. The game is played through."""
    cols = game.deal.size.cols
    views = positions(game, turns)
    before = next(views)
    start = marks(before)
    steps = []
    for turn, view in zip(turns, views, strict=True):
        changed = np.flatnonzero(view.shown != before.shown)
        text = marks(view)
        steps.append(
            plain_turn(turn, cols) | {"at": changed.tolist(), "to": "".join(text[i] for i in changed.tolist())}
        )
        before = view
    return {
        "rows": game.deal.size.rows,
        "cols": cols,
        "mines": game.deal.size.mines,
        "start": start,
        "turns": steps,
        "layout": layout(game.board.layout),
        "result": result._asdict() | {"ending": str(result.ending), "won": result.won},
    }
