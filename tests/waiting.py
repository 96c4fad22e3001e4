"""Waits for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], seconds: float = 60) -> bool:
    """Wait until the condition holds; whether it did within so many seconds."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if condition():
            return True
        time.sleep(0.05)
    return False
