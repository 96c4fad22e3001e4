"""What `match` prints: the verdict, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Iterator

from sweepstakes.score import Score
from sweepstakes.standings import Interval
from sweepstakes.tournaments.statistics.sequential_test import BOUND, MIRRORED_BOUND, MatchState, Verdict
from sweepstakes.tournaments.statistics.standings import turned


def match_lines(state: MatchState, a: str, b: str, name: str, score: Score) -> Iterator[str]:
    """The verdict; the lead, the boards, the tests; and how many more boards would decide."""
    yield state.sentence(a, b)
    if not state.boards:
        return
    yield f"{name}: {_means(state, a, b, score)}{_lead(state.difference, a, b, score)}"
    elo = state.elo
    yield (
        f"boards: {a} did better on {state.better:,}, {b} on {state.worse:,}, the same on {state.equal:,}; "
        f"Elo {signed(elo.mean, 0)} ({signed(elo.low, 0)} to {signed(elo.high, 0)})"
    )
    if state.delta:
        yield (
            f"test for a lead of {state.delta:.3g}: LLR of {a} {signed(state.llr, 2)} "
            f"(bounds {signed(-BOUND, 2)} and {signed(BOUND, 2)}), "
            f"of {b} {signed(state.mirrored_llr, 2)} ({signed(-BOUND, 2)} and {signed(MIRRORED_BOUND, 2)})"
        )
    more = on_more_boards(state)
    if more:
        yield more


def on_more_boards(state: MatchState) -> str:
    """How many more boards would decide; empty if a winner has been named."""
    if state.verdict in (Verdict.BETTER, Verdict.WORSE):
        return ""
    if state.verdict is Verdict.EQUAL:
        return "more boards: no board has told them apart, so it cannot be said how many would"
    if state.verdict is Verdict.EVEN:
        if not state.difference.low <= 0 <= state.difference.high:
            return ""
        what = "show who leads at all"
    else:
        what = "decide"
    if state.more_boards is None:
        return f"more boards: with a lead as small as this, millions would be needed to {what}"
    return f"more boards: about {_about(state.more_boards)} would {what}, if the lead stays as it is"


def signed(value: float, digits: int) -> str:
    """A number with its sign; 0 has none."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def _means(state: MatchState, a: str, b: str, score: Score) -> str:
    if state.means is None:
        return ""
    first, second = (f"{100 * mean:.1f} %" if score.proportion else f"{mean:.4g}" for mean in state.means)
    return f"{a} {first}, {b} {second}; "


def _lead(difference: Interval, a: str, b: str, score: Score) -> str:
    """Who leads and by how much, with the interval of the leader's lead."""
    behind = difference.mean < 0
    mean, low, high = turned(difference, -1 if behind else 1)
    scale, unit, digits = (100.0, " points", 1) if score.proportion else (1.0, "", 2 if mean >= 1 else 4)
    low_text, high_text = (signed(scale * end, digits) for end in (low, high))
    size = f"{scale * mean:.{digits}f}"
    lead = f"{b if behind else a} leads by {size}{unit}" if float(size) else "no lead"
    less = "" if score.more_is_better else "; less is better"
    return f"{lead} (95 % interval {low_text} to {high_text}){less}"


def _about(number: int) -> str:
    """A rough number: two digits, and zeros."""
    return f"{float(f'{number:.1e}'):,.0f}"
