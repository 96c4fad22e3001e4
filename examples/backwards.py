"""An executor: `backwards` plays each chunk from its last board on. Hook: `sweepstakes_executors`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing

from sweepstakes import hookimpl
from sweepstakes.executor import Chunk, Executor, Limits, Row, Workload


class Backwards(Executor):
    """Plays in this process, backwards: the tables do not depend on the order.

    The player holds agents in host processes to the limits; built-in agents, which play in this process, have none.
    """

    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Row]]:
        """The rows, chunk by chunk."""
        with closing(workload.open(limits)) as player:
            for chunk in chunks:
                rows = [player.play(fixture) for fixture in reversed(chunk.fixtures())]
                player.end_chunk()
                yield rows


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `backwards`."""
    return {"backwards": Backwards}
