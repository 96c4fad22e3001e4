"""Classes of agents in tournaments: their source is sent to the process in which they play, and stored with the run."""

from __future__ import annotations

import functools
import linecache
import shutil
import sys
from math import inf as unlimited
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from sweepstakes import Agent, Cell, ConfigError, Turn, View, open_run
from sweepstakes.hosting.describing import read_imports
from sweepstakes.plugins.agents.basic import Basic
from sweepstakes.registry.loading import load_plugin
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.tournaments import Tournament, run_tournament
from sweepstakes.tournaments.resolve.class_text import agent_name, class_text

WEIGHTS = {"edge": 2, "corner": [3, 4.5]}
ARRAY = np.arange(3)


@functools.cache
def depth(rows: int, cols: int, row: int, col: int) -> int:
    return WEIGHTS["edge"] * min(row, col, rows - 1 - row, cols - 1 - col)  # type: ignore[operator]


class Base(Agent):
    """Opens the covered cell that `value` likes best."""

    def value(self, view: View, cell: Cell) -> float:
        raise NotImplementedError

    def act(self, view: View) -> Turn:
        return Turn(open=[min(view.covered(), key=lambda cell: self.value(view, cell))], why="random")


class EdgeFirst(Base):
    """Opens the covered cell nearest to the border."""

    def __init__(self, sign: int = 1) -> None:
        self.sign = sign

    def value(self, view: View, cell: Cell) -> float:
        return min(self.sign * depth(view.rows, view.cols, *cell), unlimited)


class Named(EdgeFirst):
    """Has no method of its own."""

    version = 3


class Unwritable(Base):
    def value(self, view: View, cell: Cell) -> float:
        return float(ARRAY[0])


class Basic2(Basic):
    pass


def load(text: str) -> dict[str, Any]:
    """What a plugin of this text offers, in this process."""
    source = PluginSource("file", "mine", "mine.py", text.encode().decode("latin-1"))
    return {name: factory for _, name, factory in load_plugin(source).offers}


def test_the_source_of_a_class_brings_along_what_it_names_and_nothing_else() -> None:
    name, text = class_text(EdgeFirst)
    assert name == "edge-first"
    for line in ("class Base(Agent):", "@functools.cache", f"WEIGHTS = {WEIGHTS!r}"):
        assert line in text
    assert "unlimited = float('inf')" in text
    for word in ("ARRAY", "Named", "pytest", "numpy"):
        assert word not in text
    agent = load(text)["edge-first"](sign=-1)
    view = View.parse("3 3 1\n...\n...\n...")
    assert [tuple(cell) for cell in agent.act(view).open] == [(1, 1)]
    assert class_text(EdgeFirst) == (name, text), "the same class is the same text"


def test_a_class_without_a_method_is_found_too() -> None:
    text = class_text(Named).text
    assert text.count("class Named(EdgeFirst):") == 1
    assert load(text)["named"].version == 3


@pytest.mark.parametrize(
    ("name", "expected"),
    [("EdgeFirst", "edge-first"), ("A2CAgent", "a2-c-agent"), ("DQN", "dqn"), ("My_Agent", "my_agent"), ("Ä", "agent")],
)
def test_an_agent_is_called_by_its_class(name: str, expected: str) -> None:
    assert agent_name(type(name, (), {})) == expected


def test_what_cannot_be_sent_to_another_process_is_named() -> None:
    with pytest.raises(ConfigError, match=r"class Unwritable: Unwritable uses 'ARRAY', a ndarray, which cannot be"):
        class_text(Unwritable)

    class Inside(Base):
        pass

    with pytest.raises(ConfigError, match="expected a class at the top level of a notebook or file"):
        class_text(Inside)
    made = type("Made", (Base,), {"__module__": __name__})
    with pytest.raises(ConfigError, match="class Made: its source cannot be found: put it into a file"):
        class_text(made)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs cells as a notebook does: in one module without a file, each cell with lines of its own."""
    module = ModuleType("notebook_of_a_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    files: list[str] = []

    def run(cell: str) -> ModuleType:
        file = f"<cell {len(files)}>"
        files.append(file)
        linecache.cache[file] = (len(cell), None, cell.splitlines(keepends=True), file)
        exec(compile(cell, file, "exec", dont_inherit=True), vars(module))
        return module

    yield run
    for file in files:
        linecache.cache.pop(file, None)


CELL = """\
from sweepstakes import Agent, Turn
import numpy as np


def first(view):
    return view.covered()[PLACE]


PLACE = 0


class Mine(Agent):
    def act(self, view):
        return Turn(open=[first(view)], why="random")


class Same(Mine):
    depth = 3
