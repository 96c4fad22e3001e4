"""Clue noise: opened cells that show something other than their true clue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from numbers import Real
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import ParameterError, brief
from sweepstakes.game.codes import WITHHELD
from sweepstakes.untrusted.exceptions import describe_error

ShownClue = int | Literal["withheld"]
"""What an opened cell shows: a clue from 0 to 8, or "withheld"."""


class Noise(NamedTuple):
    """A clue noise as an agent sees it: its name and the likelihoods of all shown clues."""

    name: str
    data: bytes

    def __repr__(self) -> str:
        return f"<Noise {self.name}>"

    @property
    def table(self) -> npt.NDArray[np.float64]:
        """`table[n, k, s]` is the probability that a cell with k mines among n neighbours shows s (9: withheld).

        The array is read-only.
        """
        return np.frombuffer(self.data, np.float64).reshape(9, 9, 10)

    @property
    def exact(self) -> bool:
        """Whether every cell shows its true clue."""
        return self.data == EXACT.data

    @property
    def floods(self) -> bool:
        """Whether exactly the blanks show 0. Otherwise flooding would give away which cells are blank."""
        return _floods(self)


@lru_cache(maxsize=256)
def _floods(noise: Noise) -> bool:
    zero = noise.table[:, :, 0]
    return bool((zero[:, 0] == 1).all() and (zero[:, 1:] == 0).all())


class ClueNoise(ABC):
    """The distribution of the shown clue for each true clue. The referee draws from it, with a seed of the board."""

    version: ClassVar[int] = 1
    """The version of a built-in noise, increased when its meaning changes; others are identified by their files."""

    @abstractmethod
    def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
        """Return the probability of each shown clue for a cell with `count` mines among its `neighbours`.

        The probabilities sum to 1.
        """

    def model(self, name: str) -> Noise:
        """Return the table of all likelihoods. Raise `ParameterError` if one of them is not a valid distribution."""
        table = np.zeros((9, 9, 10))
        for n in range(9):
            for k in range(n + 1):
                try:
                    likelihood = dict(self.likelihood(k, n))
                except (Exception, SystemExit) as error:  # noqa: BLE001 - third-party code may raise anything
                    raise ParameterError(
                        f"noise '{name}' has no likelihoods for {k} mines among {n} neighbours: {describe_error(error)}"
                    ) from None
                for shown, p in likelihood.items():
                    value = WITHHELD if shown == "withheld" else shown
                    known = value is not shown or (isinstance(value, int | np.integer) and 0 <= value < WITHHELD)
                    if not (known and isinstance(p, Real) and 0 <= p <= 2):  # the sum is checked below
                        raise ParameterError(
                            f"noise '{name}' shows {brief(shown)} with probability {brief(p)} for {k} mines among {n} "
                            "neighbours: expected 0 to 8 or 'withheld' with a probability from 0 to 1"
                        )
                    table[n, k, value] += p
                if abs(table[n, k].sum() - 1) > 1e-9:
                    raise ParameterError(
                        f"noise '{name}': the likelihoods for {k} mines among {n} neighbours sum to "
                        f"{table[n, k].sum():.6g}, not 1"
                    )
            for k in range(n + 1, 9):
                table[n, k, k] = 1  # does not occur, but makes every row a distribution
        return Noise(name, table.tobytes())


class ExactClues(ClueNoise):
    """Every cell shows its true clue."""

    version = 1

    def likelihood(self, count: int, neighbours: int) -> Mapping[ShownClue, float]:
        """Return the true clue with probability 1."""
        return {count: 1.0}


EXACT = ExactClues().model("exact-clues")
