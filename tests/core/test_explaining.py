"""The second playing of a finished game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sweepstakes import Agent, Board, BoardRef, Cell, Game, Registry, Rules, Size, Turn, View, play_game
from sweepstakes.executor import Limits
from sweepstakes.game.turn_codec import pack, same, unpack
from sweepstakes.inference import evidence, posterior
from sweepstakes.inference.explaining import explain_game, proven_turns
from sweepstakes.limits import second_limits
from sweepstakes.plugins.boards.uniform import Uniform

NOISES = ["exact-clues", "hidden(rate=0.3)", "liar(rate=0.2)"]


def game(number: int = 0, noise: str = "exact-clues", rules: Rules = Rules()) -> Game:
    return Game(BoardRef(Uniform(), Size(8, 8, 10), 5 + number, number), rules, Registry.default().noise(noise))


def flat(cells: Any, cols: int) -> list[int]:
    return cells.tolist() if isinstance(cells, np.ndarray) else [row * cols + col for row, col in cells]


class Tight(Agent):
    """Proves like `exact`, and gives no evidence. It runs `action` when it has to explain."""

    action: Callable[[Turn], Turn] = staticmethod(lambda turn: turn)

    def act(self, view: View) -> Turn:
        turn = Registry.default().agent("exact")().act(view)
        return self.action(turn) if self.explain else turn


def tight(action: Callable[[Turn], Any]) -> type[Tight]:
    return type("Tight", (Tight,), {"action": staticmethod(action)})


def raising(turn: Turn) -> Turn:
    raise ValueError("no words")


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("name", ["basic", "chain", "exact", "improved-probabilistic", "triples-global", "random"])
def test_a_second_playing_takes_the_same_turns_and_adds_evidence(name: str, noise: str) -> None:
    factory = Registry.default().agent(name)
    for number in range(3):
        played = play_game(game(number, noise), factory, keep_turns=True)
        assert played.turns is not None
        assert all(turn.evidence is None for turn in played.turns)
        told = explain_game(game(number, noise), factory, played.turns)
        assert told is not None
        assert [same(one, two) for one, two in zip(told, played.turns, strict=True)] == [True] * len(told)
        if name != "random" and noise == "exact-clues":
            proofs = [turn for turn in told if turn.why == "proof"]
            assert proofs
            assert all(len(turn.evidence or {}) >= len(turn.open) + len(turn.flag) for turn in proofs)


def test_stored_turns_do_as_well() -> None:
    factory = Registry.default().agent("exact")
    played = play_game(game(), factory, keep_turns=True)
    told = explain_game(game(), factory, played.turns or [])
    assert explain_game(game(), factory, unpack(pack(played.turns or []))) == told


@pytest.mark.parametrize("noise", NOISES)
def test_who_gives_no_evidence_gets_the_engines_smallest_proof_of_each_certain_cell(noise: str) -> None:
    played = play_game(game(1, noise), Tight, keep_turns=True)
    told = explain_game(game(1, noise), Tight, played.turns or [])
    assert told is not None
    again, some = game(1, noise), 0
    for turn in told:
        view = again.view()
        table = None if view.noise.exact else view.noise.table
        certain = posterior(view.shown, view.mines, noise=table, trust_flags=table is None).certain.reshape(-1)
        safe = [c for c in flat(turn.open, view.cols) if turn.why == "proof" and certain[c] == 1]
        mines = [c for c in flat(turn.flag, view.cols) if certain[c] == 2]
        expected = evidence(view.shown, view.mines, safe, mines, noise=table)
        assert (turn.evidence or {}) == expected
        some += len(expected)
        again.take(turn)
    assert some > 5
    assert told == proven_turns(game(1, noise), played.turns or [])


def test_a_flag_beside_a_guess_has_its_proof_and_a_cell_that_is_not_certain_has_none() -> None:
    board = Board.parse("*....\n.....\n....*")
    before = Turn(open=[(2, 0)], why="random")
    turns = [before, Turn(flag=[(0, 0)], open=[(2, 4)], why="guess", probability=0.5)]
    beside = proven_turns(Game(board), turns)[1]
    assert {cell: len(clues) for cell, clues in (beside.evidence or {}).items()} == {Cell(0, 0): 1}
    lying = [Turn(open=[(2, 0)], why="proof"), Turn()]
    assert proven_turns(Game(board), lying)[0].evidence is None


def test_what_an_agent_says_comes_before_what_the_engine_finds() -> None:
    def half(turn: Turn) -> Turn:
        cells = [Cell(*divmod(c, 8)) for c in [*flat(turn.open, 8), *flat(turn.flag, 8)]]
        return turn._replace(evidence={cells[-1]: [Cell(0, 0)]}) if turn.why == "proof" and cells else turn

    played = play_game(game(2), Tight, keep_turns=True)
    told = explain_game(game(2), tight(half), played.turns or []) or []
    several = [turn for turn in told if turn.why == "proof" and len(turn.evidence or {}) > 1]
    assert several
    for turn in several:
        first, *_ = (turn.evidence or {}).items()
        assert first[1] == (Cell(0, 0),)


@pytest.mark.parametrize(
    "action",
    [
        raising,
        lambda turn: turn._replace(why="guess"),
        lambda turn: turn._replace(probability=0.125),
        lambda turn: turn._replace(fallback=not turn.fallback),
        lambda turn: turn._replace(open=turn.open[::-1]) if len(turn.open) > 1 else turn,
        lambda turn: turn._replace(evidence={Cell(9, 9): []}),
        lambda turn: Turn(),
        lambda turn: None,
    ],
)
def test_a_second_playing_that_differs_or_breaks_off_comes_to_nothing(action: Callable[[Turn], Any]) -> None:
    played = play_game(game(1), Tight, keep_turns=True)
    assert explain_game(game(1), tight(action), played.turns or []) is None


def test_a_game_that_ended_by_a_fault_is_explained_up_to_it() -> None:
    class Breaks(Tight):
        def act(self, view: View) -> Turn:
            if len(view.open()) > 30:
                raise ValueError
            return super().act(view)

    played = play_game(game(), Breaks, keep_turns=True)
    assert played.result.ending.is_fault
    assert len(explain_game(game(), Breaks, played.turns or []) or []) == len(played.turns or []) > 1

    class Illegal(Tight):
        def act(self, view: View) -> Turn:
            return Turn(open=view.open()[:1]) if len(view.open()) > 30 else super().act(view)

    played = play_game(game(), Illegal, keep_turns=True)
    assert len(explain_game(game(), Illegal, played.turns or []) or []) == len(played.turns or []) > 1
    assert len(proven_turns(game(), played.turns or [])) == len(played.turns or [])


def test_the_limits_of_a_second_playing_are_ten_times_those_of_the_game() -> None:
    assert second_limits(Limits(10, 60, 1024)) == Limits(100, 600, 1024)
    assert second_limits(Limits()) == Limits()
    played = play_game(game(), Tight, keep_turns=True)
    assert explain_game(game(), Tight, played.turns or [], Limits(turn_seconds=1e-9)) is None
    assert explain_game(game(), Tight, played.turns or [], Limits(game_seconds=1e-9)) is None
    assert explain_game(game(), Tight, played.turns or [], Limits(1000, 1000)) is not None


def test_an_interrupt_by_the_person_at_the_keyboard_goes_through() -> None:
    def interrupt(turn: Turn) -> Turn:
        raise KeyboardInterrupt

    played = play_game(game(), Tight, keep_turns=True)
    with pytest.raises(KeyboardInterrupt):
        explain_game(game(), tight(interrupt), played.turns or [])
