"""How the replies of language models are read: the last stated answer counts, and nothing else does."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_endpoint import turn_text

from sweepstakes import Board, Cell, Game, IllegalMove, Turn, View
from sweepstakes.game.faults import FaultKind
from sweepstakes.game.result import Ending
from sweepstakes.plugins.agents.llm.answers import SCHEMA, BadAnswer, Reply, check_legal, instructions, read

VIEW = View.parse("3 4 3\n01..\n01F.\n02*.")


def kind_of(reply: Reply, form: str = "json", view: View = VIEW) -> tuple[FaultKind, str]:
    with pytest.raises(BadAnswer) as bad:
        read(reply, form, view)
    return bad.value.kind, bad.value.what


def test_an_answer_is_read_in_all_three_forms() -> None:
    expected = Turn((Cell(0, 2),), (Cell(0, 3),), (Cell(1, 2),), "proof", 0.25)
    text = turn_text(open=[(0, 2)], flag=[(0, 3)], unflag=[(1, 2)], why="proof", probability=0.25)
    assert read(Reply(text), "json", VIEW) == expected
    assert read(Reply("", (("play", text),)), "tool", VIEW) == expected
    line = "I think.\nANSWER open=0,2 flag=0,3 unflag=1,2 why=proof probability=0.25\n"
    assert read(Reply(line), "text", VIEW) == expected


def test_the_last_stated_answer_counts() -> None:
    first, last = turn_text(open=[(0, 2)]), turn_text(open=[(0, 3)])
    both = f"First I thought {first}, but no:\n```json\n{last}\n```\nThat is {{certain}}."
    assert read(Reply(both), "json", VIEW).open == (Cell(0, 3),)
    assert read(Reply("", (("play", first), ("play", last), ("other", "{}"))), "tool", VIEW).open == (Cell(0, 3),)
    lines = "ANSWER open=0,2 why=guess\nWait.\n**ANSWER:** `open=0,3 why=guess`\nThe ANSWER is above."
    assert read(Reply(lines), "text", VIEW).open == (Cell(0, 3),)


@pytest.mark.parametrize(
    ("form", "reply"),
    [
        ("json", Reply("I open (0, 2), which is safe.")),
        ("json", Reply("[0, 2]")),
        ("json", Reply('{"answer": {"open": [{"row": 0, "col": 2}], "why": "guess"}}')),
        ("json", Reply('{"row": 0, "col": 2}')),
        ("json", Reply(turn_text(open=[(0, 2)]) + ' No: {"open": [{"row": 0,')),
        ("json", Reply(turn_text(open=[(0, 2)], why="because"))),
        ("json", Reply(turn_text(open=[(0, 2)], probability=1.5))),
        ("json", Reply(turn_text(open=[(0, 2)], probability=True))),
        ("json", Reply('{"open": [[0, 2]], "why": "guess"}')),
        ("json", Reply('{"open": [{"row": "0", "col": 2}], "why": "guess"}')),
        ("json", Reply('{"open": [{"row": 0.0, "col": 2}], "why": "guess"}')),
        ("json", Reply('{"open": {"row": 0, "col": 2}, "why": "guess"}')),
        ("json", Reply('{"open": [{"row": 0, "col": 2}]}')),
        ("json", Reply('{"open": [{"row": 0, "col": 2}], "why": "guess", "probability": NaN}')),
        ("json", Reply("{" * 100_000)),
        ("json", Reply('{"a":' * 100_000)),
        ("json", Reply('{"open": ["' * 100_000)),
        ("tool", Reply(turn_text(open=[(0, 2)]))),
        ("tool", Reply("", (("open", turn_text(open=[(0, 2)])),))),
        ("tool", Reply("", (("play", turn_text(open=[(0, 2)])), ("play", "{")))),
        ("tool", Reply("", (("play", "[]"),))),
        ("text", Reply("open=0,2 why=guess")),
        ("text", Reply("My ANSWER open=0,2 why=guess")),
        ("text", Reply("ANSWER open=0,2 why=guess\nANSWER open=(0,2) why=guess")),
        ("text", Reply("ANSWER open=0,2,3 why=guess")),
        ("text", Reply("ANSWER open=0,2")),
        ("text", Reply("ANSWER open=0,2 why=guess probability=high")),
        ("text", Reply("ANSWER open=0,2 why=guess probability=nan")),
        ("text", Reply("ANSWER open 0,2 why=guess")),
        ("text", Reply("ANSWER open=0,2" + " " * 1_000_000 + "why=none")),
    ],
)
def test_what_is_not_in_the_form_asked_for_is_unreadable(form: str, reply: Reply) -> None:
    assert kind_of(reply, form)[0] is FaultKind.UNREADABLE_REPLY


@pytest.mark.parametrize("form", ["json", "tool", "text"])
def test_cut_off_and_empty_answers_are_kinds_of_their_own(form: str) -> None:
    answer = turn_text(open=[(0, 2)])
    assert kind_of(Reply(answer, (("play", answer),), cut_off=True), form)[0] is FaultKind.TRUNCATED_REPLY
    assert kind_of(Reply(" \n"), form)[0] is FaultKind.EMPTY_REPLY
    assert [kind.ending for kind in (FaultKind.TRUNCATED_REPLY, FaultKind.EMPTY_REPLY, FaultKind.UNREADABLE_REPLY)] == [
        Ending.TRUNCATED,
        Ending.EMPTY,
        Ending.UNREADABLE,
    ]


@pytest.mark.parametrize(
    ("turn", "what"),
    [
        ({"open": [(0, 0)]}, "opened (0, 0), which is already open"),
        ({"open": [(2, 2)]}, "opened (2, 2), which is detonated"),
        ({"open": [(1, 2)]}, "opened (1, 2), which is flagged"),
        ({"open": [(0, 2)], "flag": [(0, 2)]}, "opened (0, 2), which is flagged"),
        ({"open": [(-1, 0)]}, "opened (-1, 0), which is not on the board"),
        ({"flag": [(0, 4)]}, "flagged (0, 4), which is not on the board"),
        ({"flag": [(1, 2)]}, "flagged (1, 2), which is flagged"),
        ({"unflag": [(0, 2)]}, "removed the flag of (0, 2), which is not flagged"),
        ({"open": [(0, 2)] * 65}, "named more than 64 cells"),
    ],
)
def test_illegal_answers_are_refused_by_the_cell(turn: dict[str, Any], what: str) -> None:
    assert kind_of(Reply(turn_text(**turn))) == (FaultKind.ILLEGAL_REPLY, what)


def test_an_answer_without_cells_gives_up() -> None:
    assert read(Reply(turn_text()), "json", VIEW) == Turn((), (), (), "guess", None)


def test_other_keys_are_ignored() -> None:
    assert read(Reply(turn_text(open=[(0, 2)], thoughts="none {")), "json", VIEW).open == (Cell(0, 2),)


BOARD = Board.parse("..*\n...\n*..")
CELLS = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), max_size=3)


@given(before=CELLS, opens=CELLS, flags=CELLS, unflags=CELLS)
def test_what_is_called_legal_is_what_the_referee_takes(
    before: list[tuple[int, int]],
    opens: list[tuple[int, int]],
    flags: list[tuple[int, int]],
    unflags: list[tuple[int, int]],
) -> None:
    """On a board without mines beneath the covered cells: there the referee looks at every cell."""
    game = Game(Board.parse("...\n...\n..."))
    game.take(Turn(flag=[(0, 0), (0, 1)]))
    safe = [cell for cell in before if min(cell) >= 0 and max(cell) < 3 and game.view().is_covered(cell)]
    game.take(Turn(flag=[(2, 2)], unflag=[(0, 1)]))
    if not game.over and safe and safe[0] != (2, 2):
        game.take(Turn(flag=[safe[0]]))
    turn = Turn([Cell(*c) for c in opens], [Cell(*c) for c in flags], [Cell(*c) for c in unflags])
    if not (opens or flags or unflags):
        return
    try:
        check_legal(turn, game.view())
        legal = True
    except BadAnswer:
        legal = False
    try:
        game.take(turn)
        taken = True
    except IllegalMove:
        taken = False
    assert legal == taken


def test_the_schema_has_every_key_that_is_read() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(json.loads(turn_text(open=[(0, 2)], probability=0.5)), SCHEMA)
    for form, key in itertools.product(("json", "tool", "text"), SCHEMA["properties"]):
        assert key in instructions(form)
