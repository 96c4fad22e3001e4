"""Two agents on the boards that both have played."""

from __future__ import annotations

import math
import shlex
import sqlite3
from collections.abc import Callable
from contextlib import closing
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sweepstakes import ConfigError, PluginError, RunError, Score, compare, open_run
from sweepstakes.game.result import GameResult
from sweepstakes.leaderboards.publish import publish
from sweepstakes.tournaments import run_tournament

Terminal = Callable[..., Any]
DATA: dict[str, Any] = {
    "executor": "serial",
    "name": "two",
    "seed": 9,
    "games": 30,
    "boards": ["6x6/6", "8x8@0.2"],
    "agents": ["random", "basic", "exact"],
    "scores": ["win", "identified", "detonated"],
}
AGENT = """\
from sweepstakes import Agent, Turn, hookimpl


class Mine(Agent):
    def act(self, view):
        return Turn(open=[view.covered()[PLACE]], why="random")


@hookimpl
def sweepstakes_agents():
    return {"mine": Mine}
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, what was published of it, and a second run of fewer boards with the conditions the other way round."""
    home = tmp_path_factory.mktemp("two")
    run_tournament(DATA, out=home / "run")
    with open_run(home / "run") as run:
        publish(run, home / "published", with_plots=False)
    other = DATA | {"games": 20, "boards": ["8x8@0.2", "5x5/4", "6x6/6"], "agents": ["basic", "chain"]}
    run_tournament(other, out=home / "other")
    return home


def scores_of(run: Path, agent: str, condition: str, name: str) -> dict[int, float]:
    with open_run(run) as opened:
        score = opened.make("score", name)
        labels = [c.label for c in opened.conditions]
        numbers, _, results = opened.results(labels.index(condition), opened.agent_place(agent))
        return {number: score(result) for number, result in zip(numbers, results, strict=True)}


@pytest.mark.parametrize("score", ["win", "identified", "detonated"])
def test_the_difference_is_that_of_the_boards(home: Path, score: str) -> None:
    found = compare(home / "run", "exact", "basic", score=score)
    both = [
        (scores_of(home / "run", "exact", label, score)[k], scores_of(home / "run", "basic", label, score)[k])
        for label in ("6x6/6", "8x8 at 0.2")
        for k in range(30)
    ]
    differences = np.array([one - two for one, two in both])
    assert np.allclose(found.boards["difference"], differences)
    sign = -1 if score == "detonated" else 1
    pair = found.overall.pair
    assert pair.difference.mean == pytest.approx(differences.mean())
    low, high = stats.t.interval(0.95, 59, differences.mean(), stats.sem(differences))
    assert (pair.difference.low, pair.difference.high) == pytest.approx((low, high))
    assert pair.better == np.count_nonzero(sign * differences > 1e-9)
    assert pair.worse == np.count_nonzero(sign * differences < -1e-9)
    assert pair.better + pair.equal + pair.worse == found.overall.boards == 60
    expected = (
        stats.binomtest(pair.better, pair.better + pair.worse).pvalue
        if score == "win"
        else stats.ttest_rel([one for one, _ in both], [two for _, two in both]).pvalue
    )
    assert pair.p_mean == pytest.approx(expected)
    assert [found.overall.first.mean, found.overall.second.mean] == pytest.approx(np.mean(both, axis=0).tolist())
    assert sum(line.boards for line in found.conditions) == 60


def test_it_agrees_with_the_tables_of_the_run(home: Path) -> None:
    standings = open_run(home / "run").standings()
    found = compare(home / "run", "random", "exact")
    for line, table in zip([found.overall, *found.conditions], standings.tables, strict=True):
        (pair,) = (each for each in table.pairs if {each.first, each.second} == {"random", "exact"})
        assert (pair.first, pair.second) == ("random", "exact")
        assert line.condition in (table.condition, table.heading)
        assert line.pair[2:6] == pair[2:6]
        means = {each.agent: each.scores[0] for each in table.standings}
        assert (line.first, line.second) == (means["random"], means["exact"])


def test_p_values_of_conditions_are_corrected_over_all_of_them(home: Path) -> None:
    found = compare(home / "run", "random", "exact", score="identified")
    raw = []
    for number in (1, 2):
        alone = compare(home / "run", "random", "exact", score="identified", condition=number)
        assert alone.overall.condition == alone.conditions[0].condition
        raw.append(alone.overall.pair.p_mean)
    corrected = [line.pair.p_mean for line in found.conditions]
    assert min(corrected) == pytest.approx(2 * min(raw))
    assert max(corrected) == pytest.approx(max(2 * min(raw), max(raw)))


def test_two_runs_are_compared_on_the_boards_that_both_have(home: Path) -> None:
    found = compare(home / "published", "exact", "chain", other=home / "other", score="identified")
    assert [line.condition for line in found.conditions] == ["6x6 with 6 mines", "8x8, mine density 0.2"]
    assert [line.boards for line in found.conditions] == [20, 20]
    for label, number, one, two, difference in zip(*found.boards.values(), strict=True):
        assert one == scores_of(home / "run", "exact", label, "identified")[number]
        assert two == scores_of(home / "other", "chain", label, "identified")[number]
        assert difference == one - two


def test_one_agent_in_two_runs_played_the_same_games(home: Path) -> None:
    found = compare(home / "run", "basic", other=home / "other")
    assert found.overall.pair.equal == found.overall.boards == 40
    assert found.deciding == ()
    assert found.first != found.second
    assert "no significant difference" in found.headline()


