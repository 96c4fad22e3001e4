"""What tables count in games besides the scores: of stored rows, of packed games and in published sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.game.result_columns import ResultColumns
from sweepstakes.game.setup import EXACT_CLUES
from sweepstakes.score import MeasuredScore, Score
from sweepstakes.spec import Spec


def understates_guesses(results: Any, noise: Spec) -> Any:
    """Return whether the score `guesses` of a game or of columns is too low: more mines were hit than guesses made.

    With true clues a proof cannot hit a mine, so the agent called a guess a proof, or opened several cells in one
    guess.
    """
    return (results.detonated > results.guesses) & (noise == EXACT_CLUES)


class _Games(NamedTuple):
    """Games of one agent under one condition."""

    results: ResultColumns
    scores: Sequence[Score]
    """The scores of the tournament."""
    noise: Spec


def _lacking(games: _Games) -> Any:
    measured = [score for score in games.scores if isinstance(score, MeasuredScore)]
    if not measured:
        return np.zeros(len(games.results))
    return [any(score.missing(result) for score in measured) for result in games.results]


_COUNTS: Mapping[str, Callable[[_Games], Any]] = {
    # How many turns a fallback decided.
    "fallbacks": lambda games: games.results.fallbacks,
    # Whether a measured score is missing because the second playing failed.
    "missing": _lacking,
    "understated": lambda games: understates_guesses(games.results, games.noise),
}
"""Computes a number of each game. A leaderboard shows those that are a field of `Standing`; `tables.COLUMNS` says what
they mean."""
COUNTS = tuple(_COUNTS)


def count_games(
    results: ResultColumns, scores: Sequence[Score], noise: Spec, names: Sequence[str] = COUNTS
) -> dict[str, npt.NDArray[np.float64]]:
    """Return the counts of each game, by name."""
    games = _Games(results, scores, noise)
    return {name: np.asarray(_COUNTS[name](games), np.float64) for name in names}
