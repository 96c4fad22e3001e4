"""Learning: Gymnasium environments by the referee's rules, data for supervised learning, and policies as agents.

Importing this package registers the environments with Gymnasium, if it is installed (the extra `gym`).
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from sweepstakes.lazy import lazy

if TYPE_CHECKING:
    from sweepstakes.learning.encoding import action_mask as action_mask
    from sweepstakes.learning.encoding import encode as encode
    from sweepstakes.learning.environment import MinesweeperEnv as MinesweeperEnv
    from sweepstakes.learning.policy import PolicyAgent as PolicyAgent
    from sweepstakes.learning.policy import as_agent as as_agent
    from sweepstakes.learning.rewards import REWARDS as REWARDS
    from sweepstakes.learning.rewards import Rewards as Rewards
    from sweepstakes.learning.supervised import Positions as Positions
    from sweepstakes.learning.supervised import positions as positions
    from sweepstakes.learning.vector_environment import MinesweeperVectorEnv as MinesweeperVectorEnv

__all__, __getattr__ = lazy(__name__, __file__)

if find_spec("gymnasium") is not None:
    from sweepstakes.learning.registration import register

    register()
