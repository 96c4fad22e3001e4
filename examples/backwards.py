"""An executor: `backwards` plays each chunk from its last board on. Hook: `sweepstakes_executors`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from sweepstakes import hookimpl
from sweepstakes.executor import Chunk, Executor, Limits, Row, Workload


class Backwards(Executor):
    """Plays in this process, backwards: the tables do not depend on the order. Limits are not enforced."""

    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Row]]:
        """The rows, chunk by chunk."""
        player = workload.open()
        for chunk in chunks:
            yield [player.play(fixture) for fixture in reversed(chunk.fixtures())]


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `backwards`."""
    return {"backwards": Backwards}
