"""Encodings of views."""

from __future__ import annotations

import numpy as np
import pytest

from sweepstakes import ParameterError, View
from sweepstakes.learning import action_mask, encode

VIEW = View.parse("3 4 5\n.F*?\n0123\n4578")


def test_codes_are_those_of_the_view_in_an_array_of_their_own() -> None:
    codes = encode(VIEW)
    assert codes.dtype == np.int8
    assert np.array_equal(codes, VIEW.shown)
    codes[:] = 0
    assert VIEW.shown[0, 0] == -1


def test_planes_have_one_for_each_clue_one_for_covered_cells_and_one_for_known_mines() -> None:
    planes = encode(VIEW, "planes")
    assert (planes.shape, planes.dtype) == ((11, 3, 4), np.float32)
    for row in range(3):
        for col in range(4):
            code = VIEW.shown[row, col]
            expected = np.zeros(11)
            if code != 9:
                expected[code if code >= 0 else 9 if code == -1 else 10] = 1
            assert np.array_equal(planes[:, row, col], expected), (row, col)


def test_the_dict_has_the_board_the_mask_and_the_mines_left() -> None:
    parts = encode(VIEW, "dict", flags=True)
    assert np.array_equal(parts["board"], VIEW.shown)
    assert parts["mask"].dtype == np.int8
    assert np.array_equal(parts["mask"], action_mask(VIEW, flags=True))
    assert parts["mines_left"].tolist() == [3]


def test_the_mask_allows_covered_cells_and_with_flags_their_flags() -> None:
    assert np.flatnonzero(action_mask(VIEW)).tolist() == [0]
    assert np.flatnonzero(action_mask(VIEW, flags=True)).tolist() == [0, 12, 13]


def test_an_unknown_encoding_is_named() -> None:
    with pytest.raises(ParameterError, match="no encoding 'code'"):
        encode(VIEW, "code")  # type: ignore[arg-type]
