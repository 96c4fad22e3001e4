"""Random numbers that are the same on every machine and in every version.

A seed is the SHA-256 of its purpose and parts. The seed of an agent is an HMAC-SHA256 keyed by the tournament's seed.
Streams are SplitMix64 (Steele, Lea and Flood, 2014). Integers below n are drawn by rejection, so each is exactly
equally likely. Nothing here depends on a library's random numbers.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import MutableSequence, Sequence
from functools import lru_cache
from operator import index
from typing import Any, TypeVar

T = TypeVar("T")

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
LARGEST_SEED = 2**128 - 1
"""The largest seed of a tournament."""


def derive(purpose: str, *parts: str | int) -> int:
    """Return a 64-bit seed from a purpose and further parts. Seeds of different purposes are independent."""
    *before, last = (purpose, *parts)
    text = _begun(*before).copy()
    text.update(str(last).encode())
    return int.from_bytes(text.digest()[:8], "big")


@lru_cache(maxsize=1024, typed=True)
def _begun(*parts: str | int) -> hashlib._Hash:
    """Return the SHA-256 state after `parts`, each followed by a separator. Cached, since only the last part varies."""
    return hashlib.sha256("".join(f"{part}\x1f" for part in parts).encode())


def derive_keyed(key: int, purpose: str, *parts: str | int) -> int:
    """Return a 64-bit seed that cannot be computed without the key: HMAC-SHA256 of the purpose and further parts.

    The HMAC key is `key` in decimal digits. The separator U+001F follows the purpose and every part except the last.
    """
    message = "\x1f".join(map(str, (purpose, *parts)))
    return int.from_bytes(hmac.digest(str(key).encode(), message.encode(), "sha256")[:8], "big")


class Rng:
    """SplitMix64 from a 64-bit seed."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & MASK

    def bits(self) -> int:
        """Return the next 64 bits."""
        self._state = z = (self._state + GOLDEN) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return an integer from 0 to n - 1, each equally likely."""
        n = index(n)  # numpy's integers cannot hold 64 unsigned bits
        if not 0 < n <= MASK:
            raise ValueError(f"below({n}): expected 1 to 2**64 - 1")
        limit = MASK - MASK % n  # a multiple of n: bits at or above it would favour small results
        while (z := self.bits()) >= limit:
            pass
        return z % n

    def random(self) -> float:
        """Return a float in [0, 1) with 53 random bits."""
        return (self.bits() >> 11) * 2.0**-53

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options, each equally likely."""
        return options[self.below(len(options))]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put the items in a random order, every order equally likely (Fisher and Yates)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
