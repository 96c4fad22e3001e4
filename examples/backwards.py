"""An executor, `backwards`, that plays the boards of each chunk in reverse order. Hook: `sweepstakes_executors`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing

from sweepstakes import hookimpl
from sweepstakes.executor import Chunk, Executor, Limits, Row, Workload


class Backwards(Executor):
    """Plays in this process in reverse order, which does not change the tables.

    The player enforces the limits on agents in host processes. Built-in agents play in this process, without limits.
    """

    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Row]]:
        """Yield the rows of one chunk after another."""
        with closing(workload.open(limits)) as player:
            for chunk in chunks:
                rows = [player.play(fixture) for fixture in reversed(chunk.fixtures())]
                player.end_chunk()
                yield rows


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Register `backwards`."""
    return {"backwards": Backwards}
