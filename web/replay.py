"""A stored game, turn by turn, as the browser takes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sweepstakes.errors import IllegalMove, RunError
from sweepstakes.game import Game
from sweepstakes.result import Ending, GameResult
from sweepstakes.turn import Turn
from sweepstakes.view import View
from sweepstakes.web.faces import layout, marks, plain_turn


def positions(game: Game, turns: list[Turn]) -> Iterator[View]:
    """The view before the first turn, and after each; `RunError` if the turns do not fit the game.

    The last turn may be an illegal one, with which the game ended: what came before its fault stands.
    """
    yield game.view()
    for number, turn in enumerate(turns, 1):
        try:
            game.take(turn)
        except IllegalMove as error:
            if number < len(turns):
                raise RunError(f"turn {number} of the stored game does not fit its board: {error}") from None
            game.forfeit(Ending.ILLEGAL_MOVE, str(error))
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
    if not game.over:  # the agent broke it off without a turn
        game.forfeit(result.ending, result.fault)
    return {
        "rows": game.deal.size.rows,
        "cols": cols,
        "mines": game.deal.size.mines,
        "start": start,
        "turns": steps,
        "layout": layout(game.board.layout),
        "result": result._asdict()
        | {"measures": dict(result.measures), "ending": str(result.ending), "won": result.won},
    }
