"""Which results a game can have: all that the referee gives, and no others, as far as the counts show."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Agent, Board, Cell, Ending, Game, GameResult, Rules, Size, Turn, View, play_game
from sweepstakes.game.result import check_extras, check_result, max_evidence_cells, max_named_cells, max_turns

LOST = GameResult(9, 9, 10, Ending.LOST, 40, 3, 1, 1, 12, 10, 2, 0)
ENDS = Rules("end")


class Erratic(Agent):
    """Does anything, legal or not."""

    def __init__(self, deeds: list[tuple[int, int, int]]) -> None:
        self._deeds = iter(deeds)

    def act(self, view: View) -> Turn:
        what, cell, many = next(self._deeds)
        cells = np.arange(cell, cell + many) % view.shown.size
        if what == 4:
            raise ValueError("no more")
        named = {0: "open", 1: "flag", 2: "unflag", 3: "open"}[what]
        return Turn(**{named: cells}, why="guess" if what else "proof", fallback=what == 3)  # type: ignore[arg-type]


@given(
    mines=st.sets(st.integers(0, 11)),
    on_mine=st.sampled_from(["continue", "end"]),
    start=st.sampled_from([None, Cell(0, 0), Cell(2, 3)]),
    flood=st.booleans(),
    deeds=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 11), st.integers(0, 12)), max_size=30),
)
def test_whatever_the_referee_gives_is_possible(
    mines: set[int], on_mine: Any, start: Cell | None, flood: bool, deeds: list[tuple[int, int, int]]
) -> None:
    rules = Rules(on_mine, "any", start, flood)
    board = Board.of(3, 4, [divmod(cell, 4) for cell in sorted(mines)])
    result = play_game(Game(board, rules), lambda: Erratic([*deeds, (4, 0, 0)])).result
    check_result(result, board.size, rules)


def test_a_game_that_stalls_is_possible() -> None:
    class Undecided(Agent):
        def act(self, view: View) -> Turn:
            flagged = view.flagged()
            return Turn(unflag=flagged) if flagged else Turn(flag=[(0, 0)])

    game = Game(Board.of(3, 4, [(1, 1)]))
    assert game.max_turns == max_turns(12)
    result = play_game(game, Undecided).result
    assert result.ending is Ending.STALLED
    check_result(result, Size(3, 4, 1), Rules())


def test_what_a_game_may_name_grows_with_its_board_up_to_four_million_cells() -> None:
    assert (max_turns(16), max_named_cells(16), max_evidence_cells(16)) == (80, 80 * 32, 80 * 1024)
    assert max_named_cells(1000 * 1000) == max_evidence_cells(1000 * 1000) == 4 * 1024 * 1024


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"ending": Ending.WON}, "'won' with 40 of 71 safe cells open, 1 of 10 mines detonated"),
        ({"ending": "lost"}, "the ending 'lost', expected one of won, lost"),
        ({"ending": Ending.FINISHED}, "'finished' with"),
        ({"ending": Ending.GAVE_UP}, "'gave up' with"),
        ({"ending": Ending.ERROR}, "'error' with no fault named"),
        ({"fault": "agent 'a' was late"}, "'lost' with the fault"),
        ({"ending": Ending.ERROR, "fault": "agent 'a' raised"}, "'error' with 40 of 71"),
        ({"ending": Ending.ERROR, "fault": "a\nb", "detonated": 0}, "expected at most 1000 printable"),
        ({"ending": Ending.ERROR, "fault": "a" * 1001, "detonated": 0}, "expected at most 1000 printable"),
        ({"ending": Ending.ERROR, "fault": "\ud800", "detonated": 0}, "expected at most 1000 printable"),
        ({"rows": 8}, "a board of (8, 9, 10), expected (9, 9, 10)"),
        ({"opened": 10**9}, "1000000000 safe cells open of 71"),
        ({"opened": 10**5000}, "the count a number of 16610 bits"),
        ({"opened": 40.0}, "the count 40.0"),
        ({"opened": True}, "the count True"),
        ({"turns": -5}, "the count -5"),
        ({"turns": 341}, "341 turns, of which there can be 340"),
        ({"right_flags": 10}, "10 mines flagged and 1 detonated of 10"),
        ({"wrong_flags": 32}, "32 wrong flags and 40 open cells of 71"),
        ({"detonated": 0}, "'lost' with 40 of 71 safe cells open, 0 of 10"),
        ({"detonated": 2}, "'lost' with 40 of 71 safe cells open, 2 of 10"),
        ({"cells_clicked": 42}, "42 cells opened by name and 41 open or detonated"),
        ({"guesses": 11}, "11 guesses"),
        ({"fallbacks": 13}, "13 fallbacks in 12 turns"),
        ({"clicks": 13}, "13 clicks, 10 cells opened by name and 4 flags"),
        ({"three_bv": 1}, "a 3BV of 1 and 40 open cells"),
        ({"clicks": -1}, "the count -1"),
        ({"turns": None}, "the count None"),
        ({"measures": {"chain": float("nan")}}, "the measure chain of nan"),
        ({"measures": {"chain": float("inf")}}, "the measure chain of inf"),
        ({"measures": {"chain": "1"}}, "the measure chain of '1'"),
        ({"measures": {"chain": 10**400}}, "the measure chain of a number of"),
        ({"measures": {"chain": 2**53}}, "the measure chain of 9007199254740992"),
        ({"turns": 2**53}, "the count 9007199254740992"),
        ({"measures": {"c" * 101: 1.0}}, "a measure called"),
        ({"measures": {1: 1.0}}, "a measure called 1"),
        ({"measures": [1.0]}, "the measures [1.0]"),
        ({"measures": {str(i): 1.0 for i in range(101)}}, "expected at most 100 numbers"),
    ],
)
def test_what_no_game_can_have_is_told_in_a_sentence(change: dict[str, Any], sentence: str) -> None:
    check_result(LOST, Size(9, 9, 10), ENDS)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the sentence is compared
        check_result(LOST._replace(**change), Size(9, 9, 10), ENDS)
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 250


def test_a_measure_may_be_missing() -> None:
    measures: Any = MappingProxyType({"chain": None, "reach": 2.5, "size": 2**53 - 1})
    check_result(LOST._replace(measures=measures), Size(9, 9, 10), ENDS)


@pytest.mark.parametrize(
    ("seconds", "moves"),
    [(float("inf"), None), (float("nan"), None), (-1.0, None), ("1", None), (1, None), (1.0, "moves"), (1.0, [1])],
)
def test_times_and_moves_are_checked_too(seconds: Any, moves: Any) -> None:
    check_extras(None, None)
    check_extras(0.5, b"moves")
    with pytest.raises(ValueError, match="expected"):
        check_extras(seconds, moves)
