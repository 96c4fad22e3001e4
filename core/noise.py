"""What an opened cell shows instead of its true clue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from numbers import Real
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import ParameterError
from sweepstakes.game.codes import WITHHELD
from sweepstakes.untrusted.exceptions import describe_error

ShownClue = int | Literal["withheld"]


class Noise(NamedTuple):
    """A clue noise as an agent sees it: a name and the likelihood of everything that can be shown."""

    name: str
    data: bytes

    @property
    def table(self) -> npt.NDArray[np.float64]:
        """`table[n, k, s]`: how likely a cell with n neighbours, k of them mines, shows s (9: withheld). Read-only."""
        return np.frombuffer(self.data, np.float64).reshape(9, 9, 10)

    @property
    def exact(self) -> bool:
        """Whether every clue shown is the truth."""
        return self.data == EXACT.data

    @property
    def floods(self) -> bool:
        """Whether 0 is shown for a blank and nothing else, so that flooding tells nothing more than the clue does."""
        return _floods(self)


@lru_cache(maxsize=256)
def _floods(noise: Noise) -> bool:
    zero = noise.table[:, :, 0]
    return bool((zero[:, 0] == 1).all() and (zero[:, 1:] == 0).all())


class ClueNoise(ABC):
    """A distribution of the shown value for each true one. The referee draws from it, with the board's own seed."""

    version: ClassVar[int] = 1
    """Raised when the same parameters begin to mean another distribution."""

    @abstractmethod
    def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
        """How likely each shown value (0-8 or "withheld") is for a cell with `count` mines among its `neighbours`."""

    def model(self, name: str) -> Noise:
        """The table of all likelihoods, checked: every row sums to one, every value can be a clue."""
        table = np.zeros((9, 9, 10))
        for n in range(9):
            for k in range(n + 1):
                try:
                    likelihood = dict(self.likelihood(k, n))
                except Exception as error:  # noqa: BLE001 - third-party code may raise anything
                    raise ParameterError(
                        f"noise '{name}' has no likelihoods for {k} of {n} mines: {describe_error(error)}"
                    ) from None
                for shown, p in likelihood.items():
                    value = WITHHELD if shown == "withheld" else shown
                    known = value is not shown or (isinstance(value, int | np.integer) and 0 <= value < WITHHELD)
                    if not (known and isinstance(p, Real) and p >= 0):
                        raise ParameterError(
                            f"noise '{name}' shows {shown!r} with probability {p!r} for {k} of {n} mines: expected "
                            "0 to 8 or 'withheld' with a probability of 0 or more"
                        )
                    table[n, k, value] += p
                if abs(table[n, k].sum() - 1) > 1e-9:
                    raise ParameterError(
                        f"noise '{name}': the likelihoods for {k} of {n} mines sum to {table[n, k].sum():.6g}, not 1"
                    )
            for k in range(n + 1, 9):
                table[n, k, k] = 1  # cannot be; the identity keeps every row a distribution
        return Noise(name, table.tobytes())


class ExactClues(ClueNoise):
    """Every clue is the truth."""

    version = 1

    def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
        """The truth, for certain."""
        return {count: 1.0}


EXACT = ExactClues().model("exact-clues")