"""


def test_a_class_of_a_notebook_is_that_of_the_cell_that_was_run_last(notebook: Any) -> None:
    space = notebook(CELL)
    first = class_text(space.Same).text
    assert "depth = 3" in first
    assert "numpy" not in first
    space = notebook("class Mine(Agent):\n    def act(self, view):\n        return Turn()\n")
    assert "return Turn()" in class_text(space.Mine).text
    notebook("class Same(Mine):\n    depth = 4\n")
    assert "depth = 4" in class_text(space.Same).text
    assert "PLACE" not in class_text(space.Same).text


def test_classes_play_beside_names_and_the_run_keeps_their_source(tmp_path: Path) -> None:
    data = {
        "executor": "serial",
        "boards": "6x6/6",
        "games": 12,
        "agents": [Basic, EdgeFirst, {"agent": EdgeFirst, "sign": -1, "as": "inner"}],
        "scores": ["turns"],
    }
    standings = run_tournament(data, agents=[Named, "random"], out=tmp_path / "run")
    labels = {line.agent for line in standings.tables[0].standings}
    assert labels == {"basic", "edge-first", "inner", "named", "random"}
    assert not any(line.faults for line in standings.tables[0].standings)
    shutil.move(tmp_path / "run", tmp_path / "moved")
    run = open_run(tmp_path / "moved")
    assert run.agents[0].version == "v1", "a built-in class is the built-in agent"
    assert (
        run.agents[1].version
        == PluginSource.of_file(next((tmp_path / "moved" / "agents").glob("edge*")), read_imports).version
    )
    games = run.games
    same = [games["turns"][games["agent"] == label].tolist() for label in ("edge-first", "named")]
    assert same[0] == same[1]
    replay = run.replay("inner", 1, 11)
    assert replay.mismatch == ""
    assert replay.frames[1].cells("open") == [Cell(2, 2)]


def test_a_changed_class_plays_again_and_the_games_of_the_earlier_one_are_kept(notebook: Any, tmp_path: Path) -> None:
    data = {"executor": "serial", "boards": "4x4/3", "games": 2, "scores": ["turns"]}
    run_tournament(data, agents=[notebook(CELL).Mine], out=tmp_path)
    before = sorted((tmp_path / "agents").iterdir())
    run_tournament(data, agents=[notebook(CELL.replace("PLACE = 0", "PLACE = -1")).Mine], out=tmp_path)
    assert set(before) < set((tmp_path / "agents").iterdir())
    with open_run(tmp_path) as run:
        opened = [run.replay(name, 1, 1).frames[1].cells("open") for name in ("mine", "mine@1")]
    assert opened == [[Cell(3, 3)], [Cell(0, 0)]]


def test_a_class_is_added_to_a_model_and_to_a_preset() -> None:
    model = Tournament.model_validate({"executor": "serial", "boards": "4x4/3", "games": 2, "agents": "random"})
    standings = run_tournament(model, agents=["basic"])
    assert {line.agent for line in standings.tables[0].standings} == {"random", "basic"}


def test_wrong_agents_get_one_clear_line(notebook: Any, tmp_path: Path) -> None:
    data = {"boards": "4x4/3", "games": 2}
    wrong: list[tuple[Any, str]] = [
        (int, "is not an agent: expected a subclass of Agent"),
        (3, "expected"),
        (notebook(CELL.replace("Mine", "Random")).Random, "'random' is a built-in agent: give the class another name"),
    ]
    for agent, expected in wrong:
        with pytest.raises(ConfigError) as error:
            run_tournament(data, agents=[agent], out=tmp_path / "run")
        assert expected in str(error.value)
    with pytest.raises(ConfigError, match="no tournament 'quik'"):
        run_tournament("quik", agents=["basic"])


def test_standings_show_themselves() -> None:
    data = {"name": "shown", "boards": ["4x4/3", "5x5/3"], "games": 3, "agents": ["random", "basic"]}
    standings = run_tournament(data | {"executor": "serial"})
    assert repr(standings).startswith("<Standings of shown: 2 agents, 2 conditions, 6 boards; ")
    assert str(standings).startswith("| rank | agent ")
    html = standings._repr_html_()
    assert html.count("<table>") == html.count("</table>") == 2
    for table in standings.tables:
        for line in table.standings:
            columns = standings.columns()
            rows = (columns["condition"] == table.condition) & (columns["agent"] == line.agent)
            assert columns["rank"][rows].tolist() == [line.rank]
            for score, interval in zip(standings.scores, line.scores, strict=True):
                found = [columns[f"{score.name}{end}"][rows].item() for end in ("", "_low", "_high")]
                assert found == list(interval)
    pairs = standings.pairs()
    assert pairs["better"].tolist() == [table.pairs[0].better for table in standings.tables]
    assert pairs["difference"].tolist() == [table.pairs[0].difference.mean for table in standings.tables]
