"""Random policies for the tests of the environments."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def choose(masks: npt.NDArray[np.bool_], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """An allowed action for each mask, [..., action], each equally likely."""
    return np.asarray(np.where(masks, rng.random(masks.shape), -1.0).argmax(-1), np.int64)
