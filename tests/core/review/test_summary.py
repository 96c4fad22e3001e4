"""The numbers of a game: accuracy, chances to survive and to win, luck."""

from __future__ import annotations

import math

import pytest

from sweepstakes import Board, Game, GameSetup, Rules, Size, Turn
from sweepstakes.review import MISTAKES, Label, arithmetic, review_game
from sweepstakes.review.judgement import LABELS

CORNER = Board.parse("*....\n.....\n...*.\n....*")
CLASSIC = Rules("end", "safe")


def test_the_classes_have_the_numbers_of_the_labels() -> None:
    assert LABELS[arithmetic.SOUND_PROOF] is Label.SOUND_PROOF
    assert LABELS[arithmetic.INACCURATE] is Label.INACCURACY
    assert LABELS[arithmetic.NOT_JUDGED] is Label.NOT_JUDGED
    ordered = sorted(LABELS, key=lambda label: arithmetic.severity(LABELS.index(label)))
    assert tuple(ordered[: len(MISTAKES)]) == MISTAKES
    assert {arithmetic.severity(LABELS.index(label)) for label in ordered[len(MISTAKES) :]} == {arithmetic.NO_MISTAKE}


def test_a_click_is_accurate_if_no_cell_was_safer() -> None:
    summary = review_game(
        Game(CORNER, CLASSIC), [Turn([(0, 3)], why="guess"), Turn([(1, 0)], why="guess"), Turn([(0, 0)], why="guess")]
    ).summary
    assert (summary.clicks, summary.accurate) == (3, 1)
    assert [turn.accurate for turn in summary.turns] == [True, False, False, None]
    assert (summary.survived, summary.survivable) == (0.0, 1.0)
    assert [turn.alive for turn in summary.turns] == pytest.approx([1.0, 0.5, 0.0, 0.0])


def test_flags_are_no_clicks_and_change_no_chance() -> None:
    summary = review_game(
        Game(CORNER, CLASSIC), [Turn([(0, 3)], why="guess"), Turn(flag=[(0, 0)], why="guess")]
    ).summary
    assert summary.clicks == 1
    assert summary.turns[1].accurate is None
    assert summary.turns[1].label is Label.FLAG


def test_the_chance_to_win_ends_at_one_or_zero() -> None:
    safe = [(r, c) for r in range(4) for c in range(5) if not CORNER.mines[r, c]]
    game, turns = Game(CORNER, CLASSIC), []
    for cell in safe:
        if not game.over and game.view().is_covered(cell):
            turns.append(Turn([cell], why="guess"))
            game.take(turns[-1])
    won = review_game(Game(CORNER, CLASSIC), turns).summary
    assert won.turns[-1].chance == 1.0
    lost = review_game(Game(CORNER, CLASSIC), [Turn([(0, 3)], why="guess"), Turn([(0, 0)], why="guess")]).summary
    assert lost.turns[-1].chance == 0.0
    assert all(0 < turn.chance < 1 for turn in lost.turns[:-1])


def test_where_play_goes_on_after_a_mine_there_is_no_chance_to_win() -> None:
    summary = review_game(Game(CORNER, Rules("continue", "safe")), [Turn([(0, 3)], why="guess")]).summary
    assert all(math.isnan(turn.chance) for turn in summary.turns)


def test_more_mines_or_a_riskier_best_cell_mean_a_lower_chance() -> None:
    chance = arithmetic.chance_to_win
    assert chance(100, 20, 256, 1.0) > chance(100, 40, 256, 1.0) > chance(100, 40, 256, 0.8)
    assert chance(200, 40, 256, 1.0) < chance(20, 40, 256, 1.0) < chance(0, 40, 256, 0.5) == 1.0


def test_the_luck_of_the_turns_is_the_luck_of_the_game() -> None:
    setup = GameSetup(Size(5, 5, 5), 1, 4, Rules("continue"))
    turns = [Turn([(0, c)], why="guess") for c in range(3)]
    found = review_game(setup, turns)
    assert found.summary.luck == pytest.approx(found.luck.win, abs=1e-12)