def test_two_versions_of_an_agent_are_told_apart(tmp_path: Path) -> None:
    data = DATA | {"boards": "5x5/5", "agents": [str(tmp_path / "mine.py")]}
    for place, run in (("0", "old"), ("-1", "new")):
        (tmp_path / "mine.py").write_text(AGENT.replace("PLACE", place))
        run_tournament(data, out=tmp_path / run)
    found = compare(tmp_path / "old", "mine", other=tmp_path / "new", score="turns")
    assert found.first.startswith("mine ")
    assert found.first != found.second
    assert found.overall.boards == 30
    assert not np.array_equal(found.boards["first"], found.boards["second"])


def test_the_deciding_boards_are_those_with_the_largest_differences_and_a_command_shows_each(
    home: Path, sweepstakes: Terminal
) -> None:
    found = compare(home / "run", "exact", "basic", score="identified", most=7)
    sizes = np.sort(np.abs(found.boards["difference"]))[::-1]
    assert [abs(board.first - board.second) for board in found.deciding] == pytest.approx(sizes[:7].tolist())
    board = found.deciding[0]
    for agent, ending, game, command in zip(
        ("exact", "basic"), board.endings, board.games, board.commands, strict=True
    ):
        shown = sweepstakes(*shlex.split(command)[1:])
        assert shown.code == 0, shown.err
        assert shown.out.startswith(f"{agent} on {board.condition}, ")
        assert f", seed 9, board {board.number}\n" in shown.out
        assert game == shlex.split(command)[-1]
        with open_run(home / "run") as run:
            assert run.game(game).result.ending == ending
    assert len(compare(home / "run", "exact", "basic", score="win", most=1000).deciding) < 60


class Odd(Score):
    """The number of turns, if it is odd; else missing."""

    columns = ("clicks",)

    def of(self, result: GameResult) -> float:
        return float(result.turns) if result.turns % 2 else math.nan

    worst = of


def test_boards_without_the_score_are_left_out_and_counted(home: Path) -> None:
    found = compare(home / "run", "exact", "basic", score=Odd())
    assert found.score.name == "Odd"
    assert 0 < found.overall.boards < 60
    assert f"{60 - found.overall.boards} boards without Odd are left out" in found.note


def test_boards_that_only_one_has_played_do_not_count(home: Path, tmp_path: Path) -> None:
    for name in ("tournament.yaml", "games.sqlite"):
        (tmp_path / name).write_bytes((home / "run" / name).read_bytes())
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as db, db:
        db.execute("delete from games where agent = 3 and number % 3 = 0 and condition = 1")
        db.execute("delete from games where agent = 2 and condition = 2")
    found = compare(tmp_path, "basic", "exact")
    assert set(found.boards["condition"]) == {"6x6/6"}
    assert found.boards["number"].tolist() == [k for k in range(30) if k % 3]
    with pytest.raises(RunError, match="they have played no board in common"):
        compare(tmp_path, "basic", "exact", condition="8x8")


def test_the_command_prints_the_comparison(home: Path, sweepstakes: Terminal) -> None:
    said = sweepstakes("compare", str(home / "run"), "exact", "basic", "--boards", "2")
    assert said.code == 0, said.err
    assert said.out == f"{compare(home / 'run', 'exact', 'basic', most=2)}\n"
    assert "exact - basic, win % (more is better)" in said.out
    assert said.out.count("sweepstakes replay") == 4
    two = sweepstakes("compare", str(home / "run"), "basic", "--with", str(home / "other"), "--score", "turns")
    assert "turns (less is better)" in two.out
    for words, expected in {
        ("run", "exact", "basik"): "no agent 'basik' in this run (did you mean 'basic'?)",
        ("run", "exact"): "expected a second agent, or another run",
        ("run", "exact", "exact"): "cannot be compared with itself",
        ("run", "exact", "basic", "--score", "wins"): "unknown score 'wins' (did you mean 'win'?)",
        ("run", "exact", "basic", "--condition", "9x9"): "no condition contains '9x9'",
        ("nothing", "exact", "basic"): "there is no such directory",
        ("run", "exact", "--with", str(home / "nothing")): "there is no such directory",
    }.items():
        refused = sweepstakes("compare", str(home / words[0]), *words[1:])
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert expected in refused.err


def test_what_cannot_be_compared_is_refused_by_a_sentence(home: Path, tmp_path: Path) -> None:
    run_tournament(DATA | {"seed": 10, "games": 2}, out=tmp_path)
    with pytest.raises(RunError, match="all have another size, seed"):
        compare(home / "run", "basic", other=tmp_path)
    with pytest.raises(RunError, match="no condition 3 in this run: expected 1 to 2"):
        compare(home / "run", "basic", "exact", condition=3)
    with pytest.raises(ConfigError, match="cannot be compared: expected a second agent"):
        compare(home / "run", "basic")
    with pytest.raises(PluginError, match="did you mean 'win'"):
        compare(home / "run", "basic", "exact", score="wim")


def test_a_notebook_shows_it_as_tables(home: Path) -> None:
    found = compare(home / "run", "exact", "basic", score="identified")
    html = found._repr_html_()
    assert html.count("<table>") == html.count("</table>") == 2
    assert f"<caption>{escape(found.headline())}</caption>" in html
    assert repr(found) == f"<Comparison {found.headline()}>"
