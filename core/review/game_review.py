"""The review of one finished game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import nan

from sweepstakes.boards import BoardRef, FixedBoard
from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import Game
from sweepstakes.game.setup import UNIFORM, GameSetup
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.inference import minimal_proof, posterior_under_rules
from sweepstakes.review.audit import Audit
from sweepstakes.review.judgement import DEFAULT, Judgement, Label, Thresholds, label_of
from sweepstakes.review.luck import Luck, luck_of, win_luck
from sweepstakes.review.summary import Summary, sum_up
from sweepstakes.review.walk import Uncertain, Walk
from sweepstakes.wiring import Offers

NEAREST = 8
"""Number of certain cells near a missed proof that are considered."""


def why_not_judged(board: BoardRef) -> str:
    """Return why games on a board cannot be judged, or "" if they can. A board without a source counts as uniform."""
    if board.label == str(UNIFORM) or isinstance(board.source, FixedBoard):
        return ""
    return f"boards of '{board.label}' cannot be judged: only for 'uniform' the probability of each layout is known"


def review_game(
    game: GameSetup | Game,
    turns: Sequence[Turn],
    *,
    registry: Offers | None = None,
    thresholds: Thresholds = DEFAULT,
    budget: int | None = None,
    luck: bool = True,
) -> GameReview:
    """Judge every decision of a finished game. A `Game` must not have had its first turn yet.

    The last turn may be illegal; its cells before the illegal one are judged. `budget` limits the exact sum, as for
    `sweepstakes.inference.posterior`. With `luck=False`, luck is not computed, which saves half of the time. Raises
    `PositionError` with the reason if the boards cannot be judged.
    """
    thresholds.check()
    if isinstance(game, GameSetup):
        game = game.game(registry)
    if reason := why_not_judged(game.board_ref):
        raise PositionError(reason)
    return GameReview(game, Walk(game, turns, lookahead=luck, budget=budget), thresholds)


class GameReview:
    """Every decision of a finished game, judged, and the luck in its score."""

    def __init__(self, game: Game, walk: Walk, thresholds: Thresholds) -> None:
        self.thresholds = thresholds
        self.reveals = walk.reveals
        self._game = game
        self._walk = walk

    @cached_property
    def luck(self) -> Luck:
        """The part of the scores that is due to chance."""
        return luck_of(self.reveals, ends=self._game.rules.last_mine == 1)

    def luck_by_turn(self) -> dict[int, float]:
        """Return the part of `win` that is due to chance, by turn. Turn -1 is the start cell that the referee opens."""
        by_turn: dict[int, float] = {}
        for reveal in self.reveals:
            by_turn[reveal.turn] = by_turn.get(reveal.turn, 0.0) + win_luck(reveal)
        return by_turn

    @cached_property
    def summary(self) -> Summary:
        """The game turn by turn, and in numbers."""
        ends = self._game.rules.last_mine == 1
        return sum_up(self._walk, ends, self._game.board_ref.size, self.luck_by_turn(), self.thresholds)

    @cached_property
    def audit(self) -> Audit:
        """The number of decisions of each class."""
        return Audit.of(self._walk, self.thresholds)

    @cached_property
    def judgements(self) -> list[Judgement]:
        """All decisions, in the order in which cells were opened and flagged."""
        return list(self._judge())

    def _judge(self) -> Iterator[Judgement]:
        certain = self._walk.certain
        stated = dict(self._walk.arrays.stated)
        done = 0
        for event in self._walk.uncertain:
            for code, cell in certain[done : event.after]:
                yield self._certain(code >> 1, bool(code & 1), cell, stated)
            done = event.after
            yield self._uncertain(event, stated)
        for code, cell in certain[done:]:
            yield self._certain(code >> 1, bool(code & 1), cell, stated)

    def _certain(self, turn: int, flags: bool, flat: int, stated: dict[int, float]) -> Judgement:
        why = self._walk.arrays.why(turn)
        cell = Cell(*divmod(flat, self._game.board_ref.size.cols))
        if flags:
            label = Label.SOUND_PROOF if why == "proof" else Label.FLAG
            return Judgement(turn, "flag", cell, why, None, label, 1.0, nan, True, False, True, b"")
        label = Label.SOUND_PROOF if why == "proof" else Label.BEST_GUESS
        chance = stated.pop(turn, None)
        return Judgement(turn, "open", cell, why, chance, label, 0.0, 0.0, True, True, False, b"")

    def _uncertain(self, event: Uncertain, stated: dict[int, float]) -> Judgement:
        why = self._walk.arrays.why(event.turn)
        label = label_of(event, why == "proof", self.thresholds)
        cell = Cell(*divmod(event.cell, self._game.board_ref.size.cols))
        action = "flag" if event.flags else "open"
        chance = None if event.flags else stated.pop(event.turn, None)
        return Judgement(
            event.turn,
            action,
            cell,
            why,
            chance,
            label,
            event.probability,
            event.least,
            False,
            event.escape,
            event.mine,
            event.shown,
        )

    def position(self, judgement: Judgement) -> View:
        """Return the view before an uncertain decision."""
        game = self._game
        return View(*game.board_ref.size, game.rules, game.noise, judgement.shown)

    def missed_proof(self, judgement: Judgement) -> tuple[Cell, list[Cell], bool] | None:
        """Return a certainly safe cell near an uncertain decision, the clues that prove it, and whether the proof needs
        the mine count. Of the nearest cells it is the one with the simplest proof. None if no cell was certain."""
        view = self.position(judgement)
        belief = posterior_under_rules(view, trust_flags=False)
        safe = belief.decision.safe.tolist()
        if not safe:
            return None
        noise = None if view.noise.exact else view.noise.table
        row, col = judgement.cell

        def distance(flat: int) -> tuple[int, int]:
            return max(abs(flat // view.cols - row), abs(flat % view.cols - col)), flat

        proofs = []
        for flat in sorted(safe, key=distance)[:NEAREST]:
            cell = Cell(*divmod(flat, view.cols))
            clues, counted = minimal_proof(view.shown, view.mines, cell, 1, noise=noise, trust_flags=False)
            proofs.append((cell, clues, counted))
        return min(proofs, key=lambda proof: (proof[2], len(proof[1])))

    def least_risky(self, judgement: Judgement) -> Cell | None:
        """Return the least risky cell before an uncertain decision, or None if there were only mines."""
        view = self.position(judgement)
        guess = posterior_under_rules(view, trust_flags=False).decision.guess
        return Cell(*divmod(guess, view.cols)) if guess >= 0 else None
