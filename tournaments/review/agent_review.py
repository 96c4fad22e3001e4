"""What a review says about one agent over all its games."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import Game
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.game.view import View
from sweepstakes.review import MISTAKES, Audit, GameReview, Judgement, Label
from sweepstakes.score import Score
from sweepstakes.standings import Interval
from sweepstakes.tournaments.plan import Entry
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import wilson

MAX_WORST = 10
"""Number of worst decisions of each class that are kept."""
PHASES = ("first tenth", "middle", "last tenth")
"""The phases of a game, by the share of the safe cells that are open."""


class WorstDecision(NamedTuple):
    """A mistake, with everything that is needed to show it."""

    game: str
    """AGENT/CONDITION/NUMBER."""
    judgement: Judgement
    view: View
    """What was shown before."""
    board: Board
    best: Cell | None
    """A certainly safe cell, or else the least risky cell; None if only mines were left."""
    clues: tuple[Cell, ...]
    """The clues that prove the safe cell."""
    counted: bool
    """Whether the proof needs the number of mines too."""


class Mistakes(NamedTuple):
    """All mistakes of one class."""

    number: int = 0
    games: int = 0
    """Games that have one."""
    cost: float = 0.0
    """The sum of their costs (see `Judgement.cost`)."""


class AgentReview:
    """The audit of an agent, its mistakes by class, its losses by phase and kind, and its luck."""

    def __init__(self, entry: Entry, tournament: str, identified: Score) -> None:
        self.entry = entry
        self._score = identified
        self.tournament = tournament
        self.boards = 0
        """Games that the run has."""
        self.left_out = 0
        """Games whose turns are no longer known."""
        self.why_missing = ""
        """Why the agent cannot be played again; empty if it can."""
        self.mistakes: dict[Label, Mistakes] = {}
        self.losses: Counter[tuple[str, str]] = Counter()
        """Number of games not won, by phase and by the class of the decision that detonated the first mine."""
        self.faults: dict[Ending, tuple[int, str]] = {}
        """For each kind of fault: how many games it ended, and its first message."""
        self.won = 0
        self._audits: list[Audit] = []
        self._win: list[float] = []
        self._identified: list[tuple[float, float]] = []
        self._worst: dict[Label, list[tuple[float, str, Judgement, View, Board, GameReview]]] = {}

    @property
    def label(self) -> str:
        """The label of the agent."""
        return self.entry.label

    @property
    def games(self) -> int:
        """Games that were reviewed."""
        return len(self._win)

    def add(self, name: str, result: GameResult, review: GameReview, game: Game) -> None:
        """Add a game; `game` is the one that was reviewed."""
        self._audits.append(review.audit)
        self.won += result.won
        self._win.append(float(result.won) - review.luck.win)
        score = self._score(result)
        self._identified.append((score, score - review.luck.identified))
        if result.ending.is_fault:
            count, text = self.faults.get(result.ending, (0, result.fault))
            self.faults[result.ending] = (count + 1, text)
        self._count_mistakes(name, review, game)
        if not result.won:
            self.losses[_loss(result, review)] += 1

    def _count_mistakes(self, name: str, review: GameReview, game: Game) -> None:
        seen = set()
        for judgement in review.judgements:
            label = judgement.label
            if label not in MISTAKES:
                continue
            count, games, cost = self.mistakes.get(label, Mistakes())
            self.mistakes[label] = Mistakes(count + 1, games + (label not in seen), cost + judgement.cost)
            seen.add(label)
            worst = self._worst.setdefault(label, [])
            if len(worst) < MAX_WORST or judgement.cost > worst[-1][0]:
                board = Board(game.board_ref.size.rows, game.board_ref.size.cols, _layout(game))
                worst.append((judgement.cost, name, judgement, review.position(judgement), board, review))
                worst.sort(key=lambda item: -item[0])
                del worst[MAX_WORST:]

    @property
    def audit(self) -> Audit:
        """The counts of all games."""
        return Audit.total(self._audits)

    @property
    def win(self) -> Interval:
        """The share of games won."""
        return wilson(self.won, self.games)

    @property
    def win_adjusted(self) -> Interval:
        """The same without luck."""
        return Moments.of(self._win).interval

    @property
    def identified(self) -> Interval:
        """The mean of `identified`."""
        return Moments.of([raw for raw, _ in self._identified]).interval

    @property
    def identified_adjusted(self) -> Interval:
        """The same without luck."""
        return Moments.of([adjusted for _, adjusted in self._identified]).interval

    def ranked_mistakes(self) -> list[tuple[Label, Mistakes]]:
        """Return the classes of mistakes that were made, the costliest class first."""
        return sorted(self.mistakes.items(), key=lambda item: (-item[1].cost, item[0]))

    def worst(self, most: int = MAX_WORST) -> list[WorstDecision]:
        """Return the worst decisions: first the worst of each class, the costliest class first, then the others."""
        first = [self._worst[label][0] for label, _ in self.ranked_mistakes()]
        others = [item for items in self._worst.values() for item in items[1:]]
        ordered = first + sorted(others, key=lambda item: (-item[0], item[1], item[2].turn))
        return [explained(*item[1:]) for item in ordered[:most]]


def _layout(game: Game) -> bytes:
    """Return the mines of a game that was reviewed."""
    return bytes(code < 0 for code in game.revealed(None).tolist())


def explained(name: str, judgement: Judgement, view: View, board: Board, review: GameReview) -> WorstDecision:
    """Return a decision with the better cell and the clues that prove it."""
    missed = review.missed_proof(judgement)
    if missed is not None:
        return WorstDecision(name, judgement, view, board, missed[0], tuple(missed[1]), missed[2])
    return WorstDecision(name, judgement, view, board, review.least_risky(judgement), (), False)


def _loss(result: GameResult, review: GameReview) -> tuple[str, str]:
    """Return the phase in which a game was lost, and the class of the first decision that hit a mine."""
    safe = max(1, result.safe)
    for judgement in review.judgements:
        if judgement.action == "open" and judgement.mine:
            opened = sum(code < 128 for code in judgement.shown) / safe
            return PHASES[0 if opened < 0.1 else 2 if opened >= 0.9 else 1], judgement.label.value
    opened = result.opened / safe
    phase = PHASES[0 if opened < 0.1 else 2 if opened >= 0.9 else 1]
    return phase, "a fault" if result.ending.is_fault else "given up" if result.ending is Ending.GAVE_UP else "flags"
