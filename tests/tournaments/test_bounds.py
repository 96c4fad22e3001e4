"""No interval goes beyond what its score can be."""

from __future__ import annotations

from math import inf
from pathlib import Path

import numpy as np

from sweepstakes import open_run
from sweepstakes.score import bounds_of
from sweepstakes.standings import Interval
from sweepstakes.tournaments import run_tournament

SCORES = (
    *("safe-opened", "identified", "detonated", "turns", "guesses", "best-guesses", "missed-proofs", "excess-risk"),
    *("brier", "chain-length", "chain-size", "chain-reach", "frontier", "stuck", "stuck-frontier", "proof-clues"),
    *("count-proofs", "count-proofs-left", "random-guesses", "stated-risk", "stated-risk-hit"),
)


def test_intervals_of_tables_stay_within_the_bounds_of_their_scores(tmp_path: Path) -> None:
    rules = {"on_mine": "continue", "first_click": "safe"}
    agents = ["exact", "basic", "random"]
    config = {
        "executor": "serial",
        "games": 8,
        "boards": ["4x4/1", "5x5/5"],
        "rules": rules,
        "agents": agents,
        "scores": list(SCORES),
    }
    run_tournament(config, out=tmp_path / "run")
    beyond = 0
    with open_run(tmp_path / "run") as run:
        for condition, table in zip(run.conditions, run.standings().tables[1:], strict=True):
            for place, name in enumerate(SCORES):
                score = run.make("score", name)
                low, high = bounds_of(score, name, condition.size)
                assert -inf < low < high < inf
                for line in table.standings:
                    interval = line.scores[place]
                    assert np.isnan(interval.mean) or low <= interval.low <= interval.mean <= interval.high <= high
                    beyond += interval.low == low or interval.high == high
    assert beyond > 20, "otherwise nothing was tested"


def test_an_interval_keeps_its_mean_when_its_ends_are_moved_into_the_range() -> None:
    assert Interval(0.9, 0.7, 1.1).within(0.0, 1.0) == Interval(0.9, 0.7, 1.0)
    assert Interval(0.1, -0.2, 0.4).within(0.0, 1.0) == Interval(0.1, 0.0, 0.4)
    assert Interval(1.2, 1.1, 1.3).within(0.0, 1.0) == Interval(1.2, 1.1, 1.2), "a mean out of range is left as it is"
