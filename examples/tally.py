"""An observer that counts how games end and prints the counts at exit. Hook: `sweepstakes_game_finished`."""

from __future__ import annotations

import atexit
import sys
from collections import Counter

from sweepstakes import GameResult, hookimpl

endings: Counter[str] = Counter()


@hookimpl
def sweepstakes_game_finished(result: GameResult) -> None:
    """Count one game."""
    if not endings:
        atexit.register(lambda: print("endings:", dict(sorted(endings.items())), file=sys.stderr))
    endings[str(result.ending)] += 1
