"""The interface of reports, which write a leaderboard in a format."""

from __future__ import annotations

from abc import ABC, abstractmethod

from sweepstakes.errors import PluginError, SweepstakesError, brief
from sweepstakes.standings import Standings
from sweepstakes.untrusted.exceptions import describe_error


class Report(ABC):
    """Writes standings as text. The same standings must give the same text."""

    @abstractmethod
    def text(self, standings: Standings) -> str:
        """Return the text of the report."""


def write_report(report: Report, name: str, standings: Standings) -> str:
    """Return the text of a report. Raise `PluginError` with its name if it raises or does not return a text."""
    try:
        text = report.text(standings)
    except SweepstakesError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"report '{name}' raised {describe_error(error)}") from error
    if not isinstance(text, str):
        raise PluginError(f"report '{name}' gave {brief(text)}: expected text")
    return text
