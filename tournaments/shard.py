"""A shard: one of several shares of a tournament that are played separately, on any machines, and merged afterwards.

Shard i of N has board k of a condition if (k + the condition's key, read as a hexadecimal number) mod N = i - 1. All
agents play the same boards of a shard. The numbers of boards of two shards differ by at most one in every condition.
Because of the key, the shards with one board more are not the same in all conditions. A game is in the same shard
however many boards or agents the tournament has.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sweepstakes.errors import ConfigError, brief
from sweepstakes.tournaments.plan import Condition, Plan

MAX_SHARDS = 100_000
"""The maximum number of shards."""
_TEXT = re.compile("([0-9]{1,6})/([0-9]{1,6})", re.ASCII)


class Shard(NamedTuple):
    """Shard `number` of `total`, counted from 1; in text 3/64."""

    number: int
    total: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read a shard from a text. Raise `ConfigError` if it is not valid."""
        found = _TEXT.fullmatch(text.strip())
        shard = cls(int(found[1]), int(found[2])) if found else cls(0, 0)
        if not 1 <= shard.number <= shard.total <= MAX_SHARDS:
            raise ConfigError(f"shard {brief(text)}: expected NUMBER/COUNT, from 1/COUNT to COUNT/COUNT, as in 3/64")
        return shard

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    def boards(self, condition: Condition, games: int) -> range:
        """Return the numbers of a condition's boards in this shard, if the tournament has `games` boards."""
        return range((self.number - 1 - int(condition.key, 16)) % self.total, games, self.total)

    def games(self, plan: Plan) -> int:
        """Return how many games of the plan are in the shard."""
        boards = sum(len(self.boards(condition, plan.config.games)) for condition in plan.conditions)
        return len(plan.entries) * boards


WHOLE = Shard(1, 1)
"""All games."""
