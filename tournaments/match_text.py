"""The text that `match` prints: the verdict, and the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from sweepstakes.score import Score
from sweepstakes.standings import FaultLine
from sweepstakes.tables import signed
from sweepstakes.tournaments.statistics.sequential_test import (
    ALPHA,
    BATCH,
    BOUND,
    MIRRORED_ALPHA,
    MIRRORED_BOUND,
    MatchState,
    Method,
    Verdict,
)
from sweepstakes.tournaments.statistics.standings import turned
from sweepstakes.untrusted.text import clean

SMALL, LARGE = 0.01, 1e6
"""A lead whose interval stays below `SMALL`, or reaches `LARGE`, is shown with three significant digits."""


def match_lines(state: MatchState, a: str, b: str, name: str, score: Score) -> Iterator[str]:
    """Yield the verdict; the lead, the boards, the tests; and how many more boards would decide the match."""
    yield state.sentence(a, b)
    if state.missing:
        yield f"left out: {state.missing:,} board{'s' * (state.missing != 1)} on which {name} is missing for one agent"
    if state.note:
        yield state.note
    if not state.boards or state.broken:
        return
    yield f"{name}: {_means(state, a, b, score)}{_lead(state, a, b, score)}"
    elo = state.elo
    yield (
        f"boards: {a} did better on {state.better:,}, {b} on {state.worse:,}, the same on {state.equal:,}; "
        f"Elo {signed(elo.mean, 0)} ({signed(elo.low, 0)} to {signed(elo.high, 0)})"
    )
    yield from _test(state, a, b, name)
    more = on_more_boards(state)
    if more:
        yield more


def on_more_boards(state: MatchState) -> str:
    """Say how many more boards would decide the match; "" if it has a winner."""
    if state.verdict in (Verdict.BETTER, Verdict.WORSE):
        return ""
    if state.verdict is Verdict.EQUAL:
        return "more boards: all boards so far ended equal, so the number cannot be estimated"
    if state.method is Method.NONE:
        return ""
    if state.boards < BATCH:
        return f"more boards: after fewer than {BATCH} it cannot be said how many would decide"
    if state.verdict is Verdict.EVEN:
        if state.leader:
            return ""
        what = "show who leads at all"
    elif state.more_name or state.more_boards is None:
        what = "decide"
    else:
        what = f"show that neither is better by {state.delta:.3g}"
    if state.more_boards is None:
        return f"more boards: with a lead as small as this, millions would be needed to {what}"
    return f"more boards: about {_about(state.more_boards)} would {what}, if the lead stays as it is"


def fault_lines(faults: Iterable[FaultLine], command: Callable[[FaultLine], str]) -> Iterator[str]:
    """Return a line for each agent and kind of fault: how many games it cost, the first message, and the command that
    shows it."""
    for line in faults:
        yield f"{line.agent}: {line.kind} in {line.games:,} game{'s' * (line.games != 1)}, the first being"
        yield f"    {clean(line.message, 300)}"
        yield f"    {command(line)}"


def progress_line(state: MatchState, a: str) -> str:
    """Return the state after a test, in one line."""
    mean, low, high = state.difference
    line = f"{state.boards:>7,} boards: lead of {a} {signed(mean, 4)} ({signed(low, 4)} to {signed(high, 4)})"
    if state.method is Method.NONE:
        return line
    if state.method is Method.BETTING:
        return f"{line}, wealth {_wealth(state.llr)} / {_wealth(state.mirrored_llr)}"
    return f"{line}, LLR {signed(state.llr, 2)} / {signed(state.mirrored_llr, 2)}"


def _test(state: MatchState, a: str, b: str, name: str) -> Iterator[str]:
    """Yield the evidence for each agent, and how much evidence it needs to win."""
    if state.method is Method.NONE:
        yield f"no test: {name} has no bounds, so a rare game may undo any lead (see Score.bounds in docs/hooks.md)"
    elif state.method is Method.BETTING and state.delta:
        yield (
            f"test for a lead of {state.delta:.3g}: bets on {a} turned 1 into {_wealth(state.llr)} ({1 / ALPHA:.0f} "
            f"name a winner), on {b} into {_wealth(state.mirrored_llr)} ({1 / MIRRORED_ALPHA:.0f})"
        )
    elif state.delta:
        asymptotic = " (asymptotic: its error rates hold approximately)" if state.method is Method.ASYMPTOTIC else ""
        yield (
            f"test for a lead of {state.delta:.3g}{asymptotic}: LLR of {a} {signed(state.llr, 2)} "
            f"(bounds {signed(-BOUND, 2)} and {signed(BOUND, 2)}), "
            f"of {b} {signed(state.mirrored_llr, 2)} ({signed(-BOUND, 2)} and {signed(MIRRORED_BOUND, 2)})"
        )


def _wealth(log_wealth: float) -> str:
    """Format a wealth with three digits, or only its order of magnitude if it is far beyond all bounds."""
    return f"{math.exp(log_wealth):.3g}" if log_wealth < 20 else f"10^{log_wealth / math.log(10):.0f}"


def _means(state: MatchState, a: str, b: str, score: Score) -> str:
    if state.means is None:
        return ""
    first, second = (f"{100 * mean:.1f} %" if score.proportion else f"{mean:.4g}" for mean in state.means)
    return f"{a} {first}, {b} {second}; "


def _lead(state: MatchState, a: str, b: str, score: Score) -> str:
    """Return who leads and by how much, with the interval of the leader's lead."""
    behind = state.difference.mean < 0
    mean, low, high = turned(state.difference, -1 if behind else 1)
    scale, unit, digits = (100.0, " points", 1) if score.proportion else (1.0, "", 2 if mean >= 1 else 4)
    kind = "f"
    if not score.proportion and not SMALL <= max(-low, high) < LARGE and low < high:
        digits, kind = 3, "g"
    low_text, high_text = (signed(scale * end, digits, kind) for end in (low, high))
    size = f"{scale * mean:.{digits}{kind}}"
    lead = f"{b if behind else a} leads by {size}{unit}" if float(size) else "no lead"
    less = "" if score.more_is_better else "; less is better"
    asymptotic = "asymptotic " if state.method in (Method.ASYMPTOTIC, Method.NONE) else ""
    return f"{lead} ({asymptotic}95 % interval {low_text} to {high_text}){less}"


def _about(number: int) -> str:
    """Round a number to two significant digits."""
    return f"{float(f'{number:.1e}'):,.0f}"
