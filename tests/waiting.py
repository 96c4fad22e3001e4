"""Wait for another process."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], seconds: float = 60) -> bool:
    """Wait up to `seconds` until the condition holds. Return whether it did."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if condition():
            return True
        time.sleep(0.05)
    return False
