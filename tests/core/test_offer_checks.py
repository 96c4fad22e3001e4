"""Board sources, clue noises, scores and reports are checked as agents are."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import Board, BoardSource, ClueNoise, Ending, GameResult, Registry, Score
from sweepstakes.game.result_columns import ResultColumns
from sweepstakes.game.size import Size
from sweepstakes.report import Report
from sweepstakes.score import rate
from sweepstakes.testing import OFFER_STEPS, check_offer
from sweepstakes.testing.checked_offers import check_offers

BUILT_IN = [
    (kind, name)
    for kind in OFFER_STEPS
    for name, offer in Registry.built_in().offers(kind).items()
    if not offer.description.needs
]


@pytest.mark.parametrize(("kind", "name"), BUILT_IN)
def test_what_is_built_in_keeps_its_contract(kind: str, name: str) -> None:
    factory = Registry.built_in().find(kind, name).factory
    assert factory is not None
    check_offer(kind, factory)


class Unseeded(BoardSource):
    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        free = [cell for cell in range(size.cells) if cell not in protected]
        mines = set(random.sample(free, size.mines))
        return Board(size.rows, size.cols, bytes(cell in mines for cell in range(size.cells)))


class Careless(BoardSource):
    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        layout = bytes(cell >= size.cells - size.mines for cell in range(size.cells))
        return Board(size.rows, size.cols, layout)


class Unsure(ClueNoise):
    def likelihood(self, count: int, neighbours: int) -> Mapping[Any, float]:
        return {count: 0.5}


class PerTurn(Score):
    def of(self, result: GameResult) -> float:
        return result.opened / result.turns

    def worst(self, result: GameResult) -> float:
        return 0.0


class Nothing(PerTurn):
    def of(self, result: GameResult) -> float:
        return None  # type: ignore[return-value]


class Generous(PerTurn):
    def of(self, result: GameResult) -> float:
        return 0.0

    def worst(self, result: GameResult) -> float:
        return 1.0


class Bounded(PerTurn):
    def of(self, result: GameResult) -> float:
        return float(result.opened)

    def bounds(self, size: Size) -> tuple[float, float]:
        return 0.0, float(size.mines)


class Backwards(Bounded):
    def bounds(self, size: Size) -> tuple[float, float]:
        return 100.0, 0.0


class Blank(Report):
    def text(self, standings: Any) -> str:
        return str(standings.tables[0].standings[0].agent)


@pytest.mark.parametrize(
    ("kind", "factory", "expected"),
    [
        ("board source", Unseeded, "asked twice for board 0 of .*, it made two boards that differ"),
        ("board source", Careless, "put a mine where the first click is safe, for board 0 of"),
        ("board source", PerTurn, "it made a PerTurn, expected a BoardSource"),
        ("clue noise", Unsure, "sum to 0.5, not 1"),
        ("score", PerTurn, "it raised ZeroDivisionError .* for a game given up at once|division by zero"),
        ("score", Nothing, "it gave None for a game won, expected a number"),
        ("score", Generous, "a fault pays"),
        ("score", Bounded, "it gave 7.0 for a game won, and its bounds there are 0 and 2"),
        ("score", Backwards, "has the bounds 100.0 and 0.0: expected a number and a larger one"),
        ("report", Blank, "it raised IndexError .* for no finished board"),
    ],
)
def test_what_breaks_its_contract_is_told_so(kind: str, factory: Any, expected: str) -> None:
    with pytest.raises(AssertionError, match=expected):
        check_offer(kind, factory)


def test_a_score_without_a_number_is_named_with_its_game() -> None:
    results = [GameResult(2, 2, 1, Ending.WON, opened=3, turns=turns) for turns in (1, 0)]
    for score, expected in ((PerTurn(), "raised ZeroDivisionError"), (Nothing(), "gave None")):
        with pytest.raises(Exception, match=rf"score 'mine' {expected}.* for game basic/1/"):
            rate(score, "mine", ResultColumns.of(results), lambda place: f"basic/1/{place}")


def test_a_step_that_hangs_or_dies_fails_alone(tmp_path: Path) -> None:
    file = tmp_path / "odd_scores.py"
    file.write_text(
        "import os\nfrom sweepstakes import Score, hookimpl\n"
        "class Odd(Score):\n"
        "    def of(self, result): return 1.0\n"
        "    def worst(self, result): os._exit(3)\n"
        "@hookimpl\ndef sweepstakes_scores():\n    return {'odd': Odd}\n"
    )
    registry = Registry(third_party=False)
    steps = list(check_offers(registry.add_file(file, only_agents=True), 60))
    assert [step.passed for step in steps] == [True, False, False]
    assert steps[1].message == "it ended its process with exit code 3"


def test_a_step_whose_answer_is_forged_fails(tmp_path: Path) -> None:
    """A plugin can write into the pipe of its host. What is read from it is a message or a fault of the plugin."""
    file = tmp_path / "forger.py"
    file.write_text(
        "import os, struct\nfrom contextlib import suppress\nfrom sweepstakes import Score, hookimpl\n"
        "class Forger(Score):\n"
        "    def __init__(self):\n"
        "        for number in range(190, 260):\n"
        "            with suppress(OSError):\n"
        "                os.write(number, struct.pack('<IcI', 6, b'D', 0) + b'7')\n"
        "    def of(self, result): return 1.0\n"
        "    def worst(self, result): return 0.0\n"
        "@hookimpl\ndef sweepstakes_scores():\n    return {'forger': Forger}\n"
    )
    steps = list(check_offers(Registry(third_party=False).add_file(file, only_agents=True), 60))
    assert {(step.passed, step.message) for step in steps} == {(False, "it wrote into the files of its process")}
