"""The lines between the referee and a program: what is written, what is read, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Cell, Game, IllegalMove, ParameterError, Registry, Rules, Size, Spec, Turn, View
from sweepstakes.executor import Limits
from sweepstakes.game.result import Ending
from sweepstakes.game.setup import GameSetup
from sweepstakes.hosting.lines import (
    GREETING,
    MAX_READY,
    QUIT,
    LineDialogue,
    Option,
    ProtocolError,
    Ready,
    ReportedError,
    change_line,
    end_line,
    error_line,
    game_lines,
    max_answer,
    option_lines,
    parse_answer,
    parse_ready,
    turn_line,
)

PROTOCOL = Path(__file__).parents[3] / "docs" / "protocol.md"
CODES = (-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[View, View]:
    """Two views of one board."""
    rows, cols = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    data = [
        np.array(draw(st.lists(st.sampled_from(CODES), min_size=rows * cols, max_size=rows * cols)), np.int8).tobytes()
        for _ in range(2)
    ]
    first = View.parse("1 1 0\n.")
    one, two = (first._replace(rows=rows, cols=cols, data=each) for each in data)
    return one, two


def rows_of(word: str, cols: int) -> str:
    return "\n".join(word[i : i + cols] for i in range(0, len(word), cols))


@given(pairs())
def test_the_marks_of_a_turn_are_those_of_a_position_file(views: tuple[View, View]) -> None:
    view = views[0]
    word, marks = turn_line(view).split()
    assert word == "turn"
    again = View.parse(f"{view.rows} {view.cols} 0\n{rows_of(marks, view.cols)}")
    assert (again.rows, again.cols, again.data) == (view.rows, view.cols, view.data)


@given(pairs())
def test_a_program_that_applies_the_changes_has_the_marks_of_the_turn(views: tuple[View, View]) -> None:
    before, after = views
    marks = list(turn_line(before).split()[1])
    word, *changes = change_line(before, after).split()
    assert word == "change"
    for change in changes:
        cell, mark = change.split("=")
        assert marks[int(cell)] != mark
        marks[int(cell)] = mark
    assert f"turn {''.join(marks)}" == turn_line(after)


cells = st.lists(st.integers(0, 10**18 - 1) | st.integers(-20, 20), max_size=4)


@given(
    st.lists(st.tuples(st.sampled_from(["open", "flag", "unflag"]), cells), min_size=1, max_size=5),
    st.sampled_from(["", "proof", "guess", "random"]),
    st.none() | st.floats(0, 1),
    st.booleans(),
)
def test_an_answer_is_the_turn_that_it_says(
    parts: list[tuple[str, list[int]]], why: str, probability: float | None, fallback: bool
) -> None:
    named: dict[str, list[int]] = {"open": [], "flag": [], "unflag": []}
    words = []
    for verb, numbers in parts:
        named[verb] += numbers
        words += [verb, *map(str, numbers)]
    keys = [f"why={why}"] * bool(why) + ["unknown=3 4=x"] + ["fallback=yes"] * fallback
    keys += [f"p={probability!r}"] * (probability is not None)
    line = " ".join(words + keys)
    if not any(named.values()):
        with pytest.raises(ProtocolError, match=r"expected the numbers of cells after \w+, or resign"):
            parse_answer(line, 4, 5)
        return
    turn = parse_answer(line, 4, 5)
    for part, numbers in zip(turn[:3], named.values(), strict=True):
        assert np.asarray(part, np.int64).tolist() == numbers
        assert isinstance(part, tuple) or part.dtype == np.int64  # type: ignore[union-attr]
    assert turn[3:] == (why or "random", probability, None, fallback)


def test_to_resign_is_an_empty_turn() -> None:
    assert parse_answer("resign", 4, 5) == parse_answer(" resign why=proof\r", 4, 5) == Turn()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("opne 3", "answered 'opne 3': expected open, flag, unflag or resign"),
        ("", "answered an empty line: expected open, flag, unflag or resign"),
        ("  \r\n", "answered an empty line"),
        ("3", "answered '3': expected open, flag, unflag or resign"),
        ("why=proof open 3", "expected open, flag, unflag or resign"),
        ("open", "answered 'open': expected the numbers of cells after open, or resign"),
        ("open flag why=proof", "expected the numbers of cells after open, or resign"),
        ("open 3 x4", "answered 'open 3 x4': expected numbers of cells of at most 18 digits, found 'x4'"),
        ("open +3", "found '+3'"),
        ("open 1_0", "found '1_0'"),
        ("open 3.0", "found '3.0'"),
        ("open -", "found '-'"),
        ("open 3 resign", "found 'resign'"),
        ("open " + "9" * 19, "of at most 18 digits, found '9999999999999999999'"),
        ("resign 3", "expected nothing after resign, found '3'"),
        ("resign open 3", "expected nothing after resign, found 'open'"),
        ("open 3 why=because", "expected why=proof, why=guess or why=random"),
        ("open 3 p=1.5", "expected p=0 to p=1"),
        ("open 3 p=nan", "expected p=0 to p=1"),
        ("open 3 p=0x1", "expected p=0 to p=1"),
        ("open 3 p=1_0", "expected p=0 to p=1"),
        ("open 3 p=", "expected p=0 to p=1"),
        ("open 3 fallback=1", "expected fallback=yes or fallback=no"),
        ("open\t3", "a line with characters other than printable ASCII"),
        ("open ٣", "a line with characters other than printable ASCII"),
        ("open 3\x00", "a line with characters other than printable ASCII"),
        ("\x1b[31mopen 3", "answered 'open 3', a line with characters other"),
        ("open " + "3 " * 10_000, "answered a line of more than 1,640 characters that begins 'open 3 3 3"),
        ("ready name=x version=1", "expected open, flag, unflag or resign"),
    ],
)
def test_what_is_no_answer_is_refused_in_one_short_line_that_quotes_it(line: str, expected: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_answer(line, 2, 8)
    message = str(caught.value)
    assert expected in message
    assert len(message) < 220
    assert message.isprintable()


@given(st.text(max_size=80) | st.from_regex(r"(open|flag|unflag|resign|why=proof|p=|-|[0-9]+| ){0,12}"))
def test_any_line_is_an_answer_or_a_fault(line: str) -> None:
    for parse in (parse_ready, lambda text: parse_answer(text, 3, 3)):
        said = ""
        try:
            parse(line)
        except ProtocolError as error:
            said = str(error)
        assert said.isprintable()
        assert len(said) < 300


def test_a_program_reports_its_own_error() -> None:
    with pytest.raises(ReportedError, match=r"^reported the error 'no memory for the table'$"):
        parse_answer("error no memory  for the table", 3, 3)
    with pytest.raises(ReportedError, match=r"^reported an error without a message$"):
        parse_ready("error")
    with pytest.raises(ReportedError) as caught:
        parse_answer("error " + "x" * 900, 3, 3)
    assert len(str(caught.value)) < 230


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("open 9", "opened cell 9, which is not on the board,"),
        ("flag -1", "flagged cell -1, which is not on the board,"),
        ("unflag 999999999999999999", "unflagged cell 999999999999999999, which is not on the board,"),
        ("unflag 4", "unflagged (1, 1), which is not flagged,"),
        ("flag 0 open 0", "opened (0, 0), which is flagged,"),
        ("open" + " 0" * 53, "named more than 52 cells in a turn: expected each cell once"),
    ],
)
def test_what_breaks_a_rule_is_told_by_the_referee(line: str, expected: str) -> None:
    game = GameSetup(Size(3, 3, 3), rules=Rules(first_click="safe")).game(Registry.default(), "bot")
    with pytest.raises(IllegalMove, match=re.escape(f"agent 'bot' {expected}")):
        game.take(parse_answer(line, 3, 3))


def test_the_longest_answer_that_the_referee_takes_is_read_and_a_longer_one_refused() -> None:
    rows, cols = 60, 70
    most = 4 * rows * cols + 16
    cells = [4199] * most
    line = "open flag unflag " + " ".join(map(str, cells)) + " why=random p=0.12345678901234567 later=x"
    assert len(line) < max_answer(rows * cols)
    assert np.array_equal(parse_answer(line, rows, cols).unflag, cells)
    with pytest.raises(ProtocolError, match=f"^named more than {most} cells in a turn: expected each cell once$"):
        parse_answer("open" + " 1" * (most + 1001), rows, cols)


def test_a_program_says_what_it_is() -> None:
    line = (
        "ready name=first-c version=1.2 wants=changes,more option=window:int:4 colour=red option=rate:float:.5 "
        "option=quick:bool:no option=path:text:a:b option=note:text:"
    )
    assert parse_ready(line) == Ready(
        "first-c",
        "1.2",
        frozenset({"changes", "more"}),
        (
            Option("window", "int", 4),
            Option("rate", "float", 0.5),
            Option("quick", "bool", False),
            Option("path", "text", "a:b"),
            Option("note", "text", ""),
        ),
    )
    assert parse_ready("ready version=1 name=x\r") == Ready("x", "1")
    longest = "x" * 40
    assert parse_ready(f"ready name={longest} version={longest}") == Ready(longest, longest)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Hello!", "answered 'Hello!': expected ready name=NAME version=VERSION"),
        ("", "answered an empty line: expected ready name=NAME version=VERSION"),
        ("ready", "expected ready name=NAME version=VERSION"),
        ("ready name=x", "expected ready name=NAME version=VERSION"),
        ("ready x 1", "expected ready name=NAME version=VERSION, found 'x'"),
        ("ready name= version=1", "expected a name of at most 40 letters"),
        ("ready name=a/b version=1", "expected a name of at most 40 letters"),
        (f"ready name={'x' * 41} version=1", "expected a name of at most 40 letters"),
        ("ready name=x version=-", "expected a version of at most 40 letters"),
        ("ready name=x version=1 option=window", "expected option=NAME:TYPE:DEFAULT, found 'window'"),
        ("ready name=x version=1 option=window:int", "expected option=NAME:TYPE:DEFAULT"),
        ("ready name=x version=1 option=2:int:4", "'2' cannot be the name of an option"),
        ("ready name=x version=1 option=files:int:4", "'files' cannot be the name of an option"),
        (
            "ready name=x version=1 option=a:word:4",
            "expected the option a to be int, float, bool or text, found 'word'",
        ),
        ("ready name=x version=1 option=a:int:4.0", "expected an integer of 64 bits as the default of a, found '4.0'"),
        ("ready name=x version=1 option=a:int:9223372036854775808", "expected an integer of 64 bits"),
        ("ready name=x version=1 option=a:float:inf", "expected a number as the default of a, found 'inf'"),
        ("ready name=x version=1 option=a:float:1e999", "expected a number as the default of a"),
        ("ready name=x version=1 option=a:bool:1", "expected yes or no as the default of a, found '1'"),
        ("ready name=x version=1 option=a:int:4 option=a:int:5", "expected the option a once"),
        ("ready name=x version=1" + "".join(f" option=a{i}:int:4" for i in range(101)), "at most 100 options"),
        ("ready name=x version=1 " + "x" * MAX_READY, "answered a line of more than 4,000 characters"),
    ],
)
def test_a_wrong_ready_is_refused(line: str, expected: str) -> None:
    with pytest.raises(ProtocolError, match=re.escape(expected)) as caught:
        parse_ready(line)
    assert len(str(caught.value)) < 220


READY = parse_ready(
    "ready name=bot version=1 option=window:int:4 option=rate:float:1 option=quick:bool:no option=note:text:-"
)


def test_options_are_sent_in_the_order_of_the_program() -> None:
    given = {"note": "two words", "quick": True, "rate": 2, "window": -6}
    assert option_lines(READY, given) == [
        "option window -6", "option rate 2", "option quick yes", "option note two words"
    ]  # fmt: skip
    assert option_lines(READY, {"rate": 0.1, "note": ""}) == ["option rate 0.1", "option note"]
    assert option_lines(READY, {}) == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"widow": 6}, "agent 'bot' has no parameter 'widow' (did you mean 'window'?)"),
        ({"window": "six"}, "agent 'bot': window: 'six' is invalid: expected an integer of 64 bits"),
        ({"window": True}, "window: True is invalid"),
        ({"window": 2**63}, "is invalid: expected an integer of 64 bits"),
        ({"window": 6.0}, "window: 6.0 is invalid"),
        ({"rate": "1"}, "rate: '1' is invalid: expected a number"),
        ({"rate": float("nan")}, "rate: nan is invalid"),
        ({"quick": 1}, "quick: 1 is invalid: expected yes or no"),
        ({"note": "a\nquit"}, "is invalid: expected a text of at most 200 printable ASCII characters"),
        ({"note": " a"}, "note: ' a' is invalid"),
        ({"note": "é"}, "note: 'é' is invalid"),
        ({"note": "x" * 201}, "is invalid"),
        ({"note": None}, "note: None is invalid"),
    ],
)
def test_a_parameter_that_the_program_does_not_take_is_refused(given: dict[str, Any], expected: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(expected)):
        option_lines(READY, given)


def test_a_program_is_told_yes_or_true_as_it_spells_them() -> None:
    ready = parse_ready("ready name=X version=1 option=a:bool:false option=b:bool:no option=c:bool:true")
    assert [option.default for option in ready.options] == [False, False, True]
    assert option_lines(ready, {"a": True, "b": True, "c": False}) == [
        "option a true", "option b yes", "option c false"
    ]  # fmt: skip


def test_a_program_without_options_takes_none() -> None:
    with pytest.raises(ParameterError, match=re.escape("agent 'x' has no parameter 'a' (it takes none)")):
        option_lines(Ready("x", "1"), {"a": 1})


def view_of(rules: Rules = Rules(), noise: str = "exact-clues") -> View:
    return GameSetup(Size(4, 5, 3), rules=rules, noise=Spec.parse(noise)).game(Registry.default()).view()


def test_a_game_is_described_in_one_line() -> None:
    assert game_lines(view_of(), 2**64 - 1, Limits(1, 60.5, 1024)) == [
        "game 4 5 3 on_mine=continue first_click=any flood=yes seed=18446744073709551615 "
        "turn_seconds=1 game_seconds=60.5 memory_mb=1024"
    ]
    rules = Rules("end", "safe", Cell(1, 2), flood=False)
    assert game_lines(view_of(rules), 0, Limits(turn_seconds=0.25)) == [
        "game 4 5 3 on_mine=end first_click=safe start=1,2 flood=no seed=0 turn_seconds=0.25"
    ]


def test_a_number_has_a_point_only_if_a_float_needs_one() -> None:
    (line,) = game_lines(view_of(), 0, Limits(turn_seconds=2.0**53 - 1, game_seconds=2.0**53, memory_mb=2))
    assert line.endswith("turn_seconds=9007199254740991 game_seconds=9007199254740992.0 memory_mb=2")


def test_an_answer_may_be_as_long_as_its_board_needs() -> None:
    dialogue = LineDialogue(Scripted())
    assert dialogue.max_length == MAX_READY
    dialogue.start_game(view_of(), 0, NO_LIMITS)
    assert dialogue.max_length == max_answer(4 * 5)


@pytest.mark.parametrize("noise", ["liar(rate=0.3)", "hidden(blanks=true,rate=0.1)", "cautious(rate=0.123456789)"])
def test_under_noise_the_lines_of_the_table_follow_and_are_read_back_exactly(noise: str) -> None:
    view = view_of(noise=noise)
    first, *rows = game_lines(view, 5, Limits())
    assert f" noise={noise} " in first
    assert (" flood=yes " in first) == ("blanks" not in noise)
    assert len(rows) == 45
    assert max(map(len, rows)) < 300
    seen = set()
    for row in rows:
        word, n, k, *shown = row.split()
        assert word == "likelihood"
        assert [float(p) for p in shown] == view.noise.table[int(n), int(k)].tolist()
        seen.add((int(n), int(k)))
    assert seen == {(n, k) for n in range(9) for k in range(n + 1)}


def test_a_name_of_a_noise_is_one_word() -> None:
    view = view_of()
    odd = view._replace(noise=view.noise._replace(name='fog(a="b c", d="é\n")' + "x" * 300))
    (word,) = [word for word in game_lines(odd, 5, Limits())[0].split(" ") if word.startswith("noise=")]
    assert word.startswith('noise=fog(a="b_c",_d="__")xxx')
    assert len(word) == len("noise=") + 200


def test_every_ending_is_one_word() -> None:
    lines = [end_line(ending) for ending in Ending]
    assert lines[:5] == ["end won", "end lost", "end finished", "end gave-up", "end illegal-move"]
    assert {len(line.split(" ")) for line in lines} == {2}
    assert error_line("agent 'é' opened\n(0, 0)") == "error agent '?' opened (0, 0)"


class Scripted:
    """A peer that answers by a script, and records what it receives."""

    def __init__(self, *answers: str) -> None:
        self.heard: list[str] = []
        self.answers = list(answers)

    def send(self, lines: list[str]) -> None:
        self.heard += lines

    def ask(self, line: str) -> str:
        self.heard.append(line)
        return self.answers.pop(0)


NO_LIMITS = Limits()


def play(game: Game, dialogue: LineDialogue, limits: Limits = NO_LIMITS) -> None:
    dialogue.start_game(game.view(), game.agent_seed, limits)
    while not game.over:
        game.take(dialogue.act(game.view()))
    assert game.ending is not None
    dialogue.end_game(game.ending)


def test_changes_are_sent_to_a_program_that_wants_them_and_every_game_begins_with_a_turn() -> None:
    peer = Scripted("ready name=x version=1 wants=changes", "open 0", "flag 3", "resign", "flag 5", "resign")
    dialogue = LineDialogue(peer)
    ready = dialogue.greet()
    assert ready.name == "x"
    for number in range(2):
        play(GameSetup(Size(2, 3, 2), number=number, rules=Rules("end", "safe")).game(Registry.default()), dialogue)
    peer.send([QUIT])
    verbs = [line.split()[0] for line in peer.heard]
    assert verbs == ["sweepstakes", "game", "turn", "change", "change", "end", "game", "turn", "change", "end", "quit"]
    assert peer.heard[3].startswith("change 0=")
    assert peer.heard[4] == "change 3=F"
    assert peer.heard[5] == peer.heard[9] == "end gave-up"
    assert peer.heard[7] == "turn ......"
    assert peer.heard[8] == "change 5=F"


def test_a_program_that_does_not_want_changes_gets_turns() -> None:
    peer = Scripted("ready name=x version=1", "flag 3", "unflag 3", "resign")
    dialogue = LineDialogue(peer)
    dialogue.greet({})
    play(GameSetup(Size(2, 3, 2)).game(Registry.default()), dialogue)
    assert peer.heard[0] == GREETING
    assert peer.heard[2:] == ["turn ......", "turn ...F..", "turn ......", "end gave-up"]


def test_a_parameter_that_does_not_fit_is_found_before_any_option_is_sent() -> None:
    peer = Scripted("ready name=x version=1 option=a:int:1 option=b:int:1")
    with pytest.raises(ParameterError, match="has no parameter 'c'"):
        LineDialogue(peer).greet({"a": 2, "c": 3})
    assert peer.heard == [GREETING]


def test_the_fault_of_an_agent_is_told_before_the_end() -> None:
    peer = Scripted()
    LineDialogue(peer).end_game(Ending.ILLEGAL_MOVE, "agent 'x' opened (0, 0), which is already open")
    assert peer.heard == ["error agent 'x' opened (0, 0), which is already open", "end illegal-move"]


def test_the_game_of_the_page_is_a_game() -> None:
    (game,) = re.findall(r"```text\n(> sweepstakes.*?)```", PROTOCOL.read_text(encoding="utf-8"), re.DOTALL)
    lines = game.splitlines()
    peer = Scripted(*(line[2:] for line in lines if line.startswith("< ")))
    dialogue = LineDialogue(peer)
    dialogue.greet({"flags": True})
    setup = GameSetup(Size(4, 6, 5), number=11, rules=Rules("end", "safe"))
    play(setup.game(Registry.default()), dialogue, Limits(10, 60, 1024))
    peer.send([QUIT])
    assert peer.heard == [line[2:] for line in lines if line.startswith("> ")]
    assert not peer.answers


def test_the_page_has_every_key_ending_type_and_answer() -> None:
    page = PROTOCOL.read_text(encoding="utf-8")
    lines = game_lines(view_of(Rules(start=Cell(0, 0)), "hidden(rate=0.5)"), 5, Limits(1, 2, 3))
    keys = [word.partition("=")[0] for word in lines[0].split()[4:]]
    assert len(keys) == 9
    of_language_models = {Ending.TRUNCATED, Ending.EMPTY, Ending.UNREADABLE}  # no program ends a game in these ways
    endings = [ending.replace(" ", "-") for ending in Ending if ending not in of_language_models]
    for word in (*keys, *endings, *(option.type for option in READY.options)):
        assert f"`{word}`" in page, word
    examples = page.partition("## What the program sends")[2]
    (block,) = re.findall(r"```text\n(.*?)```", examples, re.DOTALL)
    assert len([parse_answer(line, 9, 9) for line in block.splitlines() if not line.startswith("error")]) == 3
    with pytest.raises(ProtocolError) as caught:
        parse_answer("opne 3", 9, 9)
    assert f"`{caught.value}`" in page
