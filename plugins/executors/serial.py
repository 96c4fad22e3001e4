"""`serial`: in this process, one game after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from sweepstakes import hookimpl
from sweepstakes.executor import Chunk, Executor, Limits, Row, Stage


class Serial(Executor):
    """Plays in this process, one game after the other; limits are not enforced."""

    def run(self, stage: Stage, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Row]]:
        """The rows, chunk by chunk."""
        player = stage.open()
        for chunk in chunks:
            yield [player.play(fixture) for fixture in chunk.fixtures()]


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `serial`."""
    return {"serial": Serial}
