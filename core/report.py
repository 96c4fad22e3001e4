"""A leaderboard in some format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from sweepstakes.standings import Standings


class Report(ABC):
    """Writes standings as text. The same standings give the same bytes."""

    suffix: ClassVar[str]
    """How its files end, as in `.csv`."""

    @abstractmethod
    def text(self, standings: Standings) -> str:
        """The whole report."""
