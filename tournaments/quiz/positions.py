"""The positions of the quiz, by level and by the kind of proof that a safe cell needs.

Positions come from games with a safe first click, in which the engine opens everything that is certain, otherwise the
least likely mine. At most one position of each kind is taken from a game, drawn at random. Flags are on exactly the
mines that single clues prove, so they give no information. Positions in which every covered cell is a right decision
are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.boards import BoardRef, FixedBoard
from sweepstakes.errors import ParameterError
from sweepstakes.game.board import Board
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.game.game import Game
from sweepstakes.game.rng import Rng, derive
from sweepstakes.game.rules import CLASSIC
from sweepstakes.game.size import PRESETS, Size
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.inference import Status, decide, forced, posterior
from sweepstakes.registry.registry import Registry
from sweepstakes.review.arithmetic import EQUAL

LEVELS = ("beginner", "intermediate", "expert")
COUNT = 500
"""Default number of positions of a quiz."""
MAX_GAMES = 100_000
"""Maximum number of games that are searched for the positions of one kind."""


class Kind(StrEnum):
    """The kind of proof that a certainly safe cell needs. Each kind excludes those before it."""

    SINGLE = "single clue"
    """A single clue proves a cell safe, because all of its mines are flagged."""
    SEVERAL = "several clues"
    """Clues prove a cell safe only together."""
    COUNT = "mine count"
    """Clues prove a cell safe only together with the number of mines on the board."""
    GUESS = "guess"
    """No cell is certainly safe."""


class Position(NamedTuple):
    """One question of the quiz."""

    number: int
    level: str
    kind: Kind
    board: Board
    shown: bytes
    """The code that each cell shows, row by row."""

    @property
    def view(self) -> View:
        """Return the view of the position, as an agent sees it."""
        return self.game().view()

    def game(self) -> Game:
        """Return a game in this position. Its earlier turns opened and flagged what is open and flagged."""
        ref = BoardRef(FixedBoard(self.board), self.board.size, 0, self.number)
        game = Game(ref, CLASSIC)
        codes = np.frombuffer(self.shown, np.int8)
        game.take(Turn(open=np.flatnonzero(codes >= 0), flag=np.flatnonzero(codes == FLAG)))
        return game


def positions(count: int = COUNT, seed: int = 0) -> list[Position]:
    """Return the positions of a quiz. Their levels and kinds take turns: position k has pair k mod n of the n pairs."""
    if not 1 <= count <= 10_000:
        raise ParameterError(f"{count} positions: expected 1 to 10000")
    groups = [(level, kind) for kind in Kind for level in LEVELS]
    wanted = {group: len(range(place, count, len(groups))) for place, group in enumerate(groups)}
    found: dict[tuple[str, Kind], list[tuple[Board, bytes]]] = {group: [] for group in groups}
    for level in LEVELS:
        for number in range(MAX_GAMES):
            missing = [kind for kind in Kind if len(found[level, kind]) < wanted[level, kind]]
            if not missing:
                break
            met = positions_of_game(PRESETS[level], derive("quiz", seed, level, number))
            rng = Rng(derive("quiz position", seed, level, number))
            for kind in Kind:
                chances = met.get(kind, [])
                chosen = rng.choice(chances) if chances else None
                if chosen is not None and kind in missing:
                    found[level, kind].append(chosen)
    iterators: dict[tuple[str, Kind], Iterator[tuple[Board, bytes]]] = {
        group: iter(each) for group, each in found.items()
    }
    numbered = []
    for number in range(count):
        level, kind = groups[number % len(groups)]
        numbered.append(Position(number, level, kind, *next(iterators[level, kind])))
    return numbered


def positions_of_game(size: Size, board_seed: int) -> dict[Kind, list[tuple[Board, bytes]]]:
    """Return all positions of a game by kind, without the first one, in which no cell is open."""
    game = Game(BoardRef(Registry.built_in().source("uniform"), size, board_seed), CLASSIC)
    game.take(Turn(open=[divmod(Rng(derive("quiz first cell", board_seed)).below(size.cells), size.cols)]))
    met: dict[Kind, list[tuple[Board, bytes]]] = {}
    while not game.over:
        shown = game.view().shown.copy()
        shown.reshape(-1)[forced(shown).mines] = FLAG
        kind, opens = classify(shown, size.mines)
        if kind is not None and can_be_wrong(shown, size.mines):
            met.setdefault(kind, []).append((game.board, shown.tobytes()))
        game.take(Turn(open=opens, why="proof"))
    return met


def can_be_wrong(shown: npt.NDArray[np.int8], mines: int) -> bool:
    """Return whether some covered cells without a flag are riskier than others."""
    risks = posterior(shown, mines, trust_flags=False).probability[shown == COVERED]
    return bool(risks.max() > risks.min() + EQUAL)


def classify(shown: npt.NDArray[np.int8], mines: int) -> tuple[Kind | None, npt.NDArray[np.int64]]:
    """Return the kind of a position, and the cells that are certainly safe, or the one to guess.

    No kind if the position is too large for the exact sum: such positions are not in the quiz.
    """
    found = forced(shown)
    if found.safe.size:
        return Kind.SINGLE, found.safe
    found = decide(shown, None, stop_at_first_safe=False)
    if found.safe.size:
        return (Kind.SEVERAL if found.status is Status.OK else None), found.safe
    by_clues = found.status
    found = decide(shown, mines, stop_at_first_safe=False)
    exact = found.status is Status.OK and by_clues is Status.OK
    if found.safe.size:
        return (Kind.COUNT if exact else None), found.safe
    return (Kind.GUESS if exact else None), np.array([found.guess])
