"""`sweepstakes check` finds and reports what is wrong with an agent."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sweepstakes.hosting.client import Hosts
from sweepstakes.limits import DEFAULT_LIMITS
from sweepstakes.testing.step_report import StepReport, as_junit
from sweepstakes.testing.step_runner import run_steps, warm_hosts
from sweepstakes.tournaments.config.loading import parse

FAULTY = Path(__file__).parent / "faulty" / "broken_agents.py"

PLANTED = {
    "reopens": ("makes legal turns and ends every game under every rule", "which is already open"),
    "rollsdice": ("plays the same game twice in the same way", "use self.rng"),
    "remembers": ("keeps nothing from one game to another", "depends on earlier games"),
    "needsaneighbour": ("plays boards of one cell, one row, no mines and mines only", "IndexError"),
    "needsclues": ("makes legal turns and ends every game under every clue noise", "TypeError"),
    "claimsproofs": ("calls a cell proven only if that is true", "proven safe, which was a mine"),
    "provesbyluck": ("proves only what follows from the clues", "which does not follow"),
    "dawdles": ("takes at most 1 s for a turn", "a turn took 1."),
    "hangs": ("makes legal turns and ends every game under every rule", "it took more than 3 s for a turn"),
    "kills": ("plays boards of one cell, one row, no mines and mines only", "it ended its process with exit code 3"),
    "answersalist": ("makes legal turns and ends every game under every rule", "which is not a Turn"),
    "stalls": ("makes legal turns and ends every game under every rule", "took more than"),
    "explainsotherwise": ("plays the same with and without explain", "differently when asked to explain"),
    "shared": ("is a new object in every game", "it gave the same object twice"),
}


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    """Hosts for all checks of this file."""
    with warm_hosts() as warm:
        yield warm


class Reports(dict[str, list[StepReport]]):
    """The reports on each planted agent, made when a test needs them."""

    def __init__(self, hosts: Hosts) -> None:
        super().__init__()
        self.hosts = hosts

    def __missing__(self, agent: str) -> list[StepReport]:
        limits = DEFAULT_LIMITS._replace(turn_seconds=3 if agent == "hangs" else 10)
        steps = run_steps(f"{FAULTY}:{agent}", (), 60, limits=limits, noise=True, hosts=self.hosts)
        self[agent] = [report for report in steps if report.owner == agent]
        return self[agent]


@pytest.fixture(scope="module")
def reports(hosts: Hosts) -> Reports:
    return Reports(hosts)


@pytest.mark.system
@pytest.mark.parametrize("agent", PLANTED)
def test_a_planted_fault_is_named(reports: Reports, agent: str) -> None:
    name, sentence = PLANTED[agent]
    (step,) = (report for report in reports[agent] if report.name == name)
    assert not step.passed
    assert sentence in step.message
    assert step.fix


@pytest.mark.system
def test_a_turn_that_takes_long_leaves_the_other_steps_alone(reports: Reports) -> None:
    assert [report.name for report in reports["dawdles"] if report.status == "failed"] == [PLANTED["dawdles"][0]]


@pytest.mark.system
def test_nothing_is_found_where_nothing_is_wrong(reports: Reports) -> None:
    assert [report.message for report in reports["sound"] if not report.passed] == []
    assert len(reports["sound"]) >= 11


def test_a_failure_that_is_no_fault_leaves_the_other_steps_alone(reports: Reports) -> None:
    for agent in ("provesbyluck", "explainsotherwise"):
        assert [report.name for report in reports[agent] if report.status == "failed"] == [PLANTED[agent][0]]


@pytest.mark.parametrize("agent", [pytest.param("hangs", marks=pytest.mark.system), "kills", "reopens"])
def test_after_a_fault_the_steps_that_would_meet_it_are_not_tried(reports: Reports, agent: str) -> None:
    steps = reports[agent]
    at = [report.status for report in steps].index("failed")
    assert steps[at].name == PLANTED[agent][0]
    assert {report.status for report in steps[at + 1 :]} == {"not tried"}
    assert len(steps) == len(reports["sound"])


def test_the_advice_is_that_for_the_fault_and_the_command_shows_the_game(reports: Reports) -> None:
    (step,) = (report for report in reports["reopens"] if report.status == "failed")
    assert "open and flag only cells of view.covered()" in step.fix
    assert step.command.startswith(f"sweepstakes watch {FAULTY}:reopens --board ")
    (step,) = (report for report in reports["needsclues"] if report.status == "failed")
    assert step.fix.startswith("fix the line named above")
    assert "view.clue(cell) is None where a clue is withheld" in step.fix
    assert re.search(r"--noise 'hidden\(rate=0.3.*\)'", step.command)
    (step,) = (report for report in reports["kills"] if report.status == "failed")
    assert "do not call exit functions" in step.fix


def test_the_command_shows_the_fault(reports: Reports, sweepstakes: Callable[..., Any]) -> None:
    (step,) = (report for report in reports["reopens"] if report.status == "failed")
    done = sweepstakes(*shlex.split(step.command)[1:])
    assert (done.code, "which is already open" in done.out) == (0, True), done


def test_an_agent_that_never_flags_is_told_when_a_game_ends(reports: Reports) -> None:
    (step,) = (report for report in reports["sound"] if report.name.startswith("deals with every mine"))
    assert step.status == "note"
    assert "until every cell is open, flagged or detonated" in step.message


def test_the_limits_are_those_of_a_tournament() -> None:
    assert parse({"boards": "beginner", "agents": "basic"}).limits == DEFAULT_LIMITS
    assert DEFAULT_LIMITS[:4] == (10, 60, 1024, 30)


def test_a_report_for_test_servers_counts_failures_and_steps_not_tried(reports: Reports) -> None:
    suite = ElementTree.fromstring(as_junit(("agents.py", report) for report in reports["kills"]))
    steps = reports["kills"]
    assert suite.attrib["tests"] == str(len(steps))
    assert suite.attrib["failures"] == "1"
    assert suite.attrib["skipped"] == str(sum(report.status == "not tried" for report in steps))
    (failure,) = suite.iter("failure")
    assert "exit code 3" in failure.attrib["message"]
    assert "sweepstakes watch" in (failure.text or "")


def test_an_agent_that_looks_for_the_board_finds_none(reports: Reports) -> None:
    assert [report.message for report in reports["peeks"] if not report.passed] == []


def test_the_agents_own_traceback_and_prints_are_shown(reports: Reports) -> None:
    step = next(report for report in reports["needsclues"] if not report.passed)
    assert "assert view.clue(cell) + 0 >= 0" in step.trace
    assert "core/game/playing.py" not in step.trace
    assert "no clue at (" in step.printed


@pytest.mark.parametrize(
    ("text", "step", "sentence"),
    [
        ("def act(:\n", "it loads", "line 1: invalid syntax"),
        ("import no_such_module\n", "it loads", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("import os\nos._exit(5)\n", "it loads", "it ended its process with exit code 5"),
        (
            "from sweepstakes import hookimpl\n@hookimpl\ndef sweepstakes_agent():\n    return {}\n",
            "its hooks have the right names and return valid values",
            "there is no hook sweepstakes_agent (did you mean 'sweepstakes_agents'?)",
        ),
    ],
)
def test_a_file_that_does_not_load_is_explained(tmp_path: Path, text: str, step: str, sentence: str) -> None:
    (tmp_path / "broken.py").write_text(text)
    *_, last = (report for report in run_steps(str(tmp_path / "broken.py"), (), 30) if report.status != "not tried")
    assert (last.name, last.passed) == (step, False)
    assert sentence in last.message


def test_the_report_is_numbered_and_the_exit_code_is_for_ci(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "from sweepstakes import Agent, Turn, hookimpl\n"
        "class Bad(Agent):\n"
        "    def act(self, view):\n"
        "        print('hello')\n"
        "        return 1 / 0\n"
        "@hookimpl\n"
        "def sweepstakes_agents():\n"
        "    return {'bad': Bad}\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "sweepstakes", "check", "bad.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "  1 ok    it loads"
    assert lines[3] == "  3 ok    is a new object in every game"
    assert lines[4].startswith("  4 FAIL  makes legal turns")
    assert "ZeroDivisionError: division by zero (line 5 of bad.py)" in lines[5]
    assert lines[6].startswith("          to do: ")
    assert '    File "' not in lines[5]
    assert "          it printed:" in lines
    assert "          | hello" in lines
    assert lines[-2:] == ["    steps 5 to 14 not tried: fix 4 first", "3 of 14 steps passed, 10 not tried"]
    assert any(line.startswith("          to see the game: sweepstakes watch bad.py --board ") for line in lines)


def test_a_folder_is_checked_file_by_file(tmp_path: Path, sweepstakes: Callable[..., Any]) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "a.py").write_text("1 /\n")
    (tmp_path / "class" / "b.py").write_text("import no_such_module\n")
    (tmp_path / "class" / "test_b.py").write_text("")
    done = sweepstakes("check", "class", "--json", "--junit", "out.xml")
    assert done.code == 1
    steps = json.loads(done.out)
    assert {step["target"] for step in steps} == {"class/a.py", "class/b.py"}
    assert [step["status"] for step in steps].count("failed") == 2
    assert ElementTree.parse(tmp_path / "out.xml").getroot().attrib["failures"] == "2"
    assert sweepstakes("check", "class").out.splitlines()[-1] == "0 of 2 files passed every step"
    (tmp_path / "empty").mkdir()
    assert "there is no agent in this folder" in sweepstakes("check", "empty").err


def test_what_cannot_be_checked_gets_one_line(sweepstakes: Callable[..., Any]) -> None:
    for target, expected in {"nobody.py": "there is no such file", "basc": "did you mean 'basic'?"}.items():
        done = sweepstakes("check", target)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert expected in done.err


AGENT = """
{top}
from sweepstakes import Agent, Turn, hookimpl

