"""The strongest known way to guess when no cell is certain: first the endgame tree, then the joint lookahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.game.cell import Cell
from sweepstakes.inference._positions import PAD
from sweepstakes.inference.endgame import play_closed_component, play_position
from sweepstakes.inference.exact import candidates as table
from sweepstakes.inference.exact import scoring as kernel
from sweepstakes.inference.summed import Summed

Influence = Literal["exact", "product", "none"]
Weights = Literal["five", "all"]
Reason = Literal["endgame", "closed component", "forced 50/50", "lookahead", "least probability"]

INFLUENCES: dict[Influence, int] = {
    "exact": kernel.EXACTLY,
    "product": kernel.BY_PRODUCT,
    "none": kernel.NO_INFLUENCE,
}
FEATURE_NAMES = (
    "log safety",
    "log best safety after",
    "log second safety after",
    "certain living cell after",
    "certain cells after / 10",
    "no further mine",
    "blank",
    "entropy of the clue",
    "covered neighbours / 8",
    "off the frontier",
    "frontier neighbours / 8",
    "influence / safety",
    "small region",
    "edge",
    "corner",
    "clues around / 8",
    "change of frontier variance / 3",
    "undecided groups after / 10",
    "variance of best safety after",
    "likeliest clue",
    "clue values / 5",
    "at most one covered neighbour",
    "blank x covered neighbours / 8",
    "components touched / 3",
    "log risk",
)
"""The features of a candidate; its score is their weighted sum. "After" is the expectation over its clue if safe."""

_STANDARD_WEIGHTS = {
    kernel.LOG_SAFETY: 1.0,
    kernel.LOG_BEST: 0.72,
    kernel.LOG_SECOND: 0.53,
    kernel.CERTAIN_CELLS: 0.056,
    kernel.BLANK: 0.012,
    kernel.LOG_RISK: 0.82,
}
_ALL_WEIGHTS = {
    kernel.LOG_SAFETY: 1.0,
    kernel.LOG_BEST: 0.8729,
    kernel.LOG_SECOND: 0.5477,
    kernel.PROGRESS: -0.0132,
    kernel.CERTAIN_CELLS: 0.0657,
    kernel.NO_FURTHER_MINE: -0.0009,
    kernel.BLANK: 0.0025,
    kernel.ENTROPY: 0.0348,
    kernel.COVERED: -0.0063,
    kernel.OFF_FRONTIER: -0.0081,
    kernel.FRONTIER_NEIGHBOURS: -0.0342,
    kernel.INFLUENCE_SHARE: -0.535,
    kernel.SMALL_SPACE: -0.0246,
    kernel.EDGE: -0.0025,
    kernel.CORNER: 0.006,
    kernel.CLUES: -0.0073,
    kernel.FRONTIER_VARIANCE: -0.0318,
    kernel.UNDECIDED_GROUPS: 0.001,
    kernel.BEST_VARIANCE: 1.8164,
    kernel.LIKELIEST_CLUE: 0.0851,
    kernel.CLUE_VALUES: 0.0167,
    kernel.FEW_COVERED: -0.0298,
    kernel.BLANK_COVERED: -0.0212,
    kernel.TOUCHED: 0.0074,
    kernel.LOG_RISK: 1.1384,
}
_EXACT_INFLUENCE = {kernel.INFLUENCE_SHARE: 0.0, kernel.LOG_RISK: 1.0}
"""The weights of influence if it is computed exactly."""


class Settings(NamedTuple):
    """The parts that `best_guess` uses. Each can be switched off to measure what it contributes."""

    endgame: bool = True
    lookahead: bool = True
    influence: Influence = "exact"
    weights: Weights = "five"


STANDARD = Settings()


class Candidate(NamedTuple):
    """A cell that was considered."""

    cell: Cell
    safe: float
    """The probability that it is safe."""
    best: float
    """The expected safety of the safest living cell after opening it."""
    second: float
    """The same for the second safest."""
    influence: float
    """The probability that it is the mine of a 50/50."""
    score: float
    """nan if the cell was not scored."""
    state: str
    """`scored`, `dead` (its clue is already known), `too large` (to look ahead), or `left out`."""


class Guess(NamedTuple):
    """A cell to open when no cell is certain."""

    cell: int
    """Flat index."""
    reason: Reason
    won: int = 0
    """If found by a tree: number of layouts won."""
    layouts: int = 0
    """If found by a tree: number of layouts."""
    candidates: tuple[Candidate, ...] = ()
    """If found by lookahead: all cells that were considered, the best first. Filled only with `explain`."""
    wins: Mapping[Cell, int] = {}
    """If found by a tree: number of layouts won after opening each cell. Filled only with `explain`."""


def weights_of(settings: Settings) -> npt.NDArray[np.float64]:
    """Return the weights of the features, in the order of `FEATURE_NAMES`."""
    chosen = _STANDARD_WEIGHTS if settings.weights == "five" else _ALL_WEIGHTS
    if settings.influence == "exact":
        chosen = chosen | _EXACT_INFLUENCE
    weights = np.zeros(kernel.FEATURES)
    for feature, weight in chosen.items():
        weights[feature] = weight
    return weights


_KEPT: dict[Settings, npt.NDArray[np.float64]] = {}


def best_guess(found: Summed, settings: Settings = STANDARD, *, explain: bool = False) -> Guess:
    """Choose a cell to open in a summed position that has no certainly safe cell.

    With `explain`, all candidates are scored, even those that cannot be the best, and listed in the result.
    """
    least = Guess(found.decision.guess, "least probability")
    if not found.is_ready:
        return least
    if settings.endgame:
        # A closed component is played first, since the tree of the whole position would try its cells in every order.
        played = play_closed_component(found, every=explain) if found.components else None
        reason: Reason = "closed component"
        if played is None:
            played, reason = play_position(found, every=explain), "endgame"
        if played is not None and played.best is not None:
            cell = played.best.row * found.shape[1] + played.best.col
            return Guess(cell, reason, played.won, played.layouts, wins=played.wins)
    if not settings.lookahead or not found.components:
        return least
    if settings not in _KEPT:
        _KEPT[settings] = weights_of(settings)
    candidates = np.zeros((table.MAX_CANDIDATES, table.FEATURE + kernel.FEATURES))
    _, count, best, forced = found.ask(
        kernel.weigh_candidates, INFLUENCES[settings.influence], explain, _KEPT[settings], candidates
    )
    if best < 0:
        return least
    guess = Guess(_flat(candidates[best, table.CELL], found), "forced 50/50" if forced else "lookahead")
    if not explain:
        return guess
    listed = [_candidate(row, found) for row in candidates[:count]]
    first = listed.pop(best)
    listed.sort(key=lambda each: (each.score != each.score, -each.score, each.cell))
    return guess._replace(candidates=(first, *listed))


def _flat(padded: float, found: Summed) -> int:
    """Return the flat index of a padded index."""
    row, col = divmod(int(padded), found.shape[1] + 2 * PAD)
    return (row - PAD) * found.shape[1] + col - PAD


def _candidate(row: npt.NDArray[np.float64], found: Summed) -> Candidate:
    scored = row[table.STATE] == kernel.SCORED
    features = row[table.FEATURE :]
    state = {kernel.SCORED: "scored", kernel.DEAD: "dead", kernel.TOO_LARGE: "too large"}
    return Candidate(
        Cell(*divmod(_flat(row[table.CELL], found), found.shape[1])),
        float(row[table.SAFETY]),
        float(np.exp(features[kernel.LOG_BEST])) if scored else float("nan"),
        float(np.exp(features[kernel.LOG_SECOND])) if scored else float("nan"),
        float(row[table.INFLUENCE]),
        float(row[table.SCORE]) if scored else float("nan"),
        state.get(int(row[table.STATE]), "left out"),
    )
