"""Learning: Gymnasium environments by the referee's rules, data for supervised learning, and policies as agents.

Importing this package makes the environments known to Gymnasium, where that is installed (the extra `gym`).
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from sweepstakes.lazy import lazy

if TYPE_CHECKING:
    from sweepstakes.learning.encoding import action_mask, encode
    from sweepstakes.learning.environment import MinesweeperEnv
    from sweepstakes.learning.policy import PolicyAgent, as_agent
    from sweepstakes.learning.rewards import REWARDS, Rewards
    from sweepstakes.learning.supervised import Positions, positions
    from sweepstakes.learning.vector_environment import MinesweeperVectorEnv

__all__ = [
    "REWARDS",
    "MinesweeperEnv",
    "MinesweeperVectorEnv",
    "PolicyAgent",
    "Positions",
    "Rewards",
    "action_mask",
    "as_agent",
    "encode",
    "positions",
]

__getattr__ = lazy(
    __name__,
    {
        "encoding": "action_mask encode",
        "environment": "MinesweeperEnv",
        "supervised": "Positions positions",
        "policy": "PolicyAgent as_agent",
        "rewards": "REWARDS Rewards",
        "vector_environment": "MinesweeperVectorEnv",
    },
)

if find_spec("gymnasium") is not None:
    from sweepstakes.learning.registration import register

    register()
