"""Tournaments: config, plan, runner, storage, statistics, replays, and the presets as yaml files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sweepstakes.lazy import lazy

if TYPE_CHECKING:
    from sweepstakes.tournaments.config.model import Tournament
    from sweepstakes.tournaments.replay.replay import Replay
    from sweepstakes.tournaments.running.runner import run_tournament

__all__ = ["Replay", "Tournament", "run_tournament"]

__getattr__ = lazy(
    __name__, {"config.model": "Tournament", "replay.replay": "Replay", "running.runner": "run_tournament"}
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
