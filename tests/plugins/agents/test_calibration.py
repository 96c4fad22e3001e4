"""The probabilities that `exact` gives are the frequencies with which its guesses are mines."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


def benchmark() -> ModuleType:
    """The command that measures it on many more guesses."""
    path = Path(__file__).parents[3] / "benchmarks" / "calibration.py"
    spec = importlib.util.spec_from_file_location("calibration", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CALIBRATION = benchmark()


@pytest.mark.parametrize("noise", CALIBRATION.NOISES)
def test_guesses_are_mines_as_often_as_exact_says(noise: str) -> None:
    sample = CALIBRATION.guesses(noise, 2000, seed=2)
    rows = CALIBRATION.bins(sample)
    assert max(abs(z) for *_, z in rows) < 4
    assert abs(sample[:, 1].sum() - sample[:, 0].sum()) < 4 * np.sqrt((sample[:, 0] * (1 - sample[:, 0])).sum())