class Mine(Agent):
    {init}
    def act(self, view):
        cells = view.covered()
        {body}

@hookimpl
def sweepstakes_agents():
    return {{"mine": {offered}}}
"""
FIRST = "return Turn(open=cells[:1])"


def write_agent(path: Path, body: str = FIRST, top: str = "", init: str = "", offered: str = "Mine") -> None:
    path.write_text(AGENT.format(body=body, top=top, init=init, offered=offered))


def failures(text: str) -> list[str]:
    return re.findall(r"^ *\d+ FAIL  (.*)", text, re.MULTILINE)


REOPENS_UNDER_NOISE = "return Turn(open=(cells if view.noise.exact or view.rows != 8 else view.open() or cells)[:1])"


@pytest.mark.slow
def test_an_illegal_move_under_noise_is_a_note_unless_the_agent_claims_to_play_under_noise(
    tmp_path: Path, sweepstakes: Callable[..., Any]
) -> None:
    """The board of the fault is one of those that only steps about other things used to play under noise."""
    write_agent(tmp_path / "ann.py", REOPENS_UNDER_NOISE)
    done = sweepstakes("check", "ann.py")
    assert (done.code, failures(done.out)) == (0, []), done
    assert re.search(
        r"note  makes legal turns .* noise \(agent 'mine' opened .* 8x8/10 .*Only a tournament with", done.out
    )
    assert "to see the game: sweepstakes watch ann.py --board 8x8/10 --noise 'hidden(rate=0.3)'" in done.out
    done = sweepstakes("check", "ann.py", "--noise")
    assert (done.code, failures(done.out)) == (1, ["makes legal turns and ends every game under every clue noise"])


@pytest.mark.system
@pytest.mark.parametrize(
    ("parts", "step", "advice"),
    [
        (
            {"body": "return Turn(open=[random.choice(cells)])", "top": "import random"},
            "plays the same game twice in the same way",
            "to do: take random numbers from self.rng",
        ),
        (
            {"body": "seen.append(1); return Turn(open=[cells[len(seen) % len(cells)]])", "top": "seen = []"},
            "keeps nothing from one game to another",
            "to do: store data in self, not in a global variable",
        ),
        (
            {"init": "def __init__(self, depth): self.depth = depth"},
            "is a new object in every game",
            "to do: give it a default in __init__(depth=...), or name a value: sweepstakes check 'ann.py(depth=...)'",
        ),
        (
            {"offered": "Mine()"},
            "its hooks have the right names and return valid values",
            "offers 'mine' as an object of Mine: expected the class itself, Mine without ()",
        ),
        (
            {"body": 'return Turn(open=cells[:1], why="proof")'},
            "calls a cell proven only if that is true",
            'to do: use why="proof" only for certain cells',
        ),
    ],
    ids=["random", "global state", "parameter", "instance", "proofs"],
)
def test_one_mistake_is_one_failure_with_advice_that_fits_it(
    parts: dict[str, str], step: str, advice: str, tmp_path: Path, sweepstakes: Callable[..., Any]
) -> None:
    write_agent(tmp_path / "ann.py", **parts)
    done = sweepstakes("check", "ann.py")
    assert (done.code, failures(done.out)) == (1, [step]), done.out
    assert advice in done.out
    assert "agent 'agent'" not in done.out
    assert "not tried: fix " in done.out


PROGRAM = """
import sys
{top}
for line in sys.stdin:
    word, *rest = line.split()
    if word == "sweepstakes":
        print("ready name=bot version=1", flush=True)
    elif word == "turn":
        {body}
    elif word == "quit":
        break
