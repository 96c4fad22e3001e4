"""The contracts of board sources, clue noises, scores and reports, as steps that `sweepstakes check` reports.

    from sweepstakes.testing import check_offer

    def test_my_score_keeps_its_contract():
        check_offer("score", MyScore)

Each step gets a factory of the plugin, and raises an `AssertionError` with a sentence if it breaks its contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite, isnan, nan
from typing import Any

from sweepstakes.boards import BoardRef, BoardSource
from sweepstakes.errors import PluginError, PositionError, SweepstakesError
from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import Game
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import PRESETS, Size
from sweepstakes.game.turn import Turn
from sweepstakes.noise import ClueNoise
from sweepstakes.report import Report
from sweepstakes.score import MeasuredScore, Score, bounds_of
from sweepstakes.standings import ConditionFields, HeadToHead, Interval, ScoreColumn, Standing, Standings, Table, Timing
from sweepstakes.testing.steps import Step, check

Make = Callable[[], Any]
"""Makes the plugin that is checked."""
_SIZES = (*PRESETS.values(), Size(1, 1, 0), Size(1, 8, 3), Size(5, 5, 24))
_BOARDS = 5


def _made(make: Make, kind: type[Any]) -> None:
    thing = make()
    check(isinstance(thing, kind), f"it made a {type(thing).__name__}, expected a {kind.__name__}")


def _is_a_source(make: Make) -> None:
    _made(make, BoardSource)
    contents = make().contents()
    check(isinstance(contents, str), f"contents() returned a {type(contents).__name__}, expected a text")


def _boards(make: Make) -> Iterator[tuple[BoardSource, Size, Rules, tuple[int, ...]]]:
    """Yield every size and rule that the source accepts."""
    for size in _SIZES:
        for rules in (Rules(), Rules(first_click="safe"), Rules(first_click="opening")):
            source = make()
            try:
                rules.check(size)
                source.check(size, _BOARDS, rules)
            except PositionError:
                continue
            corner = Cell(size.rows - 1, size.cols - 1)
            yield source, size, rules, rules.protected(size, corner)


def _makes_boards_as_asked(make: Make) -> str:
    accepted = set()
    for source, size, rules, protected in _boards(make):
        accepted.add(size)
        for number in range(_BOARDS):
            try:
                BoardRef.of(source, "checked", size, 1, number).board(protected)
            except SweepstakesError as error:
                raise AssertionError(f"{error}, for board {number} of {size}, {rules}") from None
    check(bool(accepted), f"its check() refuses all of {', '.join(map(str, _SIZES))}")
    return "" if len(accepted) == len(_SIZES) else f"it refuses {len(_SIZES) - len(accepted)} of {len(_SIZES)} sizes"


def _deals_alike(make: Make) -> None:
    for source, size, rules, protected in _boards(make):
        for number in range(_BOARDS):
            first, again, fresh = (
                BoardRef.of(each, "checked", size, 1, number).board(protected) for each in (source, source, make())
            )
            check(
                first == again == fresh,
                f"asked twice for board {number} of {size}, {rules}, it made two boards that differ",
            )


def _is_a_noise(make: Make) -> None:
    _made(make, ClueNoise)


def _is_a_distribution(make: Make) -> None:
    try:
        first, second = make().model("checked"), make().model("checked")
    except SweepstakesError as error:
        raise AssertionError(str(error)) from None
    check(first == second, "two objects with the same parameters have different likelihoods")


def _plays(make: Make) -> None:
    game = Game(Board.parse("*..\n...\n..*"), noise=make().model("checked"))
    for cell in ((1, 0), (1, 2), (0, 2), (2, 0)):
        if game.view().is_covered(Cell(*cell)):
            game.take(Turn(open=[cell]))
    game.view()


def _is_a_score(make: Make) -> None:
    _made(make, Score)
    score = make()
    check(isinstance(score.more_is_better, bool), "more_is_better: expected True or False")
    check(isinstance(score.proportion, bool), "proportion: expected True or False")


def _games() -> Iterator[tuple[str, GameResult]]:
    """Yield results of finished games of every kind, each with a description."""
    board = Board.parse("*..\n...\n..*")
    safe = [(1, 0), (0, 2), (2, 0), (1, 1), (0, 1), (1, 2), (2, 1)]
    plans: dict[str, tuple[list[Turn], Ending | None]] = {
        "a game won": (
            [Turn(open=safe, flag=[(0, 0), (2, 2)])],
            None,
        ),
        "a game given up at once": ([Turn()], None),
        "a game with mines set off": ([Turn(open=[(0, 0)]), Turn(open=[(2, 2)]), Turn()], None),
        "a game with wrong flags": ([Turn(flag=[(0, 1), (1, 1)]), Turn()], None),
        "a game lost by an exception on the first turn": ([], Ending.ERROR),
        "a game lost by an exception later": ([Turn(open=[(1, 0)], flag=[(0, 0)])], Ending.ERROR),
        "a game lost by a time-out": ([Turn(open=[(0, 0)])], Ending.TIME_OUT),
    }
    for what, (turns, fault) in plans.items():
        game = Game(board)
        for turn in turns:
            game.take(turn)
        if fault is not None:
            game.forfeit(fault, "it did")
        yield what, game.result()
    for what, empty in (("a board without mines", Board.parse("..")), ("a board of mines alone", Board.parse("**"))):
        game = Game(empty)
        game.take(Turn())
        yield what, game.result()


def _rates_every_game(make: Make) -> str:
    score = make()
    for what, result in _games():
        if isinstance(score, MeasuredScore):
            result = result._replace(measures={score.name: 0.5})
        try:
            value = score(result)
        except Exception as error:
            raise AssertionError(f"it raised {type(error).__name__} ({error}) for {what}") from error
        number = isinstance(value, int | float) or hasattr(value, "__float__")
        check(number, f"it gave {value!r} for {what}, expected a number")
        if score.columns and isnan(float(value)):
            continue  # it has no value in this game
        check(isfinite(float(value)), f"it gave {value!r} for {what}, expected a finite number")
        check(score(result) == value == make()(result), f"it gave two numbers for {what}")
        if score.proportion:
            check(value in (0, 1), f"proportion is set, but it gave {value!r} for {what}: expected 0 or 1")
        try:
            low, high = bounds_of(score, "checked", Size(result.rows, result.cols, result.mines))
        except PluginError as error:
            raise AssertionError(str(error)) from error
        check(low <= value <= high, f"it gave {value!r} for {what}, and its bounds there are {low:g} and {high:g}")
    return ""


def _faults_do_not_pay(make: Make) -> None:
    score = make()
    sign = 1 if score.more_is_better else -1
    if isinstance(score, MeasuredScore):
        return
    for what, result in _games():
        if result.ending.is_fault:
            so_far = score.of(result._replace(ending=Ending.GAVE_UP, fault=""))
            if score.columns and isnan(score.worst(result)):
                continue
            check(
                sign * score.worst(result) <= sign * so_far,
                f"{what} scores {score.worst(result):g}, and {so_far:g} if it had been given up instead: a fault pays",
            )


def _is_a_report(make: Make) -> None:
    _made(make, Report)


def _standings() -> Iterator[tuple[str, Standings]]:
    """Yield standings of every kind, each with a description."""
    known, unknown = Interval(0.5, 0.25, 0.75), Interval(nan, nan, nan)
    scores = (ScoreColumn("win", True, True), ScoreColumn("turns", False, False))
    fields = ConditionFields(9, 9, 10, 0.123457, "on_mine=continue first_click=any", "exact-clues", "uniform")
    label = 'agent "<b>|,é" \\'
    names = ("basic", label)
    lines = tuple(Standing(1, name, 4, (known, known), known, i, 0, i) for i, name in enumerate(names))
    pairs = (HeadToHead(*names, 1, 2, 1, known, 1.0, 0.5),)
    timings = (Timing("basic", 4, known, 0.5, 0.6, 0.7, 0.8),)
    full = Table("beginner", 4, lines, pairs, timings, fields)
    bare = Table("all", 4, tuple(line._replace(scores=(known, unknown), rating=unknown) for line in lines), pairs, ())
    yield "two conditions", Standings("checked", scores, (bare, full, full), "A footnote.")
    yield "one agent", Standings("checked", scores, (full._replace(standings=lines[:1], pairs=()),), "A footnote.")
    yield "no finished board", Standings("checked", scores, (full._replace(boards=0, standings=(), pairs=()),), "")


def _writes_text(make: Make) -> None:
    for what, standings in _standings():
        try:
            text = make().text(standings)
        except Exception as error:
            raise AssertionError(f"it raised {type(error).__name__} ({error}) for {what}") from error
        check(isinstance(text, str), f"it gave a {type(text).__name__} for {what}, expected a text")
        check(text == make().text(standings), f"it wrote two texts for the same standings ({what})")


OFFER_STEPS: dict[str, tuple[Step, ...]] = {
    "board source": (
        Step("is a board source", _is_a_source, "offer a class derived from sweepstakes.BoardSource"),
        Step(
            "makes boards of the requested size, without mines where the first click is protected",
            _makes_boards_as_asked,
            "return a Board of this size and these mines; raise PositionError in check() for what it cannot make",
        ),
        Step("makes the same board every time", _deals_alike, "draw from the seed argument alone"),
    ),
    "clue noise": (
        Step("is a clue noise", _is_a_noise, "offer a class derived from sweepstakes.ClueNoise"),
        Step(
            "gives probabilities that sum to 1 for every count of mines",
            _is_a_distribution,
            "return a mapping of 0 to 8 or 'withheld' to probabilities, the same each time",
        ),
        Step("can be played", _plays, "see docs/hooks.md"),
    ),
    "score": (
        Step("is a score", _is_a_score, "offer a class derived from sweepstakes.Score"),
        Step(
            "gives a finite number for every game, the same each time",
            _rates_every_game,
            "return a number for games without turns, mines or safe cells too: no None, no NaN, no division by 0",
        ),
        Step("rates a fault no better than giving up", _faults_do_not_pay, "return the worse of both in worst()"),
    ),
    "report": (
        Step("is a report", _is_a_report, "offer a class derived from sweepstakes.report.Report"),
        Step(
            "writes the same text for the same standings, even if values are missing",
            _writes_text,
            "estimates may be NaN, timings may be missing, and labels may have any character",
        ),
    ),
}
"""The steps by kind of offer. A step may call the factory several times."""


def check_offer(kind: str, factory: Make) -> None:
    """Check a board source, clue noise, score or report; `AssertionError` names the first fault."""
    for step in OFFER_STEPS[kind]:
        step.run(factory)
