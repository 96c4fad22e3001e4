"""`no-guess`: boards that proofs alone can clear."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import (
    Board,
    BoardSource,
    Cell,
    ParameterError,
    PositionError,
    Rules,
    Size,
    hookimpl,
)
from sweepstakes.game.rng import derive
from sweepstakes.plugins.boards.uniform import Uniform


class NoGuess(BoardSource):
    """Uniform boards, drawn again until one can be cleared by proofs alone from the cell that is opened first.

    The exact engine finds all proofs that follow from exact clues and the number of mines. So the rules of the game
    alone decide which boards need no guess, except that a board is skipped if the engine runs out of states. The first
    click must be protected, because the protected cells tell the source where a game starts. (A game that ends before
    any cell was opened gets the board for a start in the top left corner.)
    """

    version = 1

    def __init__(self, attempts: int = 10_000) -> None:
        if attempts < 1:
            raise ParameterError(f"attempts {attempts}: expected 1 or more")
        self.attempts = attempts

    def check(self, size: Size, boards: int, rules: Rules) -> None:
        """Raise `PositionError` unless the first click is safe or an opening."""
        if rules.first_click == "any":
            raise PositionError(
                "no-guess boards depend on the cell where the game starts, which is unknown with first_click: any; "
                "expected first_click: safe or opening"
            )

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """Return the first uniform board without a guess, with the seeds `derive("no-guess", seed, 0)`, 1, 2, ..."""
        protected = protected or (0,)
        from sweepstakes.inference import needs_guess  # the engine is compiled only where it is needed

        start = _centre(size, protected)
        uniform = Uniform()
        for attempt in range(self.attempts):
            board = uniform.board(derive("no-guess", seed, attempt), number, size, protected)
            if not needs_guess(board, start):
                return board
        raise PositionError(
            f"no-guess: none of {self.attempts:,} boards of {size} can be cleared by proofs from {start}; "
            "ask for fewer mines, first_click: opening, or more attempts"
        )


def _centre(size: Size, protected: tuple[int, ...]) -> Cell:
    """Return the cell that was opened first: the only protected cell, or the one whose opening is protected."""
    if len(protected) == 1:
        return Cell(*divmod(protected[0], size.cols))
    opening = Rules(first_click="opening")
    cells = (Cell(*divmod(cell, size.cols)) for cell in protected)
    found = next((cell for cell in cells if opening.protected(size, cell) == tuple(sorted(protected))), None)
    if found is None:
        raise PositionError("no-guess: the protected cells do not show where the game starts")
    return found


@hookimpl
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:
    """Offer `no-guess`."""
    return {"no-guess": NoGuess}
