"""Every decision is judged as brute force over all layouts judges it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import isnan

import numpy as np
import pytest
from review_twin import decisions

from sweepstakes import Board, Cell, Game, GameSetup, PositionError, Registry, Rules, Size, Spec, Turn, play_game
from sweepstakes.game.turn import REASONS
from sweepstakes.review import GameReview, Judgement, Label, Thresholds, review_game

REGISTRY = Registry.default()
NOISES = ["exact-clues", "hidden(rate=0.3)", "liar(rate=0.25,blanks=true)", "optimistic(rate=0.2)"]
RULES = [
    Rules(on_mine, first_click, start, flood)
    for on_mine in ("continue", "end")
    for first_click in ("any", "safe", "opening")
    for start in (None, Cell(1, 1))
    for flood in (True, False)
]


def restless_turns(game: Game, rng: random.Random) -> list[Turn]:
    """The turns of an agent that does whatever is legal, for whatever reason, to the end of the game or for a while."""
    turns: list[Turn] = []
    while not game.over and len(turns) < 12:
        view = game.view()
        covered, flagged = view.covered(), view.flagged()
        unflag = rng.sample(flagged, rng.randint(0, min(2, len(flagged))))
        flag = rng.sample(covered, rng.choice([0, 0, 0, 1, 2]) % (len(covered) + 1))
        rest = [cell for cell in covered if cell not in flag]
        opens = rng.sample(rest, min(len(rest), rng.choice([0, 1, 1, 1, 2, 4])))
        opens += opens[:1]  # a cell named twice is opened once
        chance = rng.choice([None, rng.random()])
        turns.append(Turn(open=opens, flag=flag, unflag=unflag, why=rng.choice(REASONS), probability=chance))
        game.take(turns[-1])
    return turns


def label(judged: Judgement, turns: Sequence[Turn]) -> Label:
    """The class by the definitions, from the facts that brute force confirmed."""
    proof = turns[judged.turn].why == "proof"
    if judged.action == "flag":
        if not judged.mine:
            return Label.WRONG_FLAG
        return Label.FLAG if not proof else Label.SOUND_PROOF if judged.certain else Label.UNSOUND_PROOF
    if proof:
        return Label.SOUND_PROOF if judged.certain else Label.UNSOUND_PROOF
    above = judged.probability - judged.least
    if above > 1e-9 and judged.escape:
        return Label.MISSED_PROOF
    if above <= 1e-9:
        return Label.BEST_GUESS
    return Label.BLUNDER if above > 0.1 + 1e-9 else Label.INACCURACY if above > 0.02 + 1e-9 else Label.GOOD_GUESS


def check(setup: GameSetup, turns: Sequence[Turn], review: GameReview) -> None:
    """The review agrees with brute force in every decision, and its audit with its judgements."""
    expected = list(decisions(setup.game(REGISTRY), turns))
    found = review.judgements
    assert [(j.turn, j.action, j.cell) for j in found] == [d[:3] for d in expected], setup
    end = setup.game(REGISTRY)
    for turn in turns:
        end.take(turn)
    if not end.over:
        end.take(Turn())
    for judged, truth in zip(found, expected, strict=True):
        assert judged.certain == truth.certain, (setup, judged, truth)
        assert judged.probability == pytest.approx(truth.probability, abs=1e-9)
        if judged.action == "open":
            assert judged.least == pytest.approx(truth.least, abs=1e-9)
            assert judged.escape == truth.escape
        assert judged.mine == end.board.is_mine(judged.cell)
        assert judged.label is label(judged, turns)
    audit = review.audit
    opens = [judged for judged in found if judged.action == "open"]
    assert audit.proofs == sum(judged.claimed for judged in found)
    assert audit.unsound == sum(judged.claimed and not judged.certain for judged in found)
    assert audit.unsound == sum(judged.unsound for judged in found)
    assert audit.guesses == sum(not judged.claimed for judged in opens)
    labels = [judged.label for judged in found]
    assert audit.missed == labels.count(Label.MISSED_PROOF)
    assert audit.best == labels.count(Label.BEST_GUESS)
    assert audit.good == labels.count(Label.GOOD_GUESS)
    assert audit.inaccuracies == labels.count(Label.INACCURACY)
    assert audit.blunders == labels.count(Label.BLUNDER)
    assert audit.risky == sum(not judged.certain for judged in opens)
    assert audit.excess == pytest.approx(sum(judged.excess for judged in opens))
    assert audit.flags == len(found) - len(opens)
    assert audit.wrong_flags == labels.count(Label.WRONG_FLAG)
    assert audit.not_judged == 0
    stated = [(judged.stated, judged.probability, judged.mine) for judged in opens if judged.stated is not None]
    assert sorted(audit.stated) == sorted(stated)
    first: dict[int, Judgement] = {}
    for judged in opens:
        first.setdefault(judged.turn, judged)
    assert len(stated) == sum(turns[turn].probability is not None for turn in first)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_every_decision_is_judged_as_brute_force_judges_it(rules: Rules, noise: str) -> None:
    rng = random.Random(f"{rules} {noise}")
    for number in range(6):
        size = rng.choice([Size(3, 4, 2), Size(3, 3, 3), Size(2, 6, 3), Size(4, 4, 3), Size(3, 3, 0)])
        if rules.first_click == "opening":
            size = size._replace(mines=min(size.mines, 2)) if size.rows * size.cols > 11 else Size(3, 4, 1)
        setup = GameSetup(size, 5, number, rules, noise=Spec.parse(noise))
        turns = restless_turns(setup.game(REGISTRY), rng)
        check(setup, turns, review_game(setup, turns))


def play(agent: str, setup: GameSetup) -> Sequence[Turn]:
    turns = play_game(setup.game(REGISTRY), REGISTRY.agent(Spec.parse(agent)), keep_turns=True).turns
    assert turns is not None
    return turns


@pytest.mark.parametrize("agent", ["exact", "basic", "random", "chain", "probabilistic"])
@pytest.mark.parametrize("rules", [Rules("end", "safe"), Rules("continue", "any"), Rules("end", "opening")], ids=str)
def test_games_of_agents_are_judged_as_brute_force_judges_them(agent: str, rules: Rules) -> None:
    for number in range(4):
        setup = GameSetup(Size(4, 4, 4), 9, number, rules)
        turns = play(agent, setup)
        review = review_game(setup, turns)
        cells = [
            turn._replace(
                **{  # type: ignore[arg-type]
                    name: [Cell(*divmod(int(flat), 4)) for flat in getattr(turn, name)]
                    if isinstance(getattr(turn, name), np.ndarray)
                    else getattr(turn, name)
                    for name in ("open", "flag", "unflag")
                }
            )
            for turn in turns
        ]
        check(setup, cells, review)
        assert review_game(setup, cells).judgements == review.judgements


def test_the_exact_agent_makes_no_mistakes() -> None:
    for number in range(20):
        setup = GameSetup(Size(16, 30, 99), 1, number, Rules("end", "safe"))
        audit = review_game(setup, play("exact", setup)).audit
        assert audit.unsound == audit.missed == audit.wrong_flags == audit.good == audit.blunders == 0
        assert audit.best == audit.guesses > 0
        assert audit.error < 1e-6


def test_the_last_turn_may_be_illegal() -> None:
    setup = GameSetup(Size(4, 4, 3), 3, 1)
    opened = Turn(open=[(0, 0)], why="guess")
    for bad in (Turn(open=[(3, 3), (9, 9), (2, 2)]), Turn(flag=[(3, 3), (0, 0)]), Turn(unflag=[(3, 3)])):
        found = review_game(setup, [opened, bad]).judgements
        assert [judged.cell for judged in found[1:]] in ([Cell(3, 3)], [])
        assert len(found) == 1 + (len(bad.unflag) == 0)
    setup = setup._replace(rules=Rules(first_click="safe"))
    assert review_game(setup, [Turn(open=[(7, 7)])]).judgements == []


def test_turns_after_the_most_that_a_game_may_take_are_not_judged() -> None:
    setup = GameSetup(Size(2, 2, 1), 3, 0)
    back_and_forth = [Turn(flag=[(0, 0)]), Turn(unflag=[(0, 0)])] * 20
    assert len(review_game(setup, back_and_forth).judgements) == 16


def test_boards_without_a_known_prior_are_not_judged() -> None:
    setup = GameSetup(Size(9, 9, 10), source=Spec.parse("clustered"))
    with pytest.raises(PositionError, match=r"boards of 'clustered.*' cannot be judged: only for 'uniform'"):
        review_game(setup, [])


def test_a_position_too_large_for_the_sum_is_marked_and_left_out() -> None:
    setup = GameSetup(Size(8, 8, 20), 4, 2, Rules("continue"))
    turns = [Turn(open=[(r, c)], why="guess", probability=0.3) for r in range(0, 8, 2) for c in range(0, 8, 2)]
    review = review_game(setup, turns, budget=3)
    left_out = [judged for judged in review.judgements if judged.label is Label.NOT_JUDGED]
    assert left_out
    assert all(isnan(judged.probability) and isnan(judged.excess) and judged.error is None for judged in left_out)
    audit = review.audit
    assert audit.not_judged == len(left_out)
    assert audit.guesses == len(review.judgements) - len(left_out) == len(audit.stated)
    assert audit.excess == pytest.approx(sum(j.excess for j in review.judgements if j not in left_out))


def test_thresholds_can_be_given_and_must_be_in_order() -> None:
    setup = GameSetup(Size(4, 4, 4), 1, 3)
    turns = [Turn(open=[(0, 0)], why="guess")]
    with pytest.raises(ValueError, match="expected 0 <= inaccuracy <= blunder <= 1"):
        review_game(setup, turns, thresholds=Thresholds(0.3, 0.1))
    rng = random.Random(1)
    seen = set()
    for number in range(40):
        setup = GameSetup(Size(3, 3, 3), 1, number)
        turns = restless_turns(setup.game(REGISTRY), rng)
        for judged in review_game(setup, turns, thresholds=Thresholds(0.0, 0.0)).judgements:
            seen.add(judged.label)
    assert Label.BLUNDER in seen
    assert Label.INACCURACY not in seen
    assert Label.GOOD_GUESS not in seen


def test_a_missed_proof_names_the_nearest_certain_cell_and_its_clues() -> None:
    board = Board.parse("....\n....\n*..*\n")

    game = Game(board, Rules(flood=False))
    turns = [Turn(open=[(1, 1)], why="guess"), Turn(open=[(0, 3)]), Turn(open=[(2, 3)], why="random")]
    review = review_game(game, turns)
    missed = review.judgements[-1]
    assert missed.label is Label.MISSED_PROOF
    assert review.missed_proof(missed) == (Cell(1, 2), [Cell(0, 3)], False)
    assert str(review.position(missed)).endswith("...0\n.1..\n....")
