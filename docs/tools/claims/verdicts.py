"""Verdicts on claims, and the rule that decides them.

A statement about several conditions (every density, every size) is decided under each of them by a 95 % interval: it is
true there, false there, or undecided. `verdict_of` makes one verdict of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from claims.published import Published
from sweepstakes.standings import Interval

HOLDS, PARTLY, FAILS, OPEN = "holds", "holds in part", "does not hold", "undecided"
NOT_REPRODUCED, UNSTATED, ANSWER = "not reproduced", "no figure given", "answer"
MAX_NAMES = 6
"""Conditions that a line of the table names one by one."""

Truth = bool | None
"""True, false, or None if the interval does not decide."""


class Measured(NamedTuple):
    """A measurement: a few numbers with intervals, the verdict on the claim, and all numbers."""

    numbers: str
    verdict: str
    details: Sequence[str] = ()
    """All numbers, a line for each agent or rule; empty if `numbers` has them."""
    exceptions: str = ""
    """The conditions under which the verdict is not the answer: false and undecided ones."""


Measure = Callable[[Published], Measured]


def verdict_of(truths: Iterable[Truth]) -> str:
    """Return the verdict on a statement that is true, false or undecided under each condition.

    A statement holds if it is true under some condition and false under no condition. It holds in part if it is true
    under some and false under others. It does not hold if it is false under some and true under no condition. It is
    undecided if it is undecided under all of them.
    """
    found = set(truths)
    if True in found:
        return PARTLY if False in found else HOLDS
    return FAILS if False in found else OPEN


def judged(numbers: str, truths: Mapping[str, Truth], details: Sequence[str] = ()) -> Measured:
    """Return a measurement with the verdict that follows from the truth under each condition, by its name."""
    verdict = verdict_of(truths.values())
    exceptions = {HOLDS: (None,), PARTLY: (False, None), FAILS: (None,), OPEN: ()}[verdict]
    named = {"undecided" if truth is None else "false": _names(truths, truth) for truth in exceptions}
    return Measured(numbers, verdict, details, "; ".join(f"{word}: {names}" for word, names in named.items() if names))


def reproduced(measure: Measure) -> Measure:
    """Return the measure of an observation that the authors made with their own program.

    If our reading of their text plays differently, the observation is not false but not reproduced.
    """

    def observed(published: Published) -> Measured:
        found = measure(published)
        return found if found.verdict in (HOLDS, PARTLY) else found._replace(verdict=NOT_REPRODUCED, exceptions="")

    return observed


def _names(truths: Mapping[str, Truth], truth: Truth) -> str:
    """The conditions with this truth; at least three densities in a row are written as a range."""
    words = []
    for same, run in groupby(truths.items(), key=lambda item: item[1] is truth):
        names = [name for name, _ in run]
        if same and len(names) > 2 and all(name.replace(".", "").isdigit() for name in names):
            words.append(f"{names[0]} to {names[-1]}")
        elif same:
            words += names
    return ", ".join(words) if len(words) <= MAX_NAMES else f"{len(words)} of {len(truths)} conditions"


def above(interval: Interval, level: float = 0.0) -> Truth:
    """Whether the number is above a level."""
    return True if interval.low > level else False if interval.high < level else None


def below(interval: Interval, level: float = 0.0) -> Truth:
    """Whether the number is below a level."""
    return True if interval.high < level else False if interval.low > level else None


def within(interval: Interval, low: float, high: float) -> Truth:
    """Whether the number is between two levels."""
    if low <= interval.low and interval.high <= high:
        return True
    return False if interval.high < low or interval.low > high else None


def format_interval(interval: Interval, digits: int = 3, *, sign: bool = False) -> str:
    """Write a number with its interval."""
    number = f"{{:{'+' if sign else ''}.{digits}f}}"
    return f"{number.format(interval.mean)} [{number.format(interval.low)}, {number.format(interval.high)}]"


def per_cent(interval: Interval) -> str:
    """Write a share with its interval, in per cent."""
    return format_interval(Interval(*(100 * end for end in interval)), 1) + " %"


def listed(points: Mapping[str, Interval], write: Callable[[Interval], str] = format_interval, at: str = "at ") -> str:
    """Write the number of every condition."""
    return ", ".join(f"{write(number)} {at}{name}" for name, number in points.items())


def extremes(
    points: Mapping[str, Interval], write: Callable[[Interval], str] = format_interval, at: str = "at "
) -> str:
    """Write the smallest and the largest number, each with its condition."""
    names = sorted(points, key=lambda name: points[name].mean)
    return " to ".join(f"{write(points[name])} {at}{name}" for name in dict.fromkeys((names[0], names[-1])))
