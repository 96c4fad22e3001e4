"""Each step of the check finds its kind of mistake, and reports it in a sentence."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from sweepstakes import Agent, Cell, Turn, View
from sweepstakes.testing import STEPS, check_agent


class Sound(Agent):
    """Opens the first covered cell."""

    def act(self, view: View) -> Turn:
        return Turn(open=view.covered()[:1])


class OpensItsFlag(Agent):
    def act(self, view: View) -> Turn:
        if view.flagged():
            return Turn(open=view.flagged()[:1])
        return Turn(flag=view.covered()[:1])


class OpensTwice(Agent):
    def act(self, view: View) -> Turn:
        return Turn(open=view.open()[:1] or view.covered()[:1])


class Dithers(Agent):
    def act(self, view: View) -> Turn:
        if view.flagged():
            return Turn(unflag=view.flagged()[:1])
        return Turn(flag=view.covered()[:1])


class Raises(Agent):
    def act(self, view: View) -> Turn:
        raise ValueError("no idea")


class FailsUnderNoise(Sound):
    def act(self, view: View) -> Turn:
        assert (view.shown < 9).all(), "a clue is missing"
        return super().act(view)


class FailsOnASingleCell(Sound):
    def act(self, view: View) -> Turn:
        return Turn(open=[view.covered()[0 if view.rows * view.cols > 1 else 1]])


class CallsAGuessAProof(Sound):
    def act(self, view: View) -> Turn:
        return super().act(view)._replace(why="proof")


class CallsAWrongFlagAProof(Agent):
    def act(self, view: View) -> Turn:
        return Turn(flag=view.covered(), why="proof")


class UsesGlobalNumbers(Agent):
    def act(self, view: View) -> Turn:
        return Turn(open=[random.choice(view.covered())])


class UsesNumpysGlobalNumbers(Agent):
    def act(self, view: View) -> Turn:
        covered = view.covered()
        return Turn(open=[covered[np.random.randint(len(covered))]])


class Learns(Agent):
    games = 0

    def __init__(self) -> None:
        Learns.games += 1

    def act(self, view: View) -> Turn:
        covered = view.covered()
        return Turn(open=[covered[Learns.games % len(covered)]])


class SharesItsTurns(Agent):
    turns = 0

    def __init__(self) -> None:
        SharesItsTurns.turns = 0

    def act(self, view: View) -> Turn:
        SharesItsTurns.turns += 1
        covered = view.covered()
        return Turn(open=[covered[SharesItsTurns.turns % len(covered)]])


class PlaysForTheGallery(Agent):
    def act(self, view: View) -> Turn:
        return Turn(open=view.covered()[-1:] if self.explain else view.covered()[:1])


class NamesNoClue(Sound):
    def act(self, view: View) -> Turn:
        turn = super().act(view)
        return turn._replace(evidence={view.covered()[0]: view.covered()[:1]}) if self.explain else turn


class ProvesSomethingElse(Sound):
    def act(self, view: View) -> Turn:
        turn = super().act(view)
        return turn._replace(evidence={Cell(7, 7): []}) if self.explain else turn


class NotAnAgent:
    pass


SAME = Sound()


@pytest.mark.parametrize(
    ("factory", "sentence"),
    [
        (NotAnAgent, "made a NotAnAgent, which is not a sweepstakes.Agent"),
        (lambda: SAME, "gave the same object twice"),
        (OpensItsFlag, r"opened \(0, 0\), which is flagged"),
        (OpensTwice, r"opened \(0, 0\), which is already open"),
        (Dithers, "took more than 184 turns"),
        (Raises, "raised ValueError: no idea"),
        (FailsOnASingleCell, "raised IndexError.*1x1/0"),
        (CallsAGuessAProof, r"called \(.*\) proven safe, which was a mine"),
        (CallsAWrongFlagAProof, r"called a flag on \(.*\) proven, which is safe"),
        (UsesGlobalNumbers, "use self.rng"),
        (UsesNumpysGlobalNumbers, "use self.rng"),
        (Learns, "(same game in two ways|depends on earlier games)"),
        (SharesItsTurns, "two games at the same time disturb each other"),
        (PlaysForTheGallery, "plays differently when asked to explain"),
        (NamesNoClue, r"as evidence, which is not open"),
        (ProvesSomethingElse, r"evidence for \(7, 7\), which is not in its turn"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_fault_is_named_in_a_sentence(factory: Callable[[], Agent], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_agent(factory)


def test_a_sound_agent_passes() -> None:
    check_agent(Sound, noise=True)


def test_play_under_noise_is_demanded_only_of_an_agent_that_claims_it() -> None:
    check_agent(FailsUnderNoise)
    with pytest.raises(AssertionError, match="agent 'FailsUnderNoise' raised AssertionError: a clue is missing"):
        check_agent(FailsUnderNoise, noise=True)


def test_the_check_leaves_global_random_numbers_as_they_were() -> None:
    before, numpy_before = random.getstate(), np.random.get_state(legacy=False)["state"]["key"]
    check_agent(Sound)
    assert random.getstate() == before
    assert np.array_equal(np.random.get_state(legacy=False)["state"]["key"], numpy_before)


def test_each_step_has_a_name_of_its_own_and_can_be_run_by_itself() -> None:
    names = [step.name for step in STEPS]
    assert len({*names}) == len(names)
    for step in STEPS:
        step.run(Sound)
