"""`serial`: plays all games in the process that runs the tournament, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from sweepstakes import hookimpl
from sweepstakes.executor import Chunk, Executor, Limits, Row, Workload


class Serial(Executor):
    """Plays in this process, one game after the other; limits on built-in agents are not enforced.

    Ctrl-C stops it. An agent that raises a bare KeyboardInterrupt is indistinguishable from that and also stops it.
    """

    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Row]]:
        """Yield the rows, chunk by chunk."""
        player = workload.open(limits)
        try:
            for chunk in chunks:
                yield [player.play(fixture) for fixture in chunk.fixtures()]
                player.end_chunk()
        finally:
            player.close()


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `serial`."""
    return {"serial": Serial}
