"""A review in words: the audit table, the worst decisions, and one game turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from shlex import quote
from textwrap import fill
from typing import NamedTuple

from tabulate import tabulate

from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import WITHHELD
from sweepstakes.game.view import View
from sweepstakes.review import Audit, GameReview, Judgement, Label
from sweepstakes.review.measures import MEASURES
from sweepstakes.standings import Interval
from sweepstakes.tables import join_words
from sweepstakes.tournaments.replay.said import Said
from sweepstakes.tournaments.review.agent_review import AgentReview, WorstDecision

WIDTH = 110


class _Column(NamedTuple):
    """A column of the audit table."""

    head: str
    meaning: str
    text: Callable[[AgentReview], str]


def _measured(head: str, name: str, over: str, text: Callable[[AgentReview], str]) -> _Column:
    meaning = MEASURES[name].meaning
    return _Column(head, f"{meaning[0].lower()}{meaning[1:]}{over}", text)


COLUMNS = (
    _Column("agent", "", lambda r: r.label),
    _Column("games", "games reviewed", lambda r: f"{r.games:,}"),
    _Column("win %", "games won", lambda r: f"{100 * r.win.mean:.1f}"),
    _Column(
        "adjusted",
        "games won in %, without luck, ± half of the 95 % interval",
        lambda r: percent(r.win_adjusted),
    ),
    _measured("proofs", "proofs", ", per game", lambda r: f"{r.audit.proofs / r.games:.1f}"),
    _measured("unsound", "unsound-proofs", ", in all games", lambda r: f"{r.audit.unsound:,}"),
    _Column(
        "guesses",
        "cells opened per game that the agent did not call proven",
        lambda r: f"{r.audit.guesses / r.games:.2f}",
    ),
    _measured("missed", "missed-proofs", ", in all games", lambda r: f"{r.audit.missed:,}"),
    _measured("best %", "best-guesses", "", lambda r: number(100 * r.audit.best_share, 1)),
    _Column(
        "excess",
        "risk above the lowest one, in %, averaged over the opened cells that were not certain",
        lambda r: number(100 * r.audit.mean_excess, 2),
    ),
    _Column(
        "blunders",
        "guesses of all games whose risk exceeded the lowest one by the threshold of a blunder",
        lambda r: f"{r.audit.blunders:,}",
    ),
    _measured("wrong flags", "wrong-flags", ", in all games", lambda r: f"{r.audit.wrong_flags:,}"),
    _Column(
        "off",
        "average distance of stated probabilities from the exact ones",
        lambda r: number(r.audit.error, 3),
    ),
)


def audit_table(reviews: Sequence[AgentReview]) -> str:
    """Return the audit of each agent, a line each."""
    lines = [[column.text(review) for column in COLUMNS] for review in reviews if review.games]
    align = ["left", *["right"] * (len(COLUMNS) - 1)]
    heads = [column.head for column in COLUMNS]
    return tabulate(lines, heads, tablefmt="simple", colalign=align, disable_numparse=True)


def column_list() -> str:
    """Return one paragraph that explains each column of the audit table."""
    return "; ".join(f"`{column.head}`: {column.meaning}" for column in COLUMNS if column.meaning) + "."


def percent(interval: Interval) -> str:
    """Return a mean and half the width of its interval, in per cent."""
    return f"{100 * interval.mean:.1f} ± {50 * (interval.high - interval.low):.1f}"


def number(value: float, digits: int) -> str:
    """Format a number, or a dash for nan."""
    return "–" if isnan(value) else f"{value:.{digits}f}"


def notes(reviews: Sequence[AgentReview]) -> Iterator[str]:
    """Return lines about the games and decisions that the figures leave out."""
    for review in reviews:
        if review.left_out:
            why = f": it cannot be played again: {review.why_missing}" if review.why_missing else ""
            yield f"{review.label}: {review.left_out:,} games whose turns are no longer known are left out{why}"
        if count := review.audit.not_judged:
            yield f"{review.label}: {count:,} decisions in positions too large for the exact sum are left out"


def weaknesses(review: AgentReview) -> Iterator[str]:
    """Return a line for each class of mistakes of an agent, the costliest first, then lines on faults and stated
    probabilities."""
    games = review.games
    for label, found in review.ranked_mistakes():
        cost = f"{found.cost:,.1f}" + (" expected mines" if label is not Label.WRONG_FLAG else "")
        yield f"{plural(label, found.number)} in {found.games:,} of {games:,} games, at a cost of {cost}"
    for ending, (count, text) in review.faults.items():
        yield f"{count:,} games ended by the fault '{ending}': {text}"
    given_up = sum(count for (_, kind), count in review.losses.items() if kind == "given up")
    if given_up:
        yield f"gives up in {given_up:,} of {games:,} games"
    audit = review.audit
    if len(audit.stated) and audit.error > 0.01:
        yield (
            f"{len(audit.stated):,} stated probabilities differ from the exact ones by {audit.error:.3f} on average "
            f"(Brier score {audit.brier:.3f}, log score {audit.log_score:.3f})"
        )


def plural(label: Label, count: int) -> str:
    """Return a number of mistakes of a class, in words."""
    word = label.value
    many = word[:-1] + "ies" if word.endswith("y") else f"{word}s"
    return f"{count:,} {word if count == 1 else many}"


def what_it_did(judgement: Judgement) -> str:
    """Return what the agent did and how risky it was, in words."""
    action = "opens" if judgement.action == "open" else "flags"
    reason = {"proof": "as proven", "guess": "as a guess", "random": "at random"}[judgement.why]
    stated = "" if judgement.stated is None else f", stating {judgement.stated:.3f}"
    return f"{action} {judgement.cell} {reason}{stated}: {how_risky(judgement)}"


def how_risky(judgement: Judgement) -> str:
    """Return how probable a mine was where the agent acted, in words."""
    if judgement.label is Label.NOT_JUDGED:
        return "not judged, since the position is too large for the exact sum"
    if isnan(judgement.probability):
        return "the cell is safe"
    came = "was" if judgement.mine else "was not"
    return f"a mine with probability {judgement.probability:.3f} (it {came} one)"


def what_was_there(worst: WorstDecision) -> str:
    """Return what would have been better, and why."""
    if worst.best is None:
        return "every cell was a mine"
    if worst.clues or worst.counted:
        clues = [clue_text(worst.view, clue) for clue in worst.clues]
        if worst.counted:
            clues.append("the number of mines")
        return f"{worst.best} was certainly safe, because of {join_words(clues)}"
    if worst.judgement.escape:
        return f"{worst.best} was certainly safe"
    return f"{worst.best} was a mine with probability only {worst.judgement.least:.3f}"


def clue_text(view: View, clue: Cell) -> str:
    """Return a clue in words."""
    code = int(view.shown[clue])
    return f"the {'withheld clue' if code == WITHHELD else code} at {clue}"


def worst_lines(place: int, worst: WorstDecision, run: str = "") -> Iterator[str]:
    """Return the text of a decision: what the agent did, what was there, the position, and the commands to watch it.

    Without a run there are no such commands.
    """
    judgement = worst.judgement
    head = f"{place}. {judgement.label}: {worst.game}, turn {judgement.turn + 1}: {what_it_did(judgement)}"
    better = "" if judgement.action == "flag" and judgement.label is Label.WRONG_FLAG else f"; {what_was_there(worst)}"
    yield fill(head + better, WIDTH, subsequent_indent="   ")
    if run:
        game = f"{quote(run)} {quote(worst.game)}"
        yield f"   sweepstakes review {game}    sweepstakes replay {game}"
    yield from (f"   {line}" for line in str(worst.view).splitlines())


def turn_lines(
    review: GameReview, reasons: Sequence[str], said: Mapping[int, Said], *, claims: bool = True
) -> Iterator[str]:
    """Return one game turn by turn. `reasons` are its headlines; `said` is what the agent said, by turn from 1.

    A person `claims` nothing: what was certain is called so.
    """
    luck = review.luck_by_turn()
    by_turn: dict[int, list[Judgement]] = {}
    for judgement in review.judgements:
        by_turn.setdefault(judgement.turn, []).append(judgement)
    for number, reason in enumerate(reasons):
        yield fill(reason, WIDTH, subsequent_indent="    ")
        for text in _judged(by_turn.get(number, []), claims):
            yield fill(text, WIDTH, initial_indent="    ", subsequent_indent="      ")
        for judgement in by_turn.get(number, []):
            if judgement.label is Label.MISSED_PROOF and (missed := review.missed_proof(judgement)) is not None:
                cell, clues, counted = missed
                view = review.position(judgement)
                words = [clue_text(view, clue) for clue in clues] + ["the number of mines"] * counted
                text = f"{cell} was certainly safe, because of {join_words(words)}"
                yield fill(text, WIDTH, initial_indent="      ", subsequent_indent="      ")
        if abs(luck.get(number, 0.0)) >= 0.0005:
            yield f"    luck {luck[number]:+.3f}"
        for line in said[number + 1].lines() if number + 1 in said else ():
            yield f"    {line}"


def _judged(judgements: Sequence[Judgement], claims: bool) -> Iterator[str]:
    """Yield the judgements on one turn: those on certain cells together, others one by one."""
    certain: dict[Label, int] = {}
    for judgement in judgements:
        if judgement.certain:
            certain[judgement.label] = certain.get(judgement.label, 0) + 1
    if certain and not claims:
        yield "certain"
    elif certain:
        yield ", ".join(plural(label, count) for label, count in certain.items())
    for judgement in judgements:
        if judgement.certain:
            continue
        above = judgement.excess
        least = f", {above:.3f} above the lowest risk" if judgement.action == "open" and above > 1e-9 else ""
        yield f"{judgement.label}: {judgement.action} {judgement.cell}, {how_risky(judgement)}{least}"


def summary_line(audit: Audit) -> str:
    """Return the counts of one game in a line."""
    return (
        f"{audit.proofs} proofs claimed, {audit.unsound} unsound; {audit.guesses} guesses: "
        f"{audit.missed} missed proofs, {audit.best} best, {audit.good} good, {audit.inaccuracies} inaccuracies, "
        f"{audit.blunders} blunders; "
        f"{audit.wrong_flags} wrong flags"
    )
