"""The referee repeats the turns of a finished game, and compares the game with a stored row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sweepstakes.errors import IllegalMove
from sweepstakes.game.game import Game
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.game.turn import Turn


def repeat_turns(game: Game, turns: Sequence[Turn]) -> Iterator[tuple[int, Turn]]:
    """Carry out the turns in `game`, which has not started, and yield each with its number from 1 on.

    The last turn may be illegal, which ends the game. Raise `ValueError` with a sentence at the first turn that
    is impossible in this game.
    """
    for number, turn in enumerate(turns, 1):
        if game.over:
            raise ValueError(f"the game is over after {number - 1} of {len(turns)} turns")
        try:
            game.take(turn)
        except IllegalMove as broken:
            game.forfeit(Ending.ILLEGAL_MOVE, str(broken))
            if number < len(turns):
                raise ValueError(f"turn {number} of {len(turns)} is illegal") from None
            turn = turn._replace(evidence=None)  # which may name cells outside the board
        yield number, turn


def find_mismatch(game: Game, turns: Sequence[Turn], stated: GameResult, row: GameResult) -> str:
    """Say in one sentence how a stored row differs from the turns; "" if it does not.

    The referee repeats the turns in `game`, which has not started. `stated` is the result reported with the turns.
    """
    problem = ""
    try:
        for _ in repeat_turns(game, turns):
            pass
    except ValueError as error:
        problem = str(error)
    return row_mismatch(game, stated, row, problem)


def row_mismatch(game: Game, stated: GameResult, row: GameResult, problem: str) -> str:
    """Like `find_mismatch`, for a game whose turns have been repeated; `problem` is the error that stopped them.

    The turns do not show some faults, such as an error or an answer that is not a turn. So if the turns end before the
    game does, the stated ending is used.
    """
    ending = "" if game.over or stated.ending.is_fault else "not over"
    if not game.over:
        game.forfeit(stated.ending, stated.fault)
    if problem:
        return f"the row says {_counts(row)}; {problem}"
    repeated = game.result()
    if repeated.agrees(row) and not ending:
        return ""
    return f"the row says {_counts(row)}; the turns give {_counts(repeated, ending)}"


def _counts(result: GameResult, ending: str = "") -> str:
    """Return one line with the ending and all counts of a result."""
    r = result
    return (
        f"{ending or r.ending}, {r.opened} of {r.safe} safe cells open, {r.right_flags} of {r.mines} mines flagged, "
        f"{r.wrong_flags} wrong flags, {r.detonated} detonated, {r.turns} turns, {r.cells_clicked} cells clicked, "
        f"{r.guesses} guesses, {r.fallbacks} fallbacks"
    )
