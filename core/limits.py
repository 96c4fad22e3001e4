"""The limits of agents, each declared once: tournament files, executors, hosts and programs read them from here.

To add a limit, add a field to `Limits` and the code that enforces it, then run `docs/tools/write.py --write`.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, NamedTuple, get_type_hints

from sweepstakes.game.faults import Fault, FaultKind


class Limit(NamedTuple):
    """The declaration of one limit, as a key of `limits` in tournament files."""

    default: int | None
    """The limit if a tournament file has no such key."""
    meaning: str
    largest: int = 1_000_000
    second_playing: int = 1
    """The factor by which this limit is multiplied in the second playing of a game, which explains it."""


class Limits(NamedTuple):
    """The limits of a game; exceeding one is a fault of the agent. None means no limit."""

    turn_seconds: Annotated[
        float | None, Limit(10, "Seconds that one turn may take, on the wall clock.", second_playing=10)
    ] = None
    game_seconds: Annotated[
        float | None, Limit(60, "Seconds that all turns of a game may take together.", second_playing=10)
    ] = None
    memory_mb: Annotated[
        int | None,
        Limit(1024, "Memory that the agent may use, in megabytes, besides that of its process at the start.", 10**9),
    ] = None
    start_seconds: Annotated[
        float | None,
        Limit(30, "Seconds that an agent's host process may take to import its plugin and to make the first agent."),
    ] = None
    run_tokens: Annotated[
        int | None,
        Limit(None, "The run stops once its games of language models have used this many tokens.", 10**15),
    ] = None
    run_cost: Annotated[
        float | None,
        Limit(None, "The run stops once these tokens have cost this much, by the price file of `llm`.", 10**9),
    ] = None


@cache
def declared() -> dict[str, Limit]:
    """Return the declarations of all limits, by name."""
    hints = get_type_hints(Limits, include_extras=True)
    return {name: hints[name].__metadata__[0] for name in Limits._fields}


NO_LIMITS = Limits()
DEFAULT_LIMITS = Limits(**{name: limit.default for name, limit in declared().items()})
"""The limits of a tournament whose file does not mention limits."""


def second_limits(limits: Limits) -> Limits:
    """Return the limits of the second playing of a game that was first played under `limits`."""
    times = [limit.second_playing for limit in declared().values()]
    return Limits._make(value and value * many for value, many in zip(limits, times, strict=True))


def limits_within(limits: Limits, seconds: float) -> Limits:
    """Return the limits with each time limit reduced to at most `seconds`."""
    times = [name for name in limits._fields if name.endswith("_seconds")]
    capped: dict[str, Any] = {name: min(seconds, getattr(limits, name) or seconds) for name in times}
    return limits._replace(**capped)


def exceeded_limit(limits: Limits, turn: float, game: float) -> Fault | None:
    """Return the fault of an agent that took `turn` and `game` seconds, or None if no limit is exceeded."""
    if limits.turn_seconds is not None and turn > limits.turn_seconds:
        return Fault(FaultKind.TURN_TIME, f"{limits.turn_seconds:g}")
    if limits.game_seconds is not None and game > limits.game_seconds:
        return Fault(FaultKind.GAME_TIME, f"{limits.game_seconds:g}")
    return None
