"""A leaderboard in some format."""

from __future__ import annotations

from abc import ABC, abstractmethod

from sweepstakes.standings import Standings


class Report(ABC):
    """Writes standings as text. The same standings give the same bytes."""

    @abstractmethod
    def text(self, standings: Standings) -> str:
        """The whole report."""
