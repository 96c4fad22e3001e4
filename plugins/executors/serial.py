"""`serial`: in this process, one game after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from time import process_time

from sweepstakes import Agent, hookimpl
from sweepstakes.executor import Chunk, Executor, Fixture, GamePlayer, Limits, Row, Workload
from sweepstakes.plugins.executors._blame import blame
from sweepstakes.untrusted.exceptions import is_ctrl_c


class Serial(Executor):
    """Plays in this process, one game after the other; limits are not enforced.

    Ctrl-C stops it. An agent that raises a bare KeyboardInterrupt cannot be told from that, and stops it too.
    """

    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Row]]:
        """The rows, chunk by chunk."""
        player = workload.open()
        for chunk in chunks:
            yield [_play(workload, player, fixture) for fixture in chunk.fixtures()]


def _play(workload: Workload, player: GamePlayer, fixture: Fixture) -> Row:
    """One game. What goes wrong before its agent is called stops the run; what goes wrong after it, ends this game."""
    guard = _Guard()
    try:
        return player.play(fixture, guard)
    except BaseException as error:
        if not guard.called or is_ctrl_c(error):
            raise
        if guard.first is not None:
            return guard.first
        ending, what = blame(error)
        return workload.forfeit(fixture, ending, what, process_time() - guard.begun)


class _Guard:
    """Notes whether the agent of a game has been called, and the row of a game that is played again."""

    def __init__(self) -> None:
        self.called = False
        self.begun = process_time()
        self.first: Row | None = None

    def __call__(self, factory: Callable[[], Agent]) -> Agent:
        __tracebackhide__ = True
        self.called = True
        return factory()

    def played(self, row: Row) -> None:
        self.first = row


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `serial`."""
    return {"serial": Serial}
