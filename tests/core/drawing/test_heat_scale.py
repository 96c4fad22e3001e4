"""The colours of the heat map."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import View
from sweepstakes.drawing.heat import heat_map
from sweepstakes.drawing.theme import DARK, LIGHT, THEMES
from sweepstakes.inference import posterior

VIEW = View.parse("5 6 6\n01....\n12....\n......\n......\n......")


def warmth(colour: str) -> int:
    """The place of a colour on the scale: from -10, certainly safe, to 10, certainly a mine."""
    return {"s": -1, "m": 1}[colour[0]] * int(colour[1:]) if colour else 0


def test_cells_that_no_clue_sees_are_neutral_and_have_no_number() -> None:
    found = posterior(VIEW.shown, VIEW.mines)
    heat = heat_map(VIEW.marks, VIEW.rows, VIEW.cols, found.probability)
    assert set(heat.numbers) == {2, 8, 12, 13, 14}
    assert set(heat.colours) <= set(heat.numbers)
    assert heat.elsewhere == pytest.approx(float(found.probability[4, 5]))


@given(
    neutral=st.floats(0.01, 0.99),
    chances=st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0])), min_size=5, max_size=5),
)
def test_more_dangerous_is_never_greener_and_only_certain_cells_have_the_ends(
    neutral: float, chances: list[float]
) -> None:
    table = np.full((5, 6), neutral)
    beside = [2, 8, 12, 13, 14]
    for flat, chance in zip(beside, chances, strict=True):
        table.flat[flat] = chance
    table[0, :2] = table[1, :2] = math.nan
    heat = heat_map(VIEW.marks, 5, 6, table)
    order = sorted(beside, key=lambda flat: float(table.flat[flat]))
    warm = [warmth(heat.colours.get(flat, "")) for flat in order]
    assert warm == sorted(warm)
    for flat, chance in zip(beside, chances, strict=True):
        place = warmth(heat.colours.get(flat, ""))
        assert (abs(place) == 10) == (chance in (0.0, 1.0))
        assert (place > 0) == (chance > neutral + 1e-9 or chance == 1)
        assert (heat.numbers[flat] in ("0", "100")) == (chance in (0.0, 1.0))


def test_without_a_constant_background_every_cell_has_a_number() -> None:
    chances = np.linspace(0.1, 0.9, 30).reshape(5, 6)
    heat = heat_map("." * 30, 5, 6, chances)
    assert len(heat.numbers) == 30
    assert heat.elsewhere is None


def test_a_position_without_covered_cells_has_no_heat() -> None:
    assert heat_map("11F*", 2, 2, np.full((2, 2), math.nan)) == ({}, {}, None)


def luminance(colour: str) -> float:
    parts = [byte / 255 for byte in bytes.fromhex(colour[1:])]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """The ratio of contrast as WCAG defines it."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", THEMES)
def test_figures_can_be_read_in_every_theme(name: str) -> None:
    colours = THEMES[name]
    for clue in [f"n{clue}" for clue in range(1, 9)] + ["withheld"]:
        for ground in ("open", "recent"):
            assert contrast(colours[clue], colours[ground]) >= 4.0, (clue, ground)
    for ground in [f"{letter}{step}" for letter in "sm" for step in range(1, 11)] + ["covered"]:
        assert contrast(colours["number"], colours[ground]) >= 4.5, ground
    for text in ("ink", "muted"):
        assert contrast(colours[text], colours["page"]) >= 4.5, text
    for mark in ("safe", "guess", "random", "label", "wrong", "proof"):
        assert contrast(colours[mark], colours["open"]) >= 4.5, mark


def test_both_themes_have_the_same_names() -> None:
    assert list(LIGHT) == list(DARK)
