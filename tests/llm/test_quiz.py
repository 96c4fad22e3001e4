"""The quiz: its positions and judgements against brute force, and the command."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from said import Said

from sweepstakes import Agent, Board, Registry, RunError, Size, Turn, View
from sweepstakes.game.cell import neighbours
from sweepstakes.leaderboards.pages.index_page import front_page
from sweepstakes.tournaments.quiz.asking import MAX_TURNS, Answer, ask, ask_all
from sweepstakes.tournaments.quiz.judging import judge, summarise
from sweepstakes.tournaments.quiz.positions import LEVELS, Kind, Position, positions, positions_of_game
from sweepstakes.tournaments.quiz.report import fault_lines


def layouts(view: View, *, counted: bool) -> list[set[tuple[int, int]]]:
    """Every set of cells that may be the mines, by trying all; flags tell nothing."""
    closed = [(r, c) for r in range(view.rows) for c in range(view.cols) if not view.is_open((r, c))]
    found = []
    for bits in itertools.product((False, True), repeat=len(closed)):
        mines = {cell for cell, mine in zip(closed, bits, strict=True) if mine}
        if counted and len(mines) != view.mines:
            continue
        if all(
            sum(cell in mines for cell in neighbours(view.rows, view.cols, *clue)) == view.clue(clue)
            for clue in view.open()
        ):
            found.append(mines)
    return found


def kind_by_force(view: View) -> Kind:
    """The kind of a position, found without the engine."""
    for clue in view.open():
        around = neighbours(view.rows, view.cols, *clue)
        if sum(map(view.is_flagged, around)) == view.clue(clue) and any(map(view.is_covered, around)):
            return Kind.SINGLE
    for kind, counted in ((Kind.SEVERAL, False), (Kind.COUNT, True)):
        mined = set().union(*layouts(view, counted=counted))
        if any(cell not in mined for cell in view.covered()):
            return kind
    return Kind.GUESS


def small_positions() -> list[Position]:
    found: list[Position] = []
    for seed in range(60):
        for kind, met in positions_of_game(Size(4, 4, 3 + seed % 3), seed).items():
            found += [Position(len(found), "beginner", kind, *each) for each in met if each[1].count(b"\xff") <= 9]
    return found


SMALL = small_positions()


def test_the_kinds_of_positions_are_those_of_brute_force() -> None:
    kinds = dict.fromkeys(Kind, 0)
    for position in SMALL:
        assert position.kind is kind_by_force(position.view), str(position.view)
        kinds[position.kind] += 1
    assert min(kinds.values()) >= 3, kinds


def test_judgements_are_those_of_brute_force() -> None:
    for position in SMALL:
        view = position.view
        all_layouts = layouts(view, counted=True)
        chance = {cell: np.mean([cell in mines for mines in all_layouts]) for cell in view.covered()}
        least = min(chance.values())
        for cell in view.covered():
            stated = 0.25
            judged = judge(position, Answer(0, (Turn([cell], why="proof", probability=stated),)))
            assert judged.probability == pytest.approx(chance[cell])
            assert judged.unsound == (chance[cell] > 0)
            assert judged.missed == (position.kind is not Kind.GUESS and chance[cell] > 0)
            if position.kind is Kind.GUESS:
                assert judged.regret == pytest.approx(chance[cell] - least)
            else:
                assert np.isnan(judged.regret)
            assert judged.mine == bool(position.board.layout[cell[0] * view.cols + cell[1]])
            (_, line) = summarise("a", [judged])
            assert line.brier.mean == pytest.approx((stated - judged.mine) ** 2)
            assert line.error.mean == pytest.approx(abs(stated - chance[cell]))


def test_flags_are_the_mines_that_single_clues_prove() -> None:
    for position in SMALL[:40]:
        proven = set.intersection(*layouts(position.view, counted=False))
        assert set(position.view.flagged()) <= proven


def test_the_standard_quiz_has_every_level_and_kind_and_repeats() -> None:
    asked = positions(24, 0)
    assert asked == positions(48, 0)[:24]
    assert asked != positions(24, 1)
    assert [position.number for position in asked] == list(range(24))
    groups = [(position.level, position.kind) for position in asked]
    assert all(groups.count(group) == 2 for group in itertools.product(LEVELS, Kind))
    assert all(position.view.data == position.shown for position in asked)
    assert len({position.shown for position in asked}) == 24


class Scripted(Agent):
    """Plays the turns that it is given."""

    turns: tuple[Turn, ...] = ()

    def __init__(self) -> None:
        self._left = list(self.turns)

    def act(self, view: View) -> Turn:
        return self._left.pop(0)


def scripted(*given: Turn) -> type[Scripted]:
    return type("Mine", (Scripted,), {"turns": given})


POSITION = Position(
    7, "beginner", Kind.SEVERAL, Board.parse("*..*\n....\n...."), b"\xff\xff\xff\xff\x01\x01\x01\x01" + bytes(4)
)


def test_the_decision_is_the_first_cell_that_is_opened() -> None:
    answer = ask(POSITION, scripted(Turn(flag=[(0, 0)]), Turn(open=[(0, 2), (0, 1)])), "a", 0)
    assert (len(answer.turns), answer.ending) == (2, "")
    assert not judge(POSITION, answer).missed
    assert judge(POSITION, ask(POSITION, scripted(Turn(open=[(0, 0)])), "a", 0)).missed


def test_an_agent_that_opens_nothing_has_missed_the_proof() -> None:
    flags = [Turn(flag=[(0, 0)]), Turn(unflag=[(0, 0)])] * MAX_TURNS
    for turns in ([Turn()], flags):
        answer = ask(POSITION, scripted(*turns), "a", 0)
        judged = judge(POSITION, answer)
        assert (judged.answered, judged.fault, judged.missed) == (False, False, True)
    assert len(answer.turns) == MAX_TURNS


@pytest.mark.parametrize(
    ("turns", "ending"),
    [((Turn(open=[(9, 9)]),), "illegal move"), ((Turn(open=[(1, 0)]),), "illegal move"), ((), "error")],
)
def test_a_fault_is_counted_and_costs_as_much_as_a_mine(turns: tuple[Turn, ...], ending: str) -> None:
    answer = ask(POSITION, scripted(*turns), "a", 0)
    assert answer.ending == ending
    judged = judge(POSITION, answer)
    assert (judged.fault, judged.missed, judged.answered) == (True, True, False)


def test_faults_are_counted_by_kind() -> None:
    turns = ((Turn(open=[(9, 9)]),), (Turn(open=[(1, 0)]),), ())
    judged = [judge(POSITION, ask(POSITION, scripted(*each), "a", 0)) for each in turns]
    lines = summarise("a", judged)
    assert [line.kinds for line in lines] == [(("error", 1), ("illegal move", 2))] * 2
    assert fault_lines(lines) == ["a: error in 1 position, illegal move in 2 positions."]
    assert fault_lines(summarise("a", [])) == []


def test_one_value_has_no_narrow_interval() -> None:
    turn = Turn([(0, 2)], probability=0.25)
    *_, line = summarise("a", [judge(POSITION, Answer(7, (turn,)))])
    assert (line.stated, line.brier) == (1, (0.0625, 0.0, 1.0))


def test_answers_at_once_are_those_one_by_one() -> None:
    asked = positions(12)
    make = scripted(Turn(open=[(0, 0)], why="guess", probability=0.5))
    together = sorted(ask_all(asked, make, "a", 0, workers=4))
    assert together == list(ask_all(asked, make, "a", 0))


def test_the_command_prints_and_writes_the_results(sweepstakes: Callable[..., Said], tmp_path: Path) -> None:
    said = sweepstakes("quiz", "exact", "random", "--positions", "24", "--out", "q")
    assert said.code == 0, said.err
    rows = list(csv.DictReader((tmp_path / "q" / "quiz.csv").read_text().splitlines()))
    assert [(row["agent"], row["kind"], row["positions"]) for row in rows[:5]] == [
        *(("exact", kind.value, "6") for kind in Kind),
        ("exact", "all", "24"),
    ]
    assert [(row["solved"], row["missed"], row["unsound"], row["regret"]) for row in rows[4:5]] == [
        ("1.0", "0.0", "0.0", "0.0")
    ]
    assert float(rows[9]["solved"]) < 1
    assert (tmp_path / "q" / "quiz.svg").read_text().startswith("<?xml")
    assert (tmp_path / "q" / "quiz.txt").read_text() == said.out


PUBLISHED = Path(__file__).parents[2] / "leaderboards" / "published" / "quiz"


def test_the_published_quiz_is_what_the_agents_answer_today(sweepstakes: Callable[..., Said], tmp_path: Path) -> None:
    """Three agents; the test of the system tier asks all of them."""
    agents = ["random", "basic", "exact"]
    assert sweepstakes("quiz", *agents, "--out", "q").code == 0
    published = (PUBLISHED / "quiz.csv").read_text().splitlines()
    now = (tmp_path / "q" / "quiz.csv").read_text().splitlines()
    assert [line for line in published if line.split(",")[0] in agents] == sorted(now[1:], key=published.index)


@pytest.mark.system
def test_the_command_of_the_published_quiz_writes_it_again(sweepstakes: Callable[..., Said], tmp_path: Path) -> None:
    ((command,),) = [re.findall(r"```bash\n(.*)\n```", (PUBLISHED / "README.md").read_text())]
    program, *words = shlex.split(command)
    assert program == "sweepstakes"
    assert sweepstakes(*words, "--out", "q").code == 0
    again = tmp_path / "leaderboards" / "published" / "quiz"
    for name in ("README.md", "quiz.csv"):
        assert (again / name).read_bytes() == (PUBLISHED / name).read_bytes(), name
    unpacked = [gzip.decompress((folder / "answers.jsonl.gz").read_bytes()) for folder in (again, PUBLISHED)]
    assert unpacked[0] == unpacked[1]


def test_every_built_in_agent_is_in_the_published_quiz() -> None:
    """All but those that are not repeatable: they answer otherwise each time."""
    rows = csv.DictReader((PUBLISHED / "quiz.csv").read_text().splitlines())
    offers = Registry.built_in().offers("agent")
    assert {row["agent"] for row in rows} == {name for name, offer in offers.items() if offer.repeatable}
    assert sum(file.stat().st_size for file in PUBLISHED.iterdir()) < 2_000_000


def test_published_answers_are_judged_without_asking_the_agents(
    sweepstakes: Callable[..., Said], tmp_path: Path
) -> None:
    """As somebody does who checks the quiz of a language model."""
    agents = ["random", "exact", "--positions", "24"]
    first = sweepstakes("quiz", *agents, "--out", "q", "--to", "board/quiz")
    assert first.code == 0, first.err
    (tmp_path / "again").mkdir()
    published = tmp_path / "board" / "quiz"
    answers = gzip.decompress((published / "answers.jsonl.gz").read_bytes())
    unpacked = tmp_path / "again" / "answers.jsonl"
    unpacked.write_bytes(answers)
    written = unpacked.stat().st_mtime_ns
    second = sweepstakes("quiz", *agents, "--out", "again", "--to", "other")
    assert (second.code, second.out) == (0, first.out)
    assert unpacked.stat().st_mtime_ns == written, "each answer is written as soon as an agent gives it"
    assert {file.name for file in published.iterdir()} == {
        "README.md",
        "quiz.csv",
        "answers.jsonl.gz",
        "quiz.svg",
        "quiz-dark.svg",
    }
    for file in published.iterdir():
        assert (tmp_path / "other" / file.name).read_bytes() == file.read_bytes(), file.name


def test_the_front_page_lists_a_published_quiz(finished: Path, tmp_path: Path) -> None:
    board = tmp_path / "board"
    shutil.copytree(finished / "published", board / "small")
    shutil.copytree(PUBLISHED, board / "quiz")
    text = front_page(board).read_text()
    assert text.endswith("judged by the exact mine probabilities. Most solved: exact, trusting.\n")
    (board / "quiz" / "quiz.csv").write_text("agent,kind\nexact,all\n")
    with pytest.raises(RunError, match=r"quiz\.csv: not the numbers of a quiz"):
        front_page(board)


def test_a_quiz_that_was_stopped_goes_on(sweepstakes: Callable[..., Said], tmp_path: Path) -> None:
    whole = sweepstakes("quiz", "random", "--positions", "24", "--out", "q")
    file = tmp_path / "q" / "answers.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    changed = json.loads(lines[0])
    changed["turns"][0]["probability"] = 0.123
    file.write_text(json.dumps(changed) + "\n" + "".join(lines[1:10]) + lines[10][:20])
    again = sweepstakes("quiz", "random", "--positions", "24", "--out", "q")
    kept = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(kept) == 24
    assert kept[0]["turns"][0]["probability"] == 0.123, "what was answered is not asked for again"
    assert (again.code, whole.code) == (0, 0)


def test_a_damaged_line_is_named(sweepstakes: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "q").mkdir()
    (tmp_path / "q" / "answers.jsonl").write_text('{"agent": 1}\n{}\n')
    said = sweepstakes("quiz", "random", "--positions", "12", "--out", "q")
    assert (said.code, said.err) == (2, "sweepstakes: q/answers.jsonl: line 1 is not an answer of a quiz\n")


def test_two_agents_of_one_name_are_refused(sweepstakes: Callable[..., Said]) -> None:
    said = sweepstakes("quiz", "random", "random", "--positions", "12")
    assert (said.code, said.err) == (2, "sweepstakes: two agents are called 'random': expected different agents\n")


@pytest.mark.system
def test_an_agent_of_a_file_is_asked_in_a_host(sweepstakes: Callable[..., Said], tmp_path: Path) -> None:
    (tmp_path / "corner.py").write_text(
        "from sweepstakes import Agent, Turn, hookimpl\n"
        "class Corner(Agent):\n"
        "    def act(self, view):\n"
        "        return Turn(open=[view.covered()[0]])\n"
        "@hookimpl\n"
        "def sweepstakes_agents():\n"
        "    return {'corner': Corner}\n"
    )
    said = sweepstakes("quiz", "corner.py", "--positions", "12", "--out", "q")
    assert said.code == 0, said.err
    assert "corner" in said.out
