"""The transcript of a game for replays, reviews and pages: what an agent said, and the true probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import NamedTuple

from sweepstakes.review import GameReview
from sweepstakes.untrusted.text import quoted

MAX_LINES = 40
"""Maximum number of lines of a text that a terminal shows in a list of turns."""


class Said(NamedTuple):
    """What was said in one turn."""

    text: str
    stated: float | None = None
    """The mine probability that the agent stated for the first cell that it opened."""
    exact: float | None = None
    """The true probability; None if it is unknown."""

    def lines(self, most: int = MAX_LINES) -> Iterator[str]:
        """Yield the comparison of both probabilities, and the text, each line behind a mark."""
        if self.stated is not None and self.exact is not None:
            yield f"the model said {_percent(self.stated)}, it was {_percent(self.exact)}"
        lines = quoted(self.text).splitlines()
        yield from lines[:most]
        if len(lines) > most:
            yield f"| ... and {len(lines) - most} more lines"


def said_by_turn(texts: Sequence[str], review: GameReview | None) -> Mapping[int, Said]:
    """Return what was said in each turn that has a text, by the number of the turn from 1.

    `review` is the review of the game, which has the probabilities, or None if the game cannot be judged.
    """
    found = {number: Said(text) for number, text in enumerate(texts, 1) if text}
    for judgement in review.judgements if review is not None and found else ():
        number = judgement.turn + 1
        if judgement.stated is not None and not isnan(judgement.probability) and number in found:
            found[number] = found[number]._replace(stated=judgement.stated, exact=judgement.probability)
    return found


def _percent(probability: float) -> str:
    """Return a probability in per cent. Only 0 and 1 themselves become 0 and 100."""
    text = f"{100 * probability:.0f}"
    if text in ("0", "100") and probability not in (0, 1):
        text = f"{min(max(100 * probability, 0.01), 99.99):.2f}"
    return f"{text} %"
