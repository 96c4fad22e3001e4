"""The probabilities that `exact` gives are the frequencies with which its guesses are mines."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import calibration


@pytest.mark.parametrize("noise", calibration.NOISES)
def test_guesses_are_mines_as_often_as_exact_says(noise: str) -> None:
    sample = calibration.guesses(noise, 2000, seed=2)
    rows = calibration.bins(sample)
    assert max(abs(z) for *_, z in rows) < 4
    assert abs(sample[:, 1].sum() - sample[:, 0].sum()) < 4 * np.sqrt((sample[:, 0] * (1 - sample[:, 0])).sum())
