"""Faults are values, and their words match those in stored games."""

from __future__ import annotations

import pytest

from sweepstakes.game.faults import AgentFault, Fault, FaultKind, is_forfeit, stored_kind
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.limits import DEFAULT_LIMITS, Limits, exceeded_limit
from sweepstakes.tournaments.time_outs import FORFEIT


@pytest.mark.parametrize(
    ("fault", "ending", "what"),
    [
        (Fault(FaultKind.RAISED, "ValueError: {}"), Ending.ERROR, "raised ValueError: {}"),
        (Fault(FaultKind.RAISED, "E", "line 3 of a.py"), Ending.ERROR, "raised E (line 3 of a.py)"),
        (Fault(FaultKind.OUT_OF_MEMORY, "MemoryError"), Ending.MEMORY, "raised MemoryError"),
        (Fault(FaultKind.NO_AGENT, "makes a list"), Ending.ERROR, "cannot play: it makes a list"),
        (Fault(FaultKind.CHANGED_FILE, "a.py has changed"), Ending.CRASH, "cannot play: a.py has changed"),
        (Fault(FaultKind.START_TIME, "0.5"), Ending.TIME_OUT, "took more than 0.5 s to start"),
        (Fault(FaultKind.MEMORY, "than 64 MB"), Ending.MEMORY, "held more than 64 MB"),
        (Fault(FaultKind.DIED, "ended", last_line="oh"), Ending.CRASH, "ended, after it wrote 'oh'"),
    ],
)
def test_a_fault_is_a_value_with_words(fault: Fault, ending: Ending, what: str) -> None:
    raised = AgentFault(fault)
    assert (raised.ending, raised.what, str(raised)) == (ending, what, what)


def test_kinds_with_the_same_words_differ() -> None:
    assert len({kind.value for kind in FaultKind}) == len(FaultKind.__members__) == len(list(FaultKind))


def test_the_limit_of_a_turn_is_looked_at_before_that_of_a_game() -> None:
    limits = Limits(turn_seconds=0.5, game_seconds=2)
    assert exceeded_limit(limits, 0.5, 2) is None
    assert exceeded_limit(limits, 0.6, 3) == Fault(FaultKind.TURN_TIME, "0.5")
    assert exceeded_limit(limits, 0.4, 3) == Fault(FaultKind.GAME_TIME, "2")
    assert exceeded_limit(Limits(), 1e9, 1e9) is None
    assert exceeded_limit(DEFAULT_LIMITS, 11, 11) == Fault(FaultKind.TURN_TIME, "10")


@pytest.mark.parametrize("kind", FaultKind)
def test_only_a_forfeit_is_read_as_one(kind: FaultKind) -> None:
    fault = FORFEIT if kind is FaultKind.FORFEIT else Fault(kind, "5")
    stored = GameResult(2, 2, 1, fault.ending, fault=f"agent 'it's' {fault.what} in game 3 (seed 4)")
    assert is_forfeit(stored) == (kind is FaultKind.FORFEIT)
    assert stored_kind(stored) == ("forfeit after time-outs" if is_forfeit(stored) else str(kind.ending))
    for other in (stored._replace(turns=1), stored._replace(ending=Ending.CRASH), stored._replace(fault="")):
        assert not is_forfeit(other)
