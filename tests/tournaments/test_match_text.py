"""What `match` prints of leads that are very small or very large."""

from __future__ import annotations

import numpy as np
import pytest

from sweepstakes.game.result import GameResult
from sweepstakes.score import Score
from sweepstakes.tournaments.match_text import match_lines
from sweepstakes.tournaments.statistics.sequential_test import SequentialMatch


class Prize(Score):
    """A score that is no share."""

    def of(self, result: GameResult) -> float:
        """Nothing."""
        return 0.0

    def worst(self, result: GameResult) -> float:
        """Nothing."""
        return 0.0


@pytest.mark.parametrize(
    ("unit", "lead"),
    [(1e-7, "a leads by 5e-08 (95 % interval +3"), (1.0, "a leads by 0.5000 (95"), (1e90, "a leads by 5e+89 (95")],
)
def test_a_lead_of_any_size_is_readable(unit: float, lead: str) -> None:
    match = SequentialMatch(None, 100, 2 * unit)
    state = match.add(unit * np.tile([0.0, 1.0], 50))
    line = next(line for line in match_lines(state, "a", "b", "prize", Prize()) if line.startswith("prize: "))
    assert lead in line
    assert len(line) < 100
