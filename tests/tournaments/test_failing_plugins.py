"""A trusted plugin that fails: one line names it, whatever it does, and no agent is charged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HEAD = """
import sys
from sweepstakes import BoardSource, ClueNoise, MeasuredScore, Score, hookimpl
from sweepstakes.executor import Executor, Fixture
from sweepstakes.plugins.boards.uniform import Uniform
from sweepstakes.plugins.executors.serial import Serial
from sweepstakes.report import Report
"""
PLUGINS = {
    "score": """
class Bad(Score):
    def of(self, result):
        {body}
    def worst(self, result):
        return 0.0
@hookimpl
def sweepstakes_scores():
    return {{"bad": Bad}}
""",
    "measured": """
class Bad(MeasuredScore):
    name = "bad"
    needs_evidence = False
    @staticmethod
    def measure(game, turns):
        {body}
    def worst(self, result):
        return 0.0
@hookimpl
def sweepstakes_scores():
    return {{"bad": Bad}}
""",
    "noise": """
class Bad(ClueNoise):
    def likelihood(self, count, neighbours):
        {body}
@hookimpl
def sweepstakes_clue_noise():
    return {{"bad": Bad}}
""",
    "source": """
class Bad(BoardSource):
    def board(self, seed, number, size, protected):
        if number < 2:
            return Uniform().board(seed, number, size, protected)
        {body}
@hookimpl
def sweepstakes_boards():
    return {{"bad": Bad}}
""",
    "executor": """
class Bad(Executor):
    def run(self, workload, chunks, limits):
        {body}
@hookimpl
def sweepstakes_executors():
    return {{"bad": Bad}}
""",
}
KEYS = {
    "score": "scores: bad",
    "measured": "scores: bad",
    "noise": "noise: bad",
    "source": "boards: {rows: 3, cols: 3, mines: 2, source: bad}",
    "executor": "executor: bad",
}
NAMES = {
    "score": "score 'bad'",
    "measured": "score 'bad'",
    "noise": "noise 'bad'",
    "source": "board source 'bad'",
    "executor": "executor 'bad'",
}
RAISING = {
    "raise ValueError('boo')": "ValueError: boo",
    "sys.exit(3)": "SystemExit: 3",
    "raise SystemExit": "SystemExit",
    "return None": "",
}
GIVING = [
    ("score", "return 1e300", "gave 1e+300 for game"),
    ("score", "return 10**400", "gave 10000"),
    ("score", "return float('inf')", "gave inf for game"),
    ("score", "return 'many'", "gave 'many' for game"),
    ("measured", "return {'bad': 1e300}", "measured bad as 1e+300"),
    ("measured", "return {'bad': 10**400}", "raised OverflowError"),
    ("measured", "return {'other': 1}", "measured nothing that is called 'bad'"),
    ("noise", "return {count: 10**400}", "with probability 10000"),
    ("noise", "return {count: 'often'}", "with probability 'often'"),
    ("source", "return Uniform().board(seed, number, size._replace(mines=1), protected)", "made a board of 3x3/1"),
    ("executor", "return iter(())", "ended before all games were played"),
    ("executor", "yield [1, 2]", "yielded 1: expected rows of the games"),
    ("executor", "yield from Serial().run(workload, [next(iter(chunks))] * 2, limits)", "yielded game random/1/0"),
]


def write(folder: Path, kind: str, body: str, executor: str = "serial") -> None:
    (folder / "bad.py").write_text(HEAD + PLUGINS[kind].format(body=body))
    keys = {"boards": "boards: 3x3/2", "executor": f"executor: {executor}"}
    keys[KEYS[kind].partition(":")[0]] = KEYS[kind]
    lines = ["games: 3", "agents: [random, basic]", "rules: {first_click: safe}", "plugins: bad.py", *keys.values()]
    (folder / "t.yaml").write_text("\n".join(lines) + "\n")


def check(said: Any, kind: str, what: str) -> None:
    assert said.code == 2, said
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert NAMES[kind] in said.err
    assert what in said.err


@pytest.mark.parametrize("body", RAISING)
@pytest.mark.parametrize("kind", PLUGINS)
def test_a_plugin_that_raises_or_exits_is_named(
    sweepstakes: Callable[..., Any], tmp_path: Path, kind: str, body: str
) -> None:
    write(tmp_path, kind, body)
    check(sweepstakes("run", "t.yaml", "--quiet"), kind, RAISING[body])


@pytest.mark.parametrize(("kind", "body", "what"), GIVING)
def test_a_plugin_that_gives_something_impossible_is_named(
    sweepstakes: Callable[..., Any], tmp_path: Path, kind: str, body: str, what: str
) -> None:
    write(tmp_path, kind, body)
    check(sweepstakes("run", "t.yaml", "--quiet"), kind, what)


@pytest.mark.parametrize("kind", ["measured", "source"])
def test_a_plugin_that_fails_in_a_worker_is_named_and_no_agent_is_charged(
    sweepstakes: Callable[..., Any], tmp_path: Path, kind: str
) -> None:
    write(tmp_path, kind, "sys.exit(3)", executor="local")
    check(sweepstakes("run", "t.yaml", "--quiet", "--workers", "1"), kind, "raised SystemExit: 3")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("raise KeyError('who')", "report 'bad' raised KeyError: 'who'"),
        ("sys.exit()", "report 'bad' raised SystemExit"),
        ("return 7", "report 'bad' gave 7: expected text"),
    ],
)
def test_a_report_that_fails_is_named(
    finished: Path, sweepstakes: Callable[..., Any], tmp_path: Path, body: str, what: str
) -> None:
    report = f"class Bad(Report):\n    def text(self, standings):\n        {body}\n"
    (tmp_path / "bad.py").write_text(
        f"{HEAD}{report}@hookimpl\ndef sweepstakes_reports():\n    return {{'bad': Bad}}\n"
    )
    said = sweepstakes("leaderboard", str(finished / "run"), "--format", "bad", "--plugin", "bad.py")
    assert said.code == 2
    assert said.out == ""
    assert said.err == f"sweepstakes: {what}\n"


def test_an_exit_in_a_place_that_nobody_expects_is_blamed_on_the_plugin_file(
    sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    title = "    @property\n    def title(self):\n        sys.exit(0)\n"
    (tmp_path / "bad.py").write_text(
        HEAD + PLUGINS["score"].format(body="return 0.5").replace("@hookimpl", f"{title}@hookimpl")
    )
    (tmp_path / "t.yaml").write_text(
        "games: 1\nboards: 2x2/1\nagents: random\nexecutor: serial\nscores: bad\nplugins: bad.py\n"
    )
    said = sweepstakes("run", "t.yaml", "--quiet", "--out", "run")
    assert said.code == 2
    assert said.err == f"sweepstakes: plugin {tmp_path / 'bad.py'} raised SystemExit: 0\n"


def test_a_score_of_the_largest_size_can_be_tabulated(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path, "score", "return 1e100 if result.turns % 2 else -1e100")
    assert sweepstakes("run", "t.yaml", "--quiet", "--out", "run").code == 0
    json.loads((tmp_path / "run" / "leaderboard.json").read_text())


def test_a_match_names_an_executor_that_yields_something_else(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path, "executor", "yield [1, 2]")
    options = ["--boards", "3x3/2", "--executor", "bad", "--plugin", "bad.py", "--quiet"]
    check(sweepstakes("match", "random", "basic", *options), "executor", "yielded 1: expected rows of the games")
