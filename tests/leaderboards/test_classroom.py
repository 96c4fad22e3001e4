"""A class of twelve submissions, of which five are bad, as docs/classroom.md walks through it."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from stored_games import stored

from sweepstakes.leaderboards.classroom.classroom import SEED

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "classroom.md").read_text()
AGENT = '''
from sweepstakes import Agent, Turn, hookimpl
{top}

class Mine(Agent):
    """Opens one cell in each turn."""

    def act(self, view):
        cells = view.covered()
        return Turn(open=[{cell}], why="random")


@hookimpl
def sweepstakes_agents():
    return {{"{name}": Mine}}
'''
BAD = {
    "exits": "import os\nos._exit(3)\n",
    "hangs": "import time\ntime.sleep(1000)\n",
    "needs": "import no_such_package\n",
    "nothing": "x = 1\n",
    "syntax": "def f(:\n",
}


def agent(cell: str, top: str = "", name: str = "mine") -> str:
    return AGENT.format(cell=cell, top=top, name=name)


def hand_in(folder: Path) -> None:
    """Write the twelve submissions."""
    good = {
        "ann": agent("cells[0]"),
        "ben": agent("cells[-1]"),
        "copycat": agent("min(cells)").replace('why="random"', 'why="guess", probability=0.5'),
        "dora": agent("cells[len(cells) // 2]", name="basic"),
        "eve": agent("self.rng.choice(cells)"),
        "finn": agent("undefined_name"),
        "cleo/agent": agent("helper.pick(cells)", "import helper"),
        "cleo/helper": "def pick(cells):\n    return cells[len(cells) // 3]\n",
    }
    (folder / "cleo").mkdir(parents=True)
    for name, text in (good | BAD).items():
        (folder / f"{name}.py").write_text(text)


def grades(directory: Path) -> dict[str, dict[str, str]]:
    with (directory / "grades.csv").open(newline="") as file:
        return {line["student"]: line for line in csv.DictReader(file)}


def commands() -> Iterator[list[str]]:
    for block in re.findall(r"^```bash\n(.*?)^```", PAGE, re.S | re.M):
        for line in block.splitlines():
            yield shlex.split(line)[1:]


def test_a_spreadsheet_computes_nothing_that_a_student_wrote(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    (submissions / "=1+2.py").write_text(agent("cells[0]"))
    said = sweepstakes("classroom", "submissions", "--out", "class", "--games", "1", "--workers", "1", "--no-check")
    assert said.code == 0, said.err
    (line,) = grades(tmp_path / "class").values()
    assert (line["student"], line["file"]) == ("'=1+2", "'=1+2.py")


@pytest.mark.system
def test_the_page_is_walked_through(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    submissions, out = tmp_path / "submissions", tmp_path / "class"
    hand_in(submissions)
    (file,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.S | re.M)
    file = re.sub("boards: .*", "boards: 4x4/2", file)
    (tmp_path / "class.yaml").write_text(file)
    first, again, compare, other = commands()
    assert first == again
    assert other[:-2] == first
    few = [*other[-2:], "--games", "3", "--workers", "1", "--no-check"]
    said = sweepstakes(*first, *few)
    assert said.code == 0, said.err
    for name in BAD:
        assert f"{name} forfeits its games: " in said.err

    marks = grades(out)
    assert set(marks) == {"ann", "ben", "copycat", "dora", "eve", "finn", "cleo", *BAD}
    reasons = {name: line["forfeits"] for name, line in marks.items() if line["forfeits"]}
    assert set(reasons) == set(BAD)
    assert reasons["exits"] == "it ended its process with exit code 3"
    assert "took more than 10 s to start" in reasons["hangs"]
    assert "No module named 'no_such_package'" in reasons["needs"]
    assert "it has no hook" in reasons["nothing"]
    assert reasons["syntax"] == "line 1: invalid syntax"
    assert all(marks[name]["faults"] == "3" for name in (*BAD, "finn"))
    assert {(marks[name]["status"], marks[name]["rank"]) for name in BAD} == {("did not load", "")}
    assert all(marks[name]["rank"] for name in marks if name not in BAD)
    assert {marks[name]["status"] for name in ("ann", "ben", "cleo", "dora", "eve")} == {"played"}
    assert marks["finn"]["status"] == "only faults"
    assert all(int(line["won"]) <= 3 and line["submitted"] for line in marks.values())
    assert {name for name, line in marks.items() if line["plays as"]} == {"ann", "copycat"}
    index = (out / "index.html").read_text()
    assert {"ranking.svg", "ranking-dark.svg"} <= {path.name for path in out.iterdir()}
    for link in re.findall('href="([^"]+)"', index):
        assert (out / link).is_file(), link
    assert "plays exactly as copycat" in index
    means = [float(mean) for mean in re.findall(r"</[ai]></td><td[^>]*>([0-9.]+)", index)]
    assert len(means) == len(marks) + 2  # with `basic` and `exact`, for comparison
    assert means == sorted(means, reverse=True)
    seed = (out / SEED).read_text().strip()
    shown = [
        said.out,
        index,
        *(page.read_text() for page in (out / "agents").iterdir()),
        (out / "grades.csv").read_text(),
    ]
    assert not any(seed in text or str(tmp_path) in text for text in shown)
    assert seed not in said.err
    assert (out / SEED).stat().st_mode & 0o077 == 0

    before = {which: stored(out / which) for which in ("public", "hidden")}
    (submissions / "ben.py").write_text(agent("cells[1]"))
    (submissions / "syntax.py").write_text(agent("cells[2]"))
    (submissions / "hangs.py").unlink()
    said = sweepstakes(*again, *few)
    assert said.code == 0, said.err
    for which, earlier in before.items():
        now = stored(out / which)
        assert now["ben@1"] == earlier["ben"]
        assert {name: now[name] for name in ("ann", "dora", "eve", "basic", "exits")} == {
            name: earlier[name] for name in ("ann", "dora", "eve", "basic", "exits")
        }
    marks = grades(out)
    assert marks["ben"]["earlier versions"] == "1"
    assert marks["syntax"]["forfeits"] == ""
    assert (marks["hangs"]["status"], marks["hangs"]["rank"]) == ("withdrawn", "")
    assert "hangs: withdrawn" in (out / "index.html").read_text()
    said = sweepstakes(*compare)
    assert said.code == 0, said.err
    assert said.out.startswith("ben - ben@1, win")


def test_a_folder_that_is_not_there_is_answered_by_one_line(sweepstakes: Callable[..., Any]) -> None:
    said = sweepstakes("classroom", "nowhere")
    assert (said.code, said.out) == (2, "")
    assert said.err == "sweepstakes: nowhere: no such folder: expected the folder of the submissions\n"


def test_a_submission_cannot_import_another_one(tmp_path: Path) -> None:
    from sweepstakes.tournaments.config.loading import parse
    from sweepstakes.tournaments.resolve.planning import make_plan

    (tmp_path / "ann.py").write_text(agent("cells[0]"))
    (tmp_path / "thief.py").write_text(agent("ann.Mine().act(view).open[0]", "import ann"))
    plan, _ = make_plan(parse({"boards": "beginner", "agents": f"{tmp_path}/*.py"}))
    assert [entry.label for entry in plan.entries] == ["ann", "thief"]
    assert "'ann'" in plan.entries[1].forfeit


@pytest.mark.parametrize("text", ["nowhere/", "nowhere/*.py"])
def test_a_folder_without_submissions_is_refused(text: str) -> None:
    from sweepstakes import ConfigError
    from sweepstakes.tournaments.config.loading import parse

    with pytest.raises(ConfigError, match="there is no such folder, and no such Python file"):
        parse({"boards": "beginner", "agents": [text]})


def labels(folder: Path) -> list[str]:
    """Return the labels of the submissions in a folder when they play with `basic`, which a class names in the same
    way."""
    from sweepstakes.tournaments.config.loading import parse
    from sweepstakes.tournaments.config.submissions import expand

    items = [item for _, item in expand([{"agent": "basic", "as": None}, f"{folder}/"], Path.cwd())]
    return [item.as_ or item.agent for item in parse({"boards": "beginner", "agents": items}).agents]


@pytest.mark.slow
def test_the_same_file_twice_and_names_as_those_of_others_stop_no_class(
    sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    handed_in = tmp_path / "handed-in"
    handed_in.mkdir()
    for name in ("ann", "ben", "basic", "a@b", "a-b", "c [1]", "long" * 15 + "1", "long" * 15 + "2"):
        (handed_in / f"{name}.py").write_text(agent("cells[0]"))
    out = tmp_path / "class"
    said = sweepstakes("classroom", str(handed_in), "--out", str(out), "--games", "1", "--no-check", "--quiet")
    assert said.code == 0, said.err
    marks = grades(out)
    assert len(marks) == 8
    assert {"ann", "ben", "handed-in/basic", "a-b", "a-b 2", "c [1]"} < marks.keys()
    assert not any(line["forfeits"] or int(line["faults"]) for line in marks.values())
    assert "ben" in marks["ann"]["plays as"]
    said = sweepstakes("replay", str(out / "public"), "ben/1/0")
    assert said.code == 0, said.err


def test_a_submission_without_a_visible_name_has_a_label(tmp_path: Path) -> None:
    (tmp_path / " .py").write_text(agent("cells[0]"))
    (tmp_path / "  .py").write_text(agent("cells[0]"))
    assert labels(tmp_path) == ["basic", "unnamed", "unnamed 2"]


@pytest.mark.parametrize("name", ["ann.py:mine.py", "ann.py@1.py", "ann.py(x=1).py", "two\nlines.py", "\u202e.py"])
def test_a_file_whose_name_would_mean_another_one_is_refused_before_anything_is_played(
    name: str, tmp_path: Path
) -> None:
    from sweepstakes import ConfigError

    (tmp_path / "ann.py").write_text(agent("cells[0]"))
    (tmp_path / name).write_text(agent("cells[0]"))
    with pytest.raises(ConfigError, match="a tournament cannot name this file: rename it"):
        labels(tmp_path)


def test_a_file_that_is_far_too_long_forfeits_and_is_not_read_to_its_end(tmp_path: Path) -> None:
    from sweepstakes.tournaments.config.loading import parse
    from sweepstakes.tournaments.resolve.planning import make_plan

    (tmp_path / "ann.py").write_text(agent("cells[0]"))
    with (tmp_path / "ben.py").open("w") as file:
        file.write(agent("cells[0]"))
        file.truncate(1 << 42)  # nothing can read as much
    plan, _ = make_plan(parse({"boards": "beginner", "agents": f"{tmp_path}/"}))
    assert [entry.forfeit for entry in plan.entries] == [
        "",
        "it cannot be read: it has more than 16,777,216 bytes",
    ]


CHAMPION = """
from sweepstakes import hookimpl
from sweepstakes.plugins.agents.champion import Champion


