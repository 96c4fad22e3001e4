"""Contradictions are real, and minimal: by trying every layout."""

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from positions import small
from twin import counts

from sweepstakes import View
from sweepstakes.game.codes import COVERED, DETONATED, FLAG
from sweepstakes.inference import Status, contradiction, posterior
from sweepstakes.inference.solving import contradiction_in_view, contradiction_in_words


def possible(shown: npt.NDArray[np.int8], kept: set[tuple[int, int]], mines: int | None) -> bool:
    """Return whether some layout agrees with the kept clues and known mines; open cells are safe in any case."""
    closed = [tuple(map(int, cell)) for cell in np.argwhere(shown < 0)]
    for flat in product((False, True), repeat=len(closed)):
        if mines is not None and sum(flat) != mines:
            continue
        layout = np.zeros(shown.shape, np.bool_)
        for cell, mine in zip(closed, flat, strict=True):
            layout[cell] = mine
        around = counts(layout)
        if all(layout[cell] if shown[cell] < 0 else shown[cell] in (9, around[cell]) for cell in kept):
            return True
    return False


def test_what_is_named_contradicts_itself_and_nothing_in_it_is_needless() -> None:
    kinds = set()
    for seed in range(600):
        case = small(seed, noisy=False, unknown=6, wrong=0.3)
        shown = case.shown
        if int((shown < 0).sum()) > 9:
            continue
        if posterior(shown, case.mines, trust_flags=True).status != Status.INCONSISTENT:
            continue
        found = contradiction(shown, case.mines)
        named = {(row, col) for row, col in found.clues + found.mines}
        count = case.mines if found.counted else None
        assert not possible(shown, named, count)
        for cell in named:
            assert possible(shown, named - {cell}, count)
        if found.counted:
            decided = (shown >= 0) | (shown == FLAG) | (shown == DETONATED)
            everything = {(int(row), int(col)) for row, col in np.argwhere(decided)}
            assert possible(shown, everything, None)
        kinds.add((bool(found.clues), bool(found.mines), found.counted))
    assert {(True, False, False), (True, True, False), (True, False, True)} <= kinds


def test_a_consistent_position_has_no_contradiction() -> None:
    shown = np.array([[COVERED, 2, COVERED, COVERED]], dtype=np.int8)
    assert contradiction(shown, 1) == ([(0, 1)], [], True)
    with pytest.raises(ValueError, match="consistent"):
        contradiction(shown, 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "2 4 2\n2..1\n....\n",
            "these cannot all be true: the 2 at (0, 0), the 1 at (0, 3) and the number of mines, 2 in all",
        ),
        ("2 2 1\n4.\n..\n", "the 4 at (0, 0) cannot be true"),
        ("1 4 2\nF0..\n", "these cannot all be true: the 0 at (0, 1) and the flag at (0, 0)"),
        ("2 2 1\n12\n..\n", "these clues cannot all be true: the 1 at (0, 0) and the 2 at (0, 1)"),
        ("1 3 3\n?..\n", "3 mines in all do not fit into the 2 cells that are not open"),
    ],
)
def test_a_contradiction_is_said_in_words(text: str, words: str) -> None:
    view = View.parse(text)
    assert contradiction_in_words(view, contradiction_in_view(view)) == words
