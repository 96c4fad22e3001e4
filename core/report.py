"""The interface of reports, which write a leaderboard in a format."""

from __future__ import annotations

from abc import ABC, abstractmethod

from sweepstakes.standings import Standings


class Report(ABC):
    """Writes standings as text. The same standings must give the same text."""

    @abstractmethod
    def text(self, standings: Standings) -> str:
        """The text of the report."""
