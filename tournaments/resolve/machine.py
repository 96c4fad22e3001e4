"""The capabilities of this machine for a tournament: isolation and cores."""

from __future__ import annotations

import os

from sweepstakes.errors import ConfigError
from sweepstakes.hosting import sealing


def isolation_here(isolation: str) -> str:
    """Return the isolation as this machine provides it. Raise `ConfigError` if it cannot seal processes off."""
    missing = sealing.missing() if isolation.startswith("sealed") else []
    if isolation == "sealed" and missing:
        raise ConfigError(f"isolation 'sealed': {missing[0]}: expected process, or sealed-if-possible")
    if isolation == "sealed-if-possible":
        return "process" if missing else "sealed"
    return isolation


def usable_cores() -> int:
    """Return the number of cores that this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
