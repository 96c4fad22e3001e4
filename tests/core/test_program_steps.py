"""The check of programs: every step finds the mistake that it is for, and passes a program without mistakes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from line_programs import LANGUAGES, Running, command_of

from sweepstakes.testing import Step, programs
from sweepstakes.testing.conversation import Candidate
from sweepstakes.testing.programs import STEPS

PROGRAM = """
import os, random, subprocess, sys, time

def say(text):
    print(text, flush=True)

step, marks, playing, lines, aborted = 0, [], False, 0, 0
pick = lambda covered: covered[(rng.randrange(len(covered)) + step + aborted) % len(covered)]
ready = "ready name=bot version=1 wants=changes option=step:int:0"
answer = lambda covered: f"open {pick(covered)}" if covered else "resign"
hear = at_game = lambda: None
seed = lambda: values["seed"]
at_quit, at_end, change = (lambda: sys.exit(0)), (lambda: None), (lambda cell, mark: marks.__setitem__(cell, mark))
values, size = {}, []

exec(sys.argv[1])

for line in sys.stdin:
    word, *rest = line.split()
    lines += 1
    hear()
    if word == "sweepstakes":
        say(ready)
    elif word == "option":
        step = int(rest[1])
    elif word == "game":
        playing = True
        size = [int(number) for number in rest[:3]]
        values = dict(pair.split("=", 1) for pair in rest[3:])
        rng = random.Random(seed())
        at_game()
    elif word == "end":
        playing = False
    elif word in ("turn", "change"):
        if word == "turn":
            marks = list(rest[0])
        else:
            for each in rest:
                cell, mark = each.split("=")
                change(int(cell), mark)
        say(answer([cell for cell, mark in enumerate(marks) if mark == "."]))
    elif word == "quit":
        at_quit()