"""


def check_program(folder: Path, sweepstakes: Callable[..., Any], body: str, top: str = "") -> Any:
    (folder / "bot.py").write_text(PROGRAM.format(body=body, top=top))
    done = sweepstakes("check", f"command: {sys.executable} -S bot.py")
    assert done.code == 1, done
    return done


OPENS = "cell = rest[0].find('.'); print(f'open {cell}' if cell >= 0 else 'resign', flush=True)"


@pytest.mark.parametrize("debug", ["print('debug')", "print('debug', flush=True)"])
def test_a_line_too_many_on_standard_output_is_one_failure(
    debug: str, tmp_path: Path, sweepstakes: Callable[..., Any]
) -> None:
    done = check_program(tmp_path, sweepstakes, f"{debug}; {OPENS}")
    assert len(failures(done.out)) == 1, done.out
    assert "'debug" in done.out
    assert "write everything else to standard error" in done.out
    assert "not tried: fix 4 first" in done.out
    greeted = "import select; select.select([sys.stdin], [], [])"  # an earlier line would be unasked for
    done = check_program(tmp_path, sweepstakes, OPENS, f"{greeted}; print('starting', flush=True)")
    assert failures(done.out) == ["answers the greeting with ready"]
    assert "write everything else to standard error" in done.out


def test_random_numbers_without_the_seed_are_one_failure_of_a_program(
    tmp_path: Path, sweepstakes: Callable[..., Any]
) -> None:
    body = "print('open', random.choice([i for i, c in enumerate(rest[0]) if c == '.']), flush=True)"
    done = check_program(tmp_path, sweepstakes, body, "import random")
    assert failures(done.out) == ["gives the same answers for the same seed"], done.out
    assert "begin your random numbers with `seed`" in done.out


@pytest.mark.system
def test_an_unsound_proof_of_a_program_names_its_cell_and_watch_marks_it(
    tmp_path: Path, sweepstakes: Callable[..., Any]
) -> None:
    done = check_program(tmp_path, sweepstakes, OPENS.replace("{cell}", "{cell} why=proof"))
    assert failures(done.out) == ["calls a cell proven only if that is true"], done.out
    cell = re.search(r"it called (\(\d+, \d+\)) proven safe, which ", done.out)
    assert cell is not None, done.out
    (command,) = re.findall("to see the game: (.*)", done.out)
    shown = sweepstakes(*shlex.split(command)[1:])
    assert shown.code == 0, shown
    assert f"FALSE PROOF: {cell[1]} is not proven safe: a mine there has probability " in shown.out
    assert "turns call cells proven that are not" in shown.out
    assert sweepstakes(*shlex.split(command)[1:], "--svg", "false.svg", "--turn", "2").code == 0
    assert "turn 2: false proof: opens " in (tmp_path / "false.svg").read_text()
    sound = sweepstakes("watch", "basic", "--board", "beginner")
    assert (sound.code, "FALSE PROOF" in sound.out) == (0, False)


@pytest.mark.system
def test_a_check_for_a_tournament_plays_under_its_rules_noises_and_limits_alone(
    tmp_path: Path, sweepstakes: Callable[..., Any]
) -> None:
    refuse = "assert (view.rules.on_mine, view.rules.first_click) == ('end', 'safe'), view.rules"
    write_agent(tmp_path / "ann.py", f"{refuse}; {FIRST}")
    file = "boards: beginner\nagents: [basic, no-such-agent]\nrules: {on_mine: end, first_click: safe}\n"
    (tmp_path / "class.yaml").write_text(file)
    assert sweepstakes("check", "ann.py").code == 1
    done = sweepstakes("check", "ann.py", "--tournament", "class.yaml")
    assert (done.code, failures(done.out)) == (0, []), done
    assert "noise" not in done.out.partition("agent mine")[2].replace("noise=exact-clues", "")
    (tmp_path / "class.yaml").write_text(f"{file}noise: hidden(rate=0.2)\n")
    write_agent(tmp_path / "ann.py", f"assert 'hidden' in view.noise.name; {FIRST}")
    done = sweepstakes("check", "ann.py", "--tournament", "class.yaml")
    assert (done.code, failures(done.out)) == (0, []), done
    missing = sweepstakes("check", "ann.py", "--tournament", "nowhere.yaml")
    assert (missing.code, missing.err) == (2, "sweepstakes: nowhere.yaml: there is no such file\n")
