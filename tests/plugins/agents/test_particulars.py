"""What is particular about single agents: parameters, first moves, flags under noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sweepstakes import (
    PRESETS,
    Agent,
    BoardRef,
    Cell,
    Game,
    ParameterError,
    Registry,
    Rules,
    Size,
    Spec,
    Turn,
    View,
    play_game,
)
from sweepstakes.agent import start_agent
from sweepstakes.game.result import Ending
from sweepstakes.inference import Knowledge
from sweepstakes.inference.deduction import windows

REGISTRY = Registry.default()


def player(name: str, **parameters: Any) -> Agent:
    return start_agent(REGISTRY.agent(Spec(name, parameters)), 5)


def opened(turn: Turn, view: View) -> list[Cell]:
    return [Cell(*divmod(int(cell), view.cols)) for cell in np.asarray(turn.open)]


def flagged(turn: Turn, view: View) -> list[Cell]:
    return [Cell(*divmod(int(cell), view.cols)) for cell in np.asarray(turn.flag)]


def test_basic_with_scope_last_does_not_come_back_to_an_older_clue() -> None:
    before = View.parse("3 4 3\n....\n1...\n....")
    after = View.parse("3 4 3\n.*..\n1...\n....")  # the old clue is satisfied now, but nothing new was opened
    everything, last = player("basic"), player("basic", scope="last")
    assert everything.act(before).why == last.act(before).why == "random"
    assert everything.act(after).why == "proof"
    assert last.act(after).why == "random"


def test_basic_with_scope_last_looks_at_what_was_just_opened() -> None:
    last = player("basic", scope="last")
    last.act(View.parse("2 3 1\n...\n..."))
    view = View.parse("2 3 1\n*..\n1..")
    assert opened(last.act(view), view) == [(0, 1), (1, 1)]


def test_basic_with_scope_click_looks_once_at_the_cell_it_clicked() -> None:
    view = View.parse("1 5 2 start=0,4\n....1")
    turn = player("basic", scope="click").act(view)
    assert flagged(turn, view) == [(0, 3)]
    assert turn.why == "random"  # one look, one clue: nothing is safe yet
    beside = View.parse("1 5 2 start=0,4\n.1.F1")  # the clue at (0, 1) is not the one that was clicked
    assert player("basic", scope="click").act(beside).why == "random"


def test_basic_with_scope_click_opens_one_cell_at_a_time_and_counts_waiting_cells_as_safe() -> None:
    agent = player("basic", scope="click")
    view = View.parse("2 4 1 start=0,0\n0...\n....")
    assert opened(agent.act(view), view) == [(0, 1)]
    after = View.parse("2 4 1 start=0,0\n01..\n....")
    turn = agent.act(after)  # (1, 0) and (1, 1) wait: of the clue's neighbours only (0, 2) and (1, 2) are unknown
    assert (opened(turn, after), flagged(turn, after)) == ([(1, 0)], [])
    agent = player("basic", scope="click")
    agent.act(View.parse("2 3 2 start=0,0\n0..\n..."))
    two = View.parse("2 3 2 start=0,0\n02.\n...")
    assert flagged(agent.act(two), two) == [(0, 2), (1, 2)]


def test_triples_global_opens_the_rest_once_all_mines_are_known() -> None:
    view = View.parse("3 5 2\nF1...\n22...\nF1...")
    turn = player("triples-global").act(view)
    assert turn.why == "proof"
    assert len(opened(turn, view)) == 9
    assert player("triples").act(view)._replace(open=()).why == "proof"  # the clues alone prove a part of it
    assert len(opened(player("triples").act(view), view)) == 3


def test_triples_global_that_stops_gives_the_game_up_with_all_mines_flagged() -> None:
    source = REGISTRY.make("board source", "uniform")
    fewer = 0
    for number in range(30):
        board_ref = BoardRef.of(source, "uniform", Size(10, 10, 8), 3, number)
        stopped = play_game(Game(board_ref), REGISTRY.agent(Spec("triples-global", {"stop": True}))).result
        played = play_game(Game(board_ref), REGISTRY.agent("triples-global")).result
        assert stopped.ending in (Ending.GAVE_UP, Ending.WON, Ending.FINISHED)
        assert (stopped.right_flags, stopped.wrong_flags) == (played.right_flags, played.wrong_flags)
        assert stopped.right_flags + stopped.detonated == 8
        fewer += stopped.cells_clicked < played.cells_clicked
    assert fewer > 3


@pytest.mark.parametrize("window", [0, 31])
def test_a_chain_has_a_length_that_can_be(window: int) -> None:
    with pytest.raises(ParameterError, match="expected 1 to 30"):
        player("chain", window=window)


def test_a_longer_chain_proves_more() -> None:
    found = {}
    for window in (1, 2, 4, 12):
        proven = 0
        for number in range(12):
            game = Game(BoardRef.of(REGISTRY.make("board source", "uniform"), "u", Size(12, 12, 30), 2, number))
            basic = player("basic")
            while not game.over:
                view = game.view()
                turn = player("chain", window=window, patterns=False).act(view)
                proven += len(turn.flag) + (len(turn.open) if turn.why == "proof" else 0)
                game.take(basic.act(view))
        found[window] = proven
    assert found[1] < found[2] < found[4] <= found[12]


def test_a_chain_that_is_too_hard_is_left_out_and_counted() -> None:
    text = "\n".join(["." * 9, *[".2.2.2.2.", "." * 9] * 4])
    view = View.parse(text, mines=30)
    known = Knowledge.of(view, windows, 16, False)
    assert known.fallback
    assert player("chain", window=16, patterns=False).act(view).fallback
    assert not player("chain").act(view).fallback


def test_chain_guesses_the_cell_of_least_accumulated_probability() -> None:
    view = View.parse("3 6 4\n......\n.2..1.\n......")
    turn = player("chain").act(view)
    assert turn.why == "guess"
    assert turn.probability == pytest.approx(1 / 8)
    assert opened(turn, view) == [(0, 5)]  # next to the 1 only, and in a corner


def test_local_probability_guesses_by_the_most_alarming_clue_and_takes_ties_at_random() -> None:
    view = View.parse("3 6 4\n......\n.4..1.\n......")
    chosen = set()
    for seed in range(60):
        agent = start_agent(REGISTRY.agent("local-probability"), seed)
        turn = agent.act(view)
        assert turn.probability == pytest.approx(1 / 8)
        chosen |= {*opened(turn, view)}
    assert chosen == {*view.neighbours((1, 4))} - {*view.neighbours((1, 1))}


@pytest.mark.parametrize(
    ("size", "first_click", "cell"),
    [
        ("beginner", "any", (0, 0)),
        ("beginner", "safe", (0, 0)),
        ("beginner", "opening", (2, 2)),
        ("intermediate", "opening", (2, 2)),
        ("expert", "opening", (3, 3)),
    ],
)
def test_exact_begins_in_a_corner_or_on_the_diagonal(size: str, first_click: Any, cell: tuple[int, int]) -> None:
    game = Game(BoardRef(REGISTRY.make("board source", "uniform"), PRESETS[size], 1), Rules("end", first_click))
    turn = player("exact").act(game.view())
    assert opened(turn, game.view()) == [cell]
    if first_click != "any":
        assert turn.probability == 0


def test_exact_takes_a_flag_back_when_it_no_longer_believes_in_it() -> None:
    liar = REGISTRY.noise("liar(rate=0.25)")
    taken_back = 0
    for number in range(20):
        board_ref = BoardRef.of(REGISTRY.make("board source", "uniform"), "uniform", Size(10, 10, 15), 1, number)
        played = play_game(
            Game(board_ref, Rules(), liar), REGISTRY.agent(Spec("exact", {"threshold": 0.7})), keep_turns=True
        )
        assert not played.result.fault
        taken_back += sum(len(turn.unflag) for turn in played.turns or [])
    assert taken_back > 0


def test_a_flag_of_exact_under_noise_needs_its_threshold() -> None:
    view = View.parse("2 2 1 noise=liar(rate=0.2)\n1.\n1.")
    assert not len(player("exact", threshold=0.95).act(view).flag)
    with pytest.raises(ParameterError, match="threshold"):
        player("exact", threshold=0.5)


def test_no_agent_flags_a_doubtful_cell_when_clues_are_exact() -> None:
    view = View.parse("2 3 2\n1..\n...")
    for name in REGISTRY.self_contained_agents():
        assert not flagged(player(name).act(view), view), name


def test_a_chain_that_stops_gives_up_when_mines_wall_it_in() -> None:
    walled_in = View.parse("3 4 4\n1F..\n1F..\n1F..")
    assert not any(len(cells) for cells in player("chain", blocked="stop").act(walled_in)[:3])
    assert len(player("chain").act(walled_in).open) == 1
    untouched = View.parse("3 4 4\n....\n....\n....")
    assert len(player("chain", blocked="stop").act(untouched).open) == 1


def test_a_chain_that_stops_flags_what_it_proves_first() -> None:
    view = View.parse("2 4 4\n2...\n2...")
    turn = player("chain", blocked="stop").act(view)
    assert (flagged(turn, view), opened(turn, view)) == ([(0, 1), (1, 1)], [])


def test_ibm_with_one_try_assumes_the_least_involved_cell_and_then_guesses() -> None:
    view = View.parse("3 3 2\n...\n11?\n???")  # A + B = 1, A + B + C = 1: C stands in one equation
    turn = player("ibm", tries=1).act(view)
    assert (turn.why, opened(turn, view)) == ("proof", [(0, 2)])
    assert player("ibm", tries=1, order="most").act(view).why == "random"
    assert player("ibm", tries=9, order="most").act(view).why == "proof"
    with pytest.raises(ParameterError, match="tries 0: expected at least 1"):
        player("ibm", tries=0)


def test_ibm_that_may_try_every_cell_opens_a_cell_whenever_ibm_does() -> None:
    source = REGISTRY.make("board source", "uniform")
    for number in range(8):
        game = Game(BoardRef.of(source, "uniform", Size(10, 10, 25), 6, number))
        every = player("ibm")
        while not game.over:
            view = game.view()
            turn = every.act(view)
            for order in ("least", "most", "random"):
                one = player("ibm", tries=400, order=order).act(view)
                assert (one.why == "proof") == (turn.why == "proof"), view
                if one.why == "proof":
                    assert {*opened(one, view)} <= {*opened(turn, view)}
            game.take(turn)


@pytest.mark.parametrize(
    ("noise", "row", "proven"),
    [
        ("exact-clues", "21?.", ""),
        ("cautious(rate=0.5)", ".1F?", "open"),
        ("optimistic(rate=0.5)", ".2.?", "flag"),
        ("optimistic(rate=0.5)", ".1F?", ""),
        ("cautious(rate=0.5)", ".2.?", ""),
        ("liar(rate=0.5)", ".1F?", ""),
    ],
)
def test_bounds_proves_what_the_possible_counts_prove(noise: str, row: str, proven: str) -> None:
    view = View.parse(f"1 4 2 noise={noise}\n{row}")
    turn = player("bounds").act(view)
    assert (len(opened(turn, view)) > 0 and turn.why == "proof") == (proven == "open")
    assert (len(flagged(turn, view)) > 0) == (proven == "flag")


@pytest.mark.parametrize("noise", ["hidden(rate=0.5)", "optimistic(rate=0.5)", "cautious(rate=1)", "liar(rate=0.3)"])
def test_bounds_has_no_wrong_flag_under_any_noise(noise: str) -> None:
    source = REGISTRY.make("board source", "uniform")
    for number in range(6):
        board_ref = BoardRef.of(source, "uniform", Size(10, 10, 20), 4, number)
        result = play_game(Game(board_ref, Rules(), REGISTRY.noise(noise)), REGISTRY.agent("bounds")).result
        assert not result.fault
        assert result.wrong_flags == 0
