"""`serial`: plays all games in the process that runs the tournament, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from time import process_time

from sweepstakes import Agent, hookimpl
from sweepstakes.executor import Chunk, Executor, Fixture, GamePlayer, Limits, Row, Workload
from sweepstakes.plugins.executors._fault_attribution import FAILURES_OF_PLUGINS, attribute_fault
from sweepstakes.untrusted.exceptions import is_ctrl_c


class Serial(Executor):
    """Plays in this process, one game after the other; limits are not enforced.

    Ctrl-C stops it. An agent that raises a bare KeyboardInterrupt cannot be told from that, and stops it too.
    """

    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Row]]:
        """The rows, chunk by chunk."""
        player = workload.open(limits)
        try:
            for chunk in chunks:
                yield [_play_game(workload, player, fixture) for fixture in chunk.fixtures()]
                player.end_chunk()
        finally:
            player.close()


def _play_game(workload: Workload, player: GamePlayer, fixture: Fixture) -> Row:
    """Play one game. An exception before its agent is called stops the run; a later one ends only this game."""
    recorder = _CallRecorder()
    try:
        return player.play(fixture, recorder)
    except BaseException as error:
        if not recorder.agent_called or is_ctrl_c(error) or issubclass(type(error), FAILURES_OF_PLUGINS):
            raise
        if recorder.first_row is not None:
            return recorder.first_row
        ending, what = attribute_fault(error)
        return workload.forfeit(fixture, ending, what, process_time() - recorder.cpu_at_start)


class _CallRecorder:
    """Records whether the agent of a game has been called, and the row of a game that is played a second time."""

    def __init__(self) -> None:
        self.agent_called = False
        self.cpu_at_start = process_time()
        self.first_row: Row | None = None

    def __call__(self, factory: Callable[[], Agent]) -> Agent:
        __tracebackhide__ = True
        self.agent_called = True
        return factory()

    def played(self, row: Row) -> None:
        self.first_row = row


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `serial`."""
    return {"serial": Serial}
