"""What happens where single clues prove no safe cell: see `sweepstakes.inference.stuck`.

    stuck                        stuck positions
    stuck-provable               stuck positions in which all clues together prove a cell safe
    stuck-proven                 stuck positions in which the agent proved a cell safe
    stuck-frontier               clues of the longest connected frontier of a stuck position: the maximum of the game
    stuck-frontier-mean          the same, the mean over stuck positions
    stuck-frontier-whole         clues of the whole frontier of a stuck position: the maximum of the game
    stuck-frontier-whole-mean    the same, the mean over stuck positions
    proof-clues                  clues of an irreducible proof in a stuck position: the median over proven cells
    proof-clues-mean, -most      the same, the mean and the maximum
    proof-cells                  unknown cells next to the clues of such a proof: the median
    proof-cells-mean, -most      the same, the mean and the maximum
    count-proofs                 stuck positions in which only the mine count proves a cell safe
    count-proofs-left            the share of the board that is unknown in these: the mean

They are measured after the game, by playing it a second time. A score without positions or proofs to count is 0, and so
is the score of a game that ended by a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sweepstakes import Game, GameResult, MeasuredScore, Score, Size, Turn, hookimpl
from sweepstakes.game.result import max_turns
from sweepstakes.inference.stuck import stuck_positions, summary


class _Stuck(MeasuredScore):
    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Measure all scores in one replay of the game."""
        return summary(stuck_positions(game, turns))

    def worst(self, result: GameResult) -> float:
        """Return 0."""
        return 0.0

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return 0 and the maximum number of turns of a game, which exceeds its number of cells."""
        return 0.0, float(max_turns(size.cells))


_COUNTS = {
    "stuck": ("Stuck positions", "Positions in which single clues prove no safe cell"),
    "stuck-provable": ("Provable stuck positions", "Stuck positions in which all clues together prove a cell safe"),
    "stuck-proven": ("Proven stuck positions", "Stuck positions in which the agent proved a cell safe"),
    "count-proofs": ("Proofs by the mine count", "Stuck positions in which only the mine count proves a cell safe"),
}
"""Scores that count positions: the title and the meaning."""
_FRONTIERS = {"": "maximum", "-mean": "mean"}
_PROOFS = {"": "median", "-mean": "mean", "-most": "maximum"}
_SPREADS = (
    (
        "stuck-frontier",
        "Longest stuck frontier",
        "clues",
        "Clues on the longest frontier of a stuck position",
        _FRONTIERS,
    ),
    ("stuck-frontier-whole", "Whole stuck frontier", "clues", "Clues on all frontiers of a stuck position", _FRONTIERS),
    ("proof-clues", "Clues of a proof", "clues", "Clues of an irreducible proof in a stuck position", _PROOFS),
    ("proof-cells", "Cells of a proof", "cells", "Unknown cells next to the clues of an irreducible proof", _PROOFS),
    (
        "count-proofs",
        "Unknown at proofs by the mine count",
        "share of the board",
        "Unknown share of the board where only the mine count proves a cell safe",
        {"-left": "mean"},
    ),
)
"""Scores that summarise a number of each position: the start of their names, title, unit, meaning, and summaries."""


def _scores() -> Iterator[type[_Stuck]]:
    for name, (title, meaning) in _COUNTS.items():
        yield _score(name, title, "positions", f"{meaning}.")
    for start, title, unit, meaning, summaries in _SPREADS:
        for end, word in summaries.items():
            yield _score(start + end, f"{title}, {word}", unit, f"{meaning}, {word} of the game.")


def _score(name: str, title: str, unit: str, sentence: str) -> type[_Stuck]:
    return type(name, (_Stuck,), {"name": name, "title": title, "unit": unit, "__doc__": sentence})


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer the scores of stuck positions."""
    return {score.name: score for score in _scores()}
