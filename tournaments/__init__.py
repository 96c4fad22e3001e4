"""Tournaments: config, plan, runner, storage, statistics, replays, and the presets as yaml files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sweepstakes.lazy import lazy

if TYPE_CHECKING:
    from sweepstakes.tournaments.config.model import Tournament as Tournament
    from sweepstakes.tournaments.replay.replay import Replay as Replay
    from sweepstakes.tournaments.running.runner import run_tournament as run_tournament

__all__, __getattr__ = lazy(__name__, __file__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