class Mine(Champion):
    pass


@hookimpl
def sweepstakes_agents():
    return {"mine": Mine}
"""
DISGUISED = """
import importlib

import numpy as np
from sweepstakes import Agent, Turn, hookimpl


class Mine(Agent):
    inner = None

    def act(self, view):
        if self.inner is None:
            self.inner = importlib.import_module("sweepstakes.plugins.agents." + "champ" + "ion").Champion()
        flags = view.flagged()
        if flags:
            return Turn(unflag=flags, open=self.cells, why="guess", probability=0.5)
        self.cells = np.asarray(self.inner.act(view).open)[-1:]
        return Turn(flag=view.covered()[:1]) if view.covered()[0] != divmod(int(self.cells[0]), view.cols) else Turn(
            open=self.cells
        )


@hookimpl
def sweepstakes_agents():
    return {"mine": Mine}
"""
ENGINE = agent("min(cells, key=lambda cell: posterior(view.shown, view.mines).probability[cell])").replace(
    "from sweepstakes import", "from sweepstakes.inference import posterior\nfrom sweepstakes import"
)
CLASS = """
name: course
games: 12
boards: [9x9/16]
rules: {on_mine: end, first_click: safe}
agents: [random, basic, exact]
"""


def run_class(sweepstakes: Callable[..., Any], folder: Path, more: str = "", *options: str) -> Any:
    """Run the class of `CLASS`, with a fixed hidden seed: grades of a dozen games depend on it."""
    (folder / "class.yaml").write_text(CLASS + more)
    (folder / "class").mkdir(exist_ok=True)
    (folder / "class" / SEED).write_text("1\n")
    words = ("--tournament", "class.yaml", "--out", "class", "--workers", "1", "--no-check", *options)
    return sweepstakes("classroom", "submissions", *words)


@pytest.mark.slow
def test_a_built_in_agent_that_is_handed_in_is_reported_and_refused_unless_it_is_allowed(
    sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    for name, text in {"copy": CHAMPION, "disguise": DISGUISED, "engine": ENGINE, "own": agent("cells[0]")}.items():
        (submissions / f"{name}.py").write_text(text)
    said = run_class(sweepstakes, tmp_path)
    assert said.code == 0, said.err
    marks = grades(tmp_path / "class")
    assert [marks[name]["plays as built-in"] for name in ("copy", "disguise", "own")] == ["champion", "champion", ""]
    assert (marks["copy"]["imports"], marks["engine"]["imports"]) == ("champion", "sweepstakes.inference")
    assert {line["status"] for line in marks.values()} == {"played"}, "without `allow` it is reported only"
    assert re.search(r"copy +win .* plays as champion \(\d+ of \d+ decisions\); imports champion", said.out)

    said = run_class(sweepstakes, tmp_path, "allow: [sweepstakes.inference]\ngrade: {random: 0, exact: 100}\n")
    assert said.code == 0, said.err
    marks = grades(tmp_path / "class")
    assert [marks[name]["status"] for name in ("copy", "disguise", "engine", "own")] == [
        "not allowed",
        "not allowed",
        "played",
        "played",
    ]
    assert [marks[name]["rank"] for name in ("copy", "disguise", "engine")] == ["", "", "1"]
    assert [marks[name]["grade"] for name in ("copy", "disguise", "own")] == ["0.0"] * 3
    assert float(marks["engine"]["grade"]) > 50
    assert "compare copy" not in said.err, "it has not changed"
    assert "not allowed: plays as champion" in (tmp_path / "class" / "index.html").read_text()
    said = run_class(sweepstakes, tmp_path, "allow: [champion, sweepstakes.inference]\n")
    assert {line["status"] for line in grades(tmp_path / "class").values()} == {"played"}


def test_a_folder_without_an_agent_is_skipped_and_a_late_submission_is_late(
    sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    submissions = tmp_path / "submissions"
    for name in ("empty", "other"):
        (submissions / name).mkdir(parents=True)
    (submissions / "other" / "main.py").write_text("x = 1\n")
    (submissions / "notes.txt").write_text("hello")
    for name, day in (("early", 10), ("late", 20)):
        (submissions / f"{name}.py").write_text(agent("cells[0]"))
        date = datetime(2026, 3, day, 12).timestamp()
        os.utime(submissions / f"{name}.py", (date, date))
    said = run_class(sweepstakes, tmp_path, "", "--games", "1", "--deadline", "2026-03-15")
    assert said.code == 0, said.err
    assert "skipped: empty/ has neither agent.py nor empty.py" in said.err
    marks = grades(tmp_path / "class")
    assert {name: (line["status"], line["late"]) for name, line in marks.items()} == {
        "early": ("played", "no"),
        "late": ("played", "yes"),
        "empty": ("no agent", "no"),
        "notes": ("no agent", "yes"),
        "other": ("no agent", "yes"),
    }
    assert marks["late"]["submitted"] == "2026-03-20 12:00"
    assert "2026-03-20 12:00, late" in (tmp_path / "class" / "index.html").read_text()


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("allow: [champoin]\n", "class.yaml:7: allow: unknown 'champoin' (did you mean 'champion'?)"),
        ("grade: {random: 0, chain: 5}\n", "class.yaml:7: grade: unknown 'chain'"),
        ("grade: {random: 0, exact: good}\n", "class.yaml:7: grade: exact: 'good': expected a number"),
        ("deadline: soon\n", "class.yaml:7: deadline: 'soon': expected a date and a time"),
    ],
)
def test_a_mistake_in_the_keys_of_a_class_is_named_with_its_line(
    more: str, expected: str, sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "ann.py").write_text(agent("cells[0]"))
    said = run_class(sweepstakes, tmp_path, more)
    assert (said.code, said.err.count("\n")) == (2, 1), said.err
    assert expected in said.err


def test_the_check_of_a_class_plays_only_under_its_rules_and_noises() -> None:
    from sweepstakes.testing import STEPS
    from sweepstakes.tournaments.checked_games import games_of
    from sweepstakes.tournaments.config.loading import parse
    from sweepstakes.tournaments.resolve.planning import make_plan

    config = {"boards": "beginner", "agents": "basic", "rules": {"on_mine": "end", "first_click": "safe"}}
    plan, registry = make_plan(parse(config))
    games = games_of(plan.conditions, registry)
    setups = [*games.every_rule(), *games.every_noise(), *games.odd_boards(), *games.sample()]
    assert {(str(setup.rules), str(setup.noise)) for setup in setups} == {
        ("on_mine=end first_click=safe", "exact-clues")
    }
    names = {step.name for step in STEPS if not step.applies(games)}
    assert names == {
        "deals with every mine if the game continues after one",
        "makes legal turns and ends every game under every clue noise",
    }
    noisy = games_of(make_plan(parse(config | {"noise": "liar(rate=0.1)"}))[0].conditions, registry)
    assert {str(setup.noise) for setup in (*noisy.every_rule(), *noisy.sample())} == {"liar(rate=0.1)"}


@pytest.mark.system
def test_the_check_of_a_class_plays_under_its_limits(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "handed").mkdir()
    (tmp_path / "handed" / "hal.py").write_text(agent("next(n for n in iter(int, 1) if n)"))
    (tmp_path / "class.yaml").write_text(
        "games: 1\nboards: 4x4/2\nagents: random\nlimits: {turn_seconds: 0.5, game_seconds: 5}\n"
    )
    said = sweepstakes("classroom", "handed", "--out", "class", "--tournament", "class.yaml", "--workers", "1")
    assert said.code == 0, said.err
    assert "took more than 0.5 s for a turn" in grades(tmp_path / "class")["hal"]["check message"]


def test_a_grade_lies_on_the_line_between_the_agents_around_it() -> None:
    from sweepstakes.leaderboards.classroom.class_rules import ClassRules, grade_of

    rules = ClassRules(grade=(("random", 0.0), ("basic", 50.0), ("exact", 100.0)))
    means = {"random": 0.0, "basic": 0.4, "exact": 0.8}
    assert [grade_of(mean, means, rules, more_is_better=True) for mean in (0, 0.2, 0.4, 0.6, 0.9)] == [
        0,
        25,
        50,
        pytest.approx(75),
        100,
    ]
    turns = {"random": 90.0, "basic": 50.0, "exact": 10.0}
    assert [grade_of(mean, turns, rules, more_is_better=False) for mean in (100, 70, 5)] == [0, 25, 100]


GRADESCOPE = CLASS.replace("games: 12", "games: 4") + "scores: [win, turns]\ngrade: {random: 0, exact: 100}\n"


def grade_on_gradescope(folder: Path, files: dict[str, str]) -> tuple[dict[str, Any], str]:
    """Run the script of the page in a folder as Gradescope makes it; return `results.json`, and what was printed."""
    (script,) = re.findall(r"^```sh\n(.*?)^```", PAGE, re.S | re.M)
    for name in ("source", "submission"):
        (folder / name).mkdir()
    (folder / "source" / "class.yaml").write_text(GRADESCOPE)
    (folder / "source" / "hidden-seed").write_text("987654321\n")
    for name, text in files.items():
        (folder / "submission" / name).write_text(text)
    (folder / "run_autograder").write_text(script)
    (folder / "run_autograder").chmod(0o755)
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["./run_autograder"], cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads((folder / "results" / "results.json").read_text())
    return results, done.stdout + done.stderr


@pytest.mark.system
def test_gradescope_gets_a_grade_and_an_anonymous_leaderboard(tmp_path: Path) -> None:
    files = {
        "agent.py": agent("helper.pick(cells)", "import helper"),
        "helper.py": "def pick(cells): return cells[0]\n",
    }
    results, _ = grade_on_gradescope(tmp_path, files)
    line = grades(tmp_path / "class")["student"]
    assert results["score"] == float(line["grade"])
    assert results["output"] == "played"
    assert [(test["name"], test["status"]) for test in results["tests"]] == [
        ("check", "passed"),
        ("public boards", "passed"),
        ("hidden boards", "passed"),
    ]
    assert results["tests"][-1]["max_score"] == 100
    assert [(entry["name"], entry["order"]) for entry in results["leaderboard"]] == [
        ("win", "desc"),
        ("turns", "asc"),
        ("faults", "asc"),
    ]
    assert results["leaderboard"][0]["value"] == float(line["win"])
    text = json.dumps(results)
    assert not any(word in text for word in ("student", "helper", str(tmp_path), "987654321"))


@pytest.mark.system
@pytest.mark.parametrize(
    ("files", "output"),
    [
        ({"agent.py": "def f(:\n"}, "did not load: line 1: invalid syntax"),
        pytest.param(
            {"notes.txt": "hello"},
            "no agent: student/ has neither agent.py nor student.py",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_gradescope_is_told_why_a_submission_gets_no_points(files: dict[str, str], output: str, tmp_path: Path) -> None:
    results, _ = grade_on_gradescope(tmp_path, files)
    assert (results["score"], results["output"], results["leaderboard"]) == (0, output, [])


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", "--gradescope: the class file has no grades"),
        ("grade: {random: 0, exact: 100}\n", "--gradescope: submissions has 2 submissions: expected 1"),
    ],
)
def test_gradescope_needs_grades_and_one_submission(
    more: str, expected: str, sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "submissions").mkdir()
    for name in ("ann", "ben"):
        (tmp_path / "submissions" / f"{name}.py").write_text(agent("cells[0]"))
    said = run_class(sweepstakes, tmp_path, more, "--gradescope", "results.json")
    assert (said.code, said.err.count("\n")) == (2, 1), said.err
    assert expected in said.err
