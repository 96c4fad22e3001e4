"""The limits on what a whole run may spend: tokens and money, as agents report them with their games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sweepstakes.errors import RunError
from sweepstakes.executor import Row
from sweepstakes.game.result import GameResult
from sweepstakes.limits import Limits
from sweepstakes.tournaments.storage.run_reader import RunReader

_MEASURES = {"run_tokens": "tokens", "run_cost": "cost"}
"""The measure whose sum is limited, by limit."""


def check_known(spent: Mapping[str, float | None], limits: Limits, label: str) -> None:
    """Raise `RunError` if a limit depends on a number that the agent does not know after a game.

    An endpoint that answered but reported no tokens would otherwise be asked without limit.
    """
    unreported = spent.get("calls") and not spent.get("tokens")
    for name, measure in _MEASURES.items():
        if getattr(limits, name) is not None and measure in spent and (spent[measure] is None or unreported):
            raise RunError(
                f"limits.{name}: the {measure} of agent '{label}' cannot be known, see docs/language-models.md"
            )


class SpendingLimits:
    """Stops a run between games once its games, earlier ones included, have spent as much as it may."""

    def __init__(self, run: RunReader, limits: Limits) -> None:
        named = {name: getattr(limits, name) for name in _MEASURES}
        self._limits = {name: limit for name, limit in named.items() if limit is not None}
        self._spent = dict.fromkeys(self._limits, 0.0)
        for place in range(len(run.conditions)) if self._limits else ():
            for agent, entry in enumerate(run.plan.entries):
                if not entry.repeatable:
                    self._add(run.results(place, agent)[2])

    def take(self, rows: Iterable[Row] = ()) -> None:
        """Add finished games, which are stored. Raise `RunError` if a limit is reached."""
        if self._limits:
            self._add(row.result for row in rows)
        for name, limit in self._limits.items():
            if self._spent[name] >= limit:
                raise RunError(
                    f"the run has spent {self._spent[name]:,.6g} and limits.{name} is {limit:,.6g}: its games are "
                    "kept; raise the limit and run again to continue"
                )

    def _add(self, results: Iterable[GameResult]) -> None:
        for result in results:
            for name in self._limits:
                self._spent[name] += result.measures.get(_MEASURES[name]) or 0.0
