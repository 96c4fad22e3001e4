"""Gymnasium's modes for what happens after the end of a game in a vector environment, and their codes in kernels."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from sweepstakes.learning import step_kernels

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode
else:
    try:
        from gymnasium.vector import AutoresetMode
    except ImportError:  # Gymnasium 1.0, which has no name for them

        class AutoresetMode(Enum):
            """The modes of later versions."""

            NEXT_STEP = "NextStep"
            SAME_STEP = "SameStep"
            DISABLED = "Disabled"


MODES = {
    AutoresetMode.NEXT_STEP: step_kernels.NEXT_STEP,
    AutoresetMode.SAME_STEP: step_kernels.SAME_STEP,
    AutoresetMode.DISABLED: step_kernels.DISABLED,
}

__all__ = ["MODES", "AutoresetMode"]
