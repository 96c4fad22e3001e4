"""Rows as an executor yields them for a tournament that packs no games."""

from __future__ import annotations

from collections.abc import Collection

from sweepstakes.executor import Finished, Row


def unpacked(batch: Collection[Finished]) -> list[Row]:
    """Return the rows of a batch, and fail if it has packed games."""
    rows = [each for each in batch if isinstance(each, Row)]
    assert len(rows) == len(batch)
    return rows
