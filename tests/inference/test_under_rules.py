"""What the rules promise about the first click is part of the posterior of a view."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sweepstakes import View
from sweepstakes.inference import Status, is_first_click_safe, posterior, posterior_under_rules

COVERED = "....\n....\n....\n....\n"


@pytest.mark.parametrize("rule", ["safe", "opening"])
@pytest.mark.parametrize("rows", [COVERED, COVERED.replace(".", "F", 6)])
@pytest.mark.parametrize("trust_flags", [True, False])
def test_before_a_safe_first_click_no_cell_can_be_a_mine(rule: str, rows: str, trust_flags: bool) -> None:
    view = View.parse(f"4 4 3 first_click={rule}\n{rows}")
    found = posterior_under_rules(view, trust_flags=trust_flags)
    assert is_first_click_safe(view)
    assert found.status is Status.OK
    assert (found.probability == 0).all()
    assert found.safe.all()
    assert math.isnan(found.log_layouts)
    assert found.decision.safe.size == found.decision.mines.size == 0
    assert (found.decision.guess, found.decision.probability) == (rows.replace("\n", "").index("."), 0)


@pytest.mark.parametrize(
    "text",
    [
        f"4 4 3 first_click=any\n{COVERED}",
        f"4 4 3 first_click=safe start=1,1\n{COVERED}",
        f"4 4 3 first_click=safe\n{COVERED.replace('.', '1', 1)}",
        f"4 4 3 first_click=safe\n{COVERED.replace('.', '*', 1)}",
    ],
)
def test_otherwise_only_what_is_shown_counts(text: str) -> None:
    view = View.parse(text)
    assert not is_first_click_safe(view)
    found, shown = posterior_under_rules(view), posterior(view.shown, view.mines)
    assert np.array_equal(found.probability, shown.probability, equal_nan=True)
    assert found.log_layouts == shown.log_layouts


def test_the_noise_of_the_view_is_used() -> None:
    view = View.parse("2 3 2 noise=liar(rate=0.25)\n1..\n...\n")
    expected = posterior(view.shown, 2, noise=view.noise.table)
    assert np.array_equal(posterior_under_rules(view).probability, expected.probability, equal_nan=True)