at_end()
"""
UNFLUSHED = "out = open(1, 'w', 1 << 16)\nsay = lambda text: print(text, file=out)"
OPENS_TWICE = (
    "answer = lambda covered: 'open ' + str(([c for c, m in enumerate(marks) if m in '012345678'] + covered)[0])"
)


def crash(condition: str) -> str:
    """A mistake: the program ends where a condition holds."""
    return f"hear = at_game = lambda: ({condition}) and sys.exit('it is too much')"


def on(size: str, mistake: str) -> str:
    """A mistake on boards of one size only."""
    return f"right = answer\n{mistake}\nwrong = answer\nanswer = lambda c: (wrong if size[:2] == {size} else right)(c)"


MISTAKES: dict[str, tuple[str, str]] = {
    "answers the greeting in time": (
        UNFLUSHED,
        "it did not answer 'sweepstakes 1' in time: does it flush its output",
    ),
    "answers the greeting with ready": ("ready = 'hello'", "it answered 'hello': expected ready name=NAME"),
    "describes itself the same way every time": (
        "ready += f' option=id:int:{os.getpid()}'",
        "described themselves differently",
    ),
    "makes legal turns on beginner boards": (on("[9, 9]", OPENS_TWICE), "which is already open"),
    "gives the same answers for the same seed": (
        "seed = lambda: os.urandom(8)",
        "two ways",
    ),
    "accepts its options": ("step = 1", "it plays differently when its options are set to the defaults"),
    "plays a board of one cell": (crash("size[:2] == [1, 1]"), "and wrote: it is too much"),
    "plays boards of one row and of one column": (crash("size[:2] == [60, 1]"), "it exited before answering"),
    "plays boards without mines and of mines only": (crash("size[1:] == [2, 0]"), "it exited before answering"),
    "makes legal turns on intermediate boards": (on("[16, 16]", OPENS_TWICE), "which is already open"),
    "makes legal turns on expert boards": (on("[16, 30]", OPENS_TWICE), "which is already open"),
    "plays boards of 100 x 100": (on("[100, 100]", "answer = lambda covered: 'open 10000'"), "is not on the board"),
    "reads a line of a million characters": (crash("len(line) > 1 << 16"), "it exited before answering"),
    "goes on after a mine": (crash("'*' in marks"), "it exited before answering 'change"),
    "plays games that a mine ends": (crash("values.get('on_mine') == 'end'"), "it exited before answering"),
    "plays with a protected first click": (crash("values.get('first_click') == 'opening'"), "it exited before"),
    "plays on from a start cell": (crash("'start' in values"), "it exited before answering"),
    "plays without flooding": (crash("values.get('flood') == 'no'"), "it exited before answering"),
    "ignores words key=value that it does not know": (crash("'colour' in values"), "it exited before answering"),
    "ignores lines that it does not know": (
        "hear = lambda: word == 'weather' and say('what?')",
        "what?",  # before it was asked, or as an answer
    ),
    "keeps nothing from one game to another": (
        "once = []\nseed = lambda: once.append(values['seed']) or once[0]",
        "its play depends on earlier games",
    ),
    "forgets a game that was broken off": (
        "def hear():\n    global aborted\n    aborted += line == 'end time-out\\n'",
        "its play depends on an earlier game that was broken off",
    ),
    "plays the same by change and by turn": (
        "right = change\nchange = lambda cell, mark: right(cell, mark) or globals().__setitem__('aborted', 1)",
        "it answers `change` and `turn` differently",
    ),
    "keeps up with many lines at once": (crash("lines > 5000"), "it exited before answering"),
    "writes one line for each question": (
        "hear = lambda: word == 'end' and say('thank you')",
        "thank you",
    ),
    "calls a cell proven only if that is true": (
        "right = answer\nanswer = lambda covered: right(covered) + ' why=proof'",
        "proven safe, which ",
    ),
    "takes at most 1 s for a turn": (
        "right = answer\nanswer = lambda covered: time.sleep(0.3 * (size[0] == 30)) or right(covered)",
        "a turn took ",
    ),
    "may write to standard error": (
        "hear = lambda: print('x' * 10_000, file=sys.stdout if lines > 20 else sys.stderr, flush=True)",
        "xxxxx",
    ),
    "ends at quit": ("at_quit = lambda: None", "it was still running 0.5 s after `quit`"),
    "ends at quit in a game": ("at_quit = lambda: playing or sys.exit(0)", "it was still running 0.5 s after `quit`"),
    "ends at the end of its input": ("at_end = lambda: time.sleep(60)", "after the end of its input"),
    "leaves no process behind": ("subprocess.Popen(['sleep', '60'])", "1 processes that it started were left"),
    "makes legal turns under wrong clues": (crash("'liar' in values.get('noise', '')"), "it exited before"),
    "makes legal turns under withheld clues": (crash("'?' in marks"), "it exited before answering"),
}


@pytest.fixture
def candidate(tmp_path: Path) -> Callable[[str], Candidate]:
    (tmp_path / "bot.py").write_text(PROGRAM)

    def with_mistake(mistake: str) -> Candidate:
        patience = 2.0 if mistake == UNFLUSHED else 60.0
        return Candidate(partial(Running, [sys.executable, "-S", str(tmp_path / "bot.py"), mistake], patience))

    return with_mistake


@pytest.fixture(autouse=True)
def in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "PATIENCE", 0.5)
    monkeypatch.setattr(programs, "SLOWEST", 0.2)


def test_there_are_steps_enough_and_each_has_a_mistake_of_its_own() -> None:
    assert len(STEPS) >= 20
    assert [step.name for step in STEPS] == list(MISTAKES)
    for step in STEPS:
        assert step.run.__doc__
        assert step.fix


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_step_finds_the_mistake_that_it_is_for(step: Step, candidate: Callable[[str], Candidate]) -> None:
    mistake, expected = MISTAKES[step.name]
    with pytest.raises(AssertionError) as caught:
        step.run(candidate(mistake))
    message = str(caught.value)
    assert expected in message
    assert len(message) < 500


def check_program(candidate: Candidate) -> None:
    for step in STEPS:
        step.run(candidate)


@pytest.mark.parametrize(
    ("mistake", "parameters"), [("pass", {}), ("ready = ready.replace('wants=changes ', '')", {"step": 2})]
)
def test_a_program_without_mistakes_passes(
    mistake: str,
    parameters: dict[str, int],
    candidate: Callable[[str], Candidate],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(programs, "PATIENCE", 30)
    monkeypatch.setattr(programs, "SLOWEST", 30)
    check_program(Candidate(candidate(mistake).start, parameters))


def test_a_parameter_that_the_program_does_not_take_fails_its_step(candidate: Callable[[str], Candidate]) -> None:
    wrong = Candidate(candidate("pass").start, {"stpe": 2})
    with pytest.raises(AssertionError, match="agent 'bot' has no parameter 'stpe' \\(did you mean 'step'\\?\\)"):
        programs.takes_its_options(wrong)


@pytest.mark.system
@pytest.mark.parametrize("name", sorted(path.name for path in LANGUAGES.glob("*.*") if path.suffix != ".md"))
def test_the_examples_pass(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "PATIENCE", 30)
    monkeypatch.setattr(programs, "SLOWEST", 30)
    check_program(Candidate(partial(Running, command_of(name, tmp_path))))
