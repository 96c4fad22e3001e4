"""How an agent guesses: reasons, and what it says it risks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sweepstakes import Board, Game, Rules, Turn
from sweepstakes.leaderboards.results import read_results
from sweepstakes.plugins.scores.guessing import RandomGuesses, SearchStates
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.stored_run import open_run

BOARD = Board.parse("*..\n...\n..*")


def test_guesses_are_counted_by_their_reason_and_by_what_they_risk() -> None:
    turns = [
        Turn(open=[(0, 1)], why="random"),
        Turn(open=[(0, 0)], why="guess", probability=0.25),
        Turn(open=[(1, 1)], why="guess", probability=0.5),
        Turn(open=[(1, 0)], why="proof"),
        Turn(open=[(2, 2)], why="random"),
    ]
    numbers = RandomGuesses.measure(Game(BOARD, Rules(flood=False)), turns)
    assert numbers == {"random-guesses": 2, "stated-risk": 0.75, "stated-risk-hit": 1}


def test_a_search_is_counted_once_for_each_decision_with_a_frontier() -> None:
    first, second = Turn(open=[(0, 1)], why="random"), Turn(open=[(2, 0)], why="random")
    alone = SearchStates.measure(Game(BOARD, Rules(flood=False)), [first, Turn()])
    # one clue, 1 mine in 5 cells: a way for each mine placed so far and one for none yet, but none yet at the last cell
    one = 2 + 3 + 4 + 5 + 5
    assert 10 ** alone["search-states"] == pytest.approx(one)  # the first turn has no frontier and is no decision
    both = SearchStates.measure(Game(BOARD, Rules(flood=False)), [first, second, Turn()])
    # (1, 0) and (1, 1) next to the 0 at (2, 0) are safe, as is (2, 1): 1 mine in (0, 0), (0, 2), (1, 2)
    two = 2 + 3 + 3 + 3 + 3 + 3
    assert 10 ** (2 * both["search-states"]) == pytest.approx(one * two)
    assert 10 ** both["search-total"] == pytest.approx(one + two)
    assert both["search-cut"] == 0


def test_all_new_scores_are_measured_off_the_clock_and_change_no_result(tmp_path: Path) -> None:
    base: dict[str, Any] = {
        "games": 4,
        "boards": {"size": 8, "density": 0.2},
        "agents": ["chain", "probabilistic"],
        "seed": 3,
        "executor": "serial",
    }
    plain = ["identified", "guesses"]
    measured = [*plain, "stuck-frontier", "proof-clues", "proof-cells", "random-guesses", "search-states"]
    tables = {}
    for name, scores in (("plain", plain), ("measured", measured)):
        run_tournament({**base, "name": name, "scores": scores}, out=tmp_path / name)
        with open_run(tmp_path / name) as run:
            results = read_results(run)
            tables[name] = {agent: [str(s) for s in line[:2]] for agent, line in lines(results)}
            assert not any(sum(block.counts["missing"]) for block in results.blocks.values())
    assert tables["plain"] == tables["measured"]


def lines(results: object) -> list[tuple[str, list[object]]]:
    from sweepstakes.leaderboards.results import Results

    assert isinstance(results, Results)
    return [(line.agent, list(line.scores)) for line in results.standings.tables[0].standings]
