"""How an agent guesses, and what the search behind its guesses costs.

    random-guesses           turns that opened a cell for the reason `random`
    stated-risk              the sum of the mine probabilities that the agent stated for its guesses
    stated-risk-hit          the number of these guesses that were mines; on average equal to `stated-risk` if the
                             stated probabilities are right
    search-states            decimal logarithm of the states that a backtracking search visits to list all solutions of
                             the frontier, beginning with the cells next to the first clue: the mean over decisions
    search-states-ordered    the same, with the most constrained cells first: those with the largest sum of missing
                             mines over the clues next to them
    search-total             decimal logarithm of the states of all searches of the game together
    search-total-rows        the same, with cells row by row
    search-total-equations   the same, with the cells in the most equations first
    search-total-ordered     the same, with the most constrained cells first
    search-cut               decisions for which the search in at least one order was too long to be counted in full

A decision is a turn in a position with a frontier (see `sweepstakes.inference.backtracking`). Decisions are measured
after the game, by playing it a second time, so the agent itself need not search. A game that ended by a fault scores 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log10
from statistics import fmean

import numpy as np

from sweepstakes import Game, GameResult, MeasuredScore, Score, Size, Turn, hookimpl
from sweepstakes.inference.backtracking import Order, search_states


class _AfterTheGame(MeasuredScore):
    more_is_better = False

    def worst(self, result: GameResult) -> float:
        """Return 0."""
        return 0.0


class _Guesses(_AfterTheGame):
    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Count random guesses, and the stated and actual mines of the other guesses."""
        random, risk, hit = 0, 0.0, 0
        for turn in turns:
            before = game.view().detonated()
            game.take(turn)
            if len(turn.open) and turn.why == "random":
                random += 1
            if len(turn.open) == 1 and turn.why == "guess" and turn.probability is not None:
                risk += turn.probability
                hit += len(game.view().detonated()) > len(before)
            if game.over:
                break
        return {"random-guesses": float(random), "stated-risk": risk, "stated-risk-hit": float(hit)}

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return 0 and all cells."""
        return 0.0, float(size.cells)


class RandomGuesses(_Guesses):
    """Turns that opened a cell at random."""

    name = "random-guesses"
    title = "Random guesses"
    unit = "guesses"


class StatedRisk(_Guesses):
    """Mines to be expected in the guesses, by the probabilities that the agent stated."""

    name = "stated-risk"
    title = "Mines expected in guesses"
    unit = "mines"


class StatedRiskHit(_Guesses):
    """Guesses with a stated mine probability that were mines."""

    name = "stated-risk-hit"
    title = "Mines hit by guesses"
    unit = "mines"


class _Search(_AfterTheGame):
    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Count the states of the search at every decision, in all orders."""
        found: dict[Order, list[float]] = {"clues": [], "rows": [], "equations": [], "values": []}
        cut = 0
        for turn in turns:
            shown = np.asarray(game.view().shown)
            searches = {order: search_states(shown, order=order) for order in found}
            if searches["clues"].log10:
                for order, states in searches.items():
                    found[order].append(states.log10)
                cut += not all(states.complete for states in searches.values())
            game.take(turn)
            if game.over:
                break
        totals = {order: log10(sum(10**states for states in each)) if each else 0.0 for order, each in found.items()}
        return {
            "search-states": fmean(found["clues"] or [0.0]),
            "search-states-ordered": fmean(found["values"] or [0.0]),
            "search-total": totals["clues"],
            "search-total-rows": totals["rows"],
            "search-total-equations": totals["equations"],
            "search-total-ordered": totals["values"],
            "search-cut": float(cut),
        }


class SearchStates(_Search):
    """Size of a backtracking search per decision, as a power of ten; cells in the order of the clues."""

    name = "search-states"
    title = "Search states per decision"
    unit = "powers of ten"


class SearchStatesOrdered(_Search):
    """Size of a backtracking search per decision, as a power of ten; most constrained cells first."""

    name = "search-states-ordered"
    title = "Search states per decision, ordered"
    unit = "powers of ten"


class SearchTotal(_Search):
    """Size of all backtracking searches of a game, as a power of ten; cells in the order of the clues."""

    name = "search-total"
    title = "Search states per game"
    unit = "powers of ten"


class SearchTotalRows(_Search):
    """Size of all backtracking searches of a game, as a power of ten; cells row by row."""

    name = "search-total-rows"
    title = "Search states per game, row by row"
    unit = "powers of ten"


class SearchTotalEquations(_Search):
    """Size of all backtracking searches of a game, as a power of ten; cells in the most equations first."""

    name = "search-total-equations"
    title = "Search states per game, by equations"
    unit = "powers of ten"


class SearchTotalOrdered(_Search):
    """Size of all backtracking searches of a game, as a power of ten; most constrained cells first."""

    name = "search-total-ordered"
    title = "Search states per game, ordered"
    unit = "powers of ten"


class SearchCut(_Search):
    """Decisions whose search was too long to be counted in full."""

    name = "search-cut"
    title = "Searches not counted in full"
    unit = "decisions"


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer the scores of guesses and of searches."""
    guesses = (RandomGuesses, StatedRisk, StatedRiskHit)
    searches = (
        SearchStates,
        SearchStatesOrdered,
        SearchTotal,
        SearchTotalRows,
        SearchTotalEquations,
        SearchTotalOrdered,
        SearchCut,
    )
    return {score.name: score for score in (*guesses, *searches)}
