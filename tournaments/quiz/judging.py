"""Judge decisions by the exact mine probabilities of the position, and summarise the decisions of an agent.

The decision of an agent is the first cell that it opens. Everything that its turns claim to be proven up to then is
judged by what is known in the position, before anything is opened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from sweepstakes.inference import Posterior, posterior
from sweepstakes.review.arithmetic import EQUAL
from sweepstakes.standings import Interval
from sweepstakes.tournaments.quiz.asking import Answer
from sweepstakes.tournaments.quiz.positions import Kind, Position
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import wilson

ALL = "all"


class Judged(NamedTuple):
    """One decision, judged."""

    position: Position
    answered: bool
    """Whether a cell was opened, legally."""
    ending: str
    """The kind of fault by which the answer ended the game; "" if it was none."""
    missed: bool
    """Whether a cell was certainly safe, but the agent opened another cell or nothing."""
    unsound: bool
    """Whether the agent called a cell proven that was not certain."""
    claims: bool
    """Whether the agent called a cell proven."""
    regret: float
    """The risk of the opened cell above the lowest risk; nan if the position needs no guess. An agent that opens
    nothing is charged as if it had opened a mine."""
    stated: float | None
    """The mine probability that the agent stated for the opened cell."""
    probability: float
    """Its true mine probability; nan if nothing was opened."""
    mine: bool
    """Whether the opened cell is a mine."""

    @property
    def fault(self) -> bool:
        """Whether the agent committed a fault."""
        return self.ending != ""


def judge(position: Position, answer: Answer) -> Judged:
    """Judge the answer to a position."""
    view = position.view
    known = posterior(view.shown, view.mines, trust_flags=False)
    guess = position.kind is Kind.GUESS
    last = answer.turns[-1] if answer.turns else None
    unsound = claims = False
    for turn in answer.turns:
        if turn.why == "proof":
            named = [(cell, known.safe) for cell in turn.open] + [(cell, known.mine) for cell in turn.flag]
            claims |= bool(named)
            unsound |= any(not _holds(cell, certain) for cell, certain in named)
    if answer.ending or last is None or not len(last.open):
        worst = 1 - _least(known) if guess else nan
        return Judged(position, False, answer.ending, not guess, unsound, claims, worst, None, nan, False)
    row, col = last.open[0]
    chance = float(known.probability[row, col])
    return Judged(
        position,
        True,
        "",
        not guess and not known.safe[row, col],
        unsound,
        claims,
        max(chance - _least(known), 0.0) if guess else nan,
        last.probability,
        chance,
        bool(position.board.layout[row * view.cols + col]),
    )


def _holds(cell: tuple[int, int], certain: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> bool:
    """Return whether a claim about a cell is certain. A claim about a cell that is not on the board is not."""
    row, col = cell
    rows, cols = certain.shape
    return 0 <= row < rows and 0 <= col < cols and bool(certain[row, col])


def _least(known: Posterior) -> float:
    return float(np.nanmin(known.probability))


class Line(NamedTuple):
    """A summary of an agent's decisions on the positions of one kind, with 95 % intervals."""

    agent: str
    kind: str
    positions: int
    faults: int
    solved: Interval
    """The share of positions with a right decision: a certainly safe cell, or the least risky one if none is safe."""
    missed: Interval
    """Among positions with a certainly safe cell, the share in which it opened no such cell; nan for guesses."""
    unsound: Interval
    """The share of all positions in which it called a cell proven that was not certain."""
    regret: Interval
    """The mean risk above the lowest risk in positions that need a guess."""
    brier: Interval
    """The mean of (stated probability - outcome)², where the outcome is 1 for a mine; nan if none was stated."""
    error: Interval
    """The mean distance of the stated probability from the true one."""
    stated: int
    """Positions in which it stated a probability."""
    kinds: tuple[tuple[str, int], ...]
    """The number of faults of each kind that occurred."""


_UNKNOWN = Interval(nan, nan, nan)


def summarise(agent: str, judged: Sequence[Judged]) -> list[Line]:
    """Return a line for each kind, and one for all positions."""
    lines = [_line(agent, kind.value, [each for each in judged if each.position.kind is kind]) for kind in Kind]
    return [line for line in [*lines, _line(agent, ALL, judged)] if line.positions]


def _line(agent: str, kind: str, judged: Sequence[Judged]) -> Line:
    provable = [each for each in judged if each.position.kind is not Kind.GUESS]
    regrets = [each.regret for each in judged if not isnan(each.regret)]
    right = [not each.missed and (isnan(each.regret) or each.regret <= EQUAL) and each.answered for each in judged]
    stated = [each for each in judged if each.stated is not None]
    return Line(
        agent,
        kind,
        len(judged),
        sum(each.fault for each in judged),
        _rate(right),
        _rate(each.missed for each in provable),
        _rate(each.unsound for each in judged),
        _mean(regrets),
        _mean((each.stated - each.mine) ** 2 for each in stated if each.stated is not None),
        _mean(abs(each.stated - each.probability) for each in stated if each.stated is not None),
        len(stated),
        tuple(sorted(Counter(each.ending for each in judged if each.fault).items())),
    )


def _rate(values: Iterable[bool]) -> Interval:
    all_values = list(values)
    return wilson(sum(all_values), len(all_values)) if all_values else _UNKNOWN


def _mean(values: Iterable[float]) -> Interval:
    all_values = list(values)
    if len(all_values) == 1:  # one value says nothing about how much they vary
        return Interval(all_values[0], 0.0, 1.0)
    return Moments.of(all_values).interval.within(0.0, 1.0) if all_values else _UNKNOWN


def judge_all(positions: Sequence[Position], answers: Mapping[int, Answer]) -> list[Judged]:
    """Return the judged decisions on all positions that were answered."""
    return [judge(position, answers[position.number]) for position in positions if position.number in answers]
