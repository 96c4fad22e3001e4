"""One reader of run directories and of publications."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from finished_run import FINISHED

from sweepstakes import GameSetup, PositionError, RunError, open_run
from sweepstakes.executor import Fixture
from sweepstakes.game.result import COLUMNS, Ending, GameResult
from sweepstakes.game.size import Size
from sweepstakes.game.turn_codec import read_turns
from sweepstakes.hosting import sealing
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.tournaments.storage.database import SCHEMA
from sweepstakes.tournaments.stored_run import StoredRun

Terminal = Callable[..., Any]


@pytest.fixture(params=["run", "published"])
def run(request: pytest.FixtureRequest, finished: Path) -> StoredRun:
    return open_run(finished / str(request.param))


def test_a_run_and_its_publication_tell_the_same(finished: Path) -> None:
    run, published = open_run(finished / "run"), open_run(finished / "published")
    assert list(run.rows()) == list(published.rows())
    assert run.agents == published.agents
    assert run.conditions == published.conditions
    assert run.leaderboard() == published.leaderboard()
    plain = [table._replace(timings=()) for table in run.standings().tables]
    assert plain == list(published.standings().tables)


def test_a_game_is_found_by_its_name_and_set_up_again(run: StoredRun) -> None:
    stored = run.game("basic/2/3")
    assert (stored.name, stored.number, stored.agent.label) == ("basic/2/3", 3, "basic")
    assert stored.setup == GameSetup(Size(6, 6, 7), 5, 3)
    assert run.find(Fixture(1, 1, 3)) == stored
    assert stored.setup.game(run.registry).agent_seed == run.set_up(stored.fixture).agent_seed
    for name, expected in {
        "basic/2/12": "has not been played in this run",
        "basik/1/0": "did you mean 'basic'?",
        "basic/4/0": "no condition 4 in this run: expected 1 to 3",
        "basic": "expected AGENT/CONDITION/NUMBER",
    }.items():
        with pytest.raises(RunError, match=expected.replace("?", r"\?")):
            run.game(name)


def test_kept_turns_give_the_stored_result(finished: Path) -> None:
    run = open_run(finished / "run")
    kept = list(run.kept())
    assert len(kept) == 3 * 3 * 10
    for fixture, result in kept:
        stored = run.find(fixture)
        assert stored is not None
        assert stored.moves is not None
        replay = Replay.of(run.set_up(fixture), read_turns(stored.moves), result)
        assert replay.mismatch == ""
        assert len(replay.frames) == result.turns + 1
        wrong = result._replace(turns=result.turns + 1)
        assert "the turns give" in Replay.of(run.set_up(fixture), read_turns(stored.moves), wrong).mismatch


def test_an_agent_that_left_the_tournament_leaves_the_tables(tmp_path: Path) -> None:
    run_tournament(FINISHED, out=tmp_path)
    alone = run_tournament(FINISHED | {"agents": ["exact", "basic"]}, out=tmp_path)
    run = open_run(tmp_path)
    assert [entry.label for entry in run.agents] == ["exact", "basic"]
    assert run.standings().tables[0].standings == alone.tables[0].standings


def test_a_run_is_reopened_with_the_agents_that_have_joined_it(tmp_path: Path) -> None:
    run_tournament(FINISHED | {"agents": ["basic"]}, out=tmp_path)
    run = open_run(tmp_path)
    run_tournament(FINISHED | {"agents": ["basic", "random"]}, out=tmp_path)
    assert [entry.label for entry in run.reopened().agents] == ["basic", "random"]


def test_the_rows_of_a_result_read_back() -> None:
    result = GameResult(6, 6, 6, Ending.ERROR, 3, 1, 2, 0, 9, 4, 2, 1, 7, 0, "it raised", {"a": None, "b": 0.1})
    assert GameResult.from_row(result.size, result.as_row()) == result
    assert len(result.as_row()) == len(COLUMNS)
    with pytest.raises(ValueError, match="12 columns, expected 13"):
        GameResult.from_row(result.size, result.as_row()[1:])


def test_the_columns_of_a_game_stand_as_they_were() -> None:
    assert (
        "number integer not null, ending text not null, opened integer not null, right_flags integer not null, "
        "wrong_flags integer not null, detonated integer not null, turns integer not null, "
        "cells_clicked integer not null, guesses integer not null, fallbacks integer not null, clicks integer, "
        "three_bv integer, fault text not null, "
        "measures text not null,"
    ) in SCHEMA


def test_a_setup_is_the_same_game_anywhere() -> None:
    setup = GameSetup(Size(8, 8, 10), 7, 3)
    games = [setup.game(Registry(third_party=False)) for _ in range(2)]
    assert games[0].board == games[1].board
    assert str(setup) == "8x8/10 on_mine=continue first_click=any noise=exact-clues seed 7 board 3"
    assert setup.where() == games[0].where()


FOG = """\
from sweepstakes import BoardSource, ClueNoise, MeasuredScore, Registry, Score, hookimpl


class Plain(BoardSource):
    def board(self, seed, number, size, protected):
        return Registry.default().source("uniform").board(seed, number, size, protected)


class Fog(ClueNoise):
    def likelihood(self, count, neighbours):
        return {"withheld": 1.0}


class Bold(Score):
    def of(self, result):
        return float(result.detonated)

    worst = of


@hookimpl
def sweepstakes_boards():
    return {"plain": Plain}


@hookimpl
def sweepstakes_clue_noise():
    return {"fog": Fog}


@hookimpl
def sweepstakes_scores():
    return {"bold": Bold}
"""


@pytest.fixture(params=["by file", "by plugin"])
def foggy(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A tournament whose board source, noise and score are in a file next to it."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "own.py").write_text(FOG)
    source, noise, score, more = (
        ("'own.py:plain'", "'own.py'", "'own.py:bold'", "")
        if request.param == "by file"
        else ("plain", "fog", "bold", "plugins: own.py\n")
    )
    (tmp_path / "in" / "t.yaml").write_text(
        f"games: 4\nboards: {{size: 5, mines: 4, source: {source}}}\nnoise: {noise}\nscores: [win, {score}]\n"
        f"agents: [basic]\nmoves: none\nexecutor: serial\n{more}"
    )
    return tmp_path


@pytest.mark.system
def test_what_a_tournament_names_lies_beside_it_and_is_found_from_anywhere(
    foggy: Path, sweepstakes: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sweepstakes("run", "in/t.yaml", "--quiet", "--out", "run").code == 0
    (foggy / "elsewhere").mkdir()
    monkeypatch.chdir(foggy / "elsewhere")
    run = open_run(foggy / "run")
    assert run.plan.scores == ("win", "bold")
    assert [str(c.noise) for c in run.conditions] == ["fog"]
    for words in (["leaderboard"], ["verify", "--sample", "1", "--quiet"], ["replay"], ["publish", "--to", "out"]):
        said = sweepstakes(words[0], str(foggy / "run"), *words[1:])
        assert said.code == 0, said.err
    shown = sweepstakes("replay", str(foggy / "run"), "basic/1/2")
    assert shown.out.startswith("basic on 5x5 with 4 mines, plain, first click may hit a mine"), shown.err
    published = (foggy / "elsewhere" / "out" / "tournament.yaml").read_text()
    assert str(foggy) not in published
    assert str(foggy) not in (foggy / "elsewhere" / "out" / "README.md").read_text()


WRITER = """
from pathlib import Path
from sweepstakes import Agent, Turn, hookimpl

try:
    Path({marker!r}).write_text("imported where files can be written")
except OSError:
    pass

class First(Agent):
    def act(self, view):
        return Turn(open=view.covered()[:1])

@hookimpl
def sweepstakes_agents():
    return {{"first": First}}
"""


@pytest.mark.system
@pytest.mark.skipif(bool(sealing.missing()), reason="; ".join(sealing.missing()))
def test_agents_of_a_sealed_run_are_sealed_whenever_it_is_opened(tmp_path: Path, sweepstakes: Terminal) -> None:
    marker = tmp_path / "marker"
    (tmp_path / "own.py").write_text(FOG)
    (tmp_path / "first.py").write_text(WRITER.format(marker=str(marker)))
    (tmp_path / "t.yaml").write_text(
        "games: 2\nboards: 5x5/4\nnoise: own.py\nagents: [first.py, basic]\nexecutor: serial\nisolation: sealed\n"
    )
    assert sweepstakes("run", "t.yaml", "--quiet", "--out", "run").code == 0
    with open_run("run") as run:
        assert "first" not in run.registry.offers("agent"), "its file is loaded in hosts only"
    for words in (["verify", "run", "--sample", "1", "--quiet"], ["replay", "run", "first/1/0"]):
        assert sweepstakes(*words).code == 0
    assert not marker.exists()


def test_a_run_whose_plugins_are_gone_can_be_read(foggy: Path, sweepstakes: Terminal) -> None:
    assert sweepstakes("run", "in/t.yaml", "--quiet", "--out", "run").code == 0
    before = open_run("run").plan
    (foggy / "in" / "own.py").unlink()
    run = open_run("run")
    assert run.changed == {0}
    assert run.conditions[0].key == before.conditions[0].key
    assert run.game("basic/1/2").result.mines == 4
    done = sweepstakes("verify", "run", "--quiet")
    assert (done.code, "not everything could be verified" in done.out) == (3, True), done
    assert "has changed since it was played" in sweepstakes("replay", "run", "basic/1/2").err


def test_a_board_is_found_by_its_condition_and_number(run: StoredRun) -> None:
    for number in (0, 11, 5000):
        board = run.board("6x6 at 0.2", number)
        assert board == run.board(2, number) == GameSetup(Size(6, 6, 7), 5, number).game(run.registry).board
    assert run.board(1, 3) == run.replay("basic", 1, 3).board


def test_a_replay_is_found_by_its_agent_condition_and_number_also_if_no_moves_were_kept(run: StoredRun) -> None:
    for number in (0, 11):
        stored = run.game(f"exact/2/{number}")
        assert (stored.moves is None) == (number == 11 or run.file.name != "games.sqlite")
        replay = run.replay("exact", "6x6 at 0.2", number)
        assert replay.mismatch == ""
        assert replay.result == stored.result
        assert len(replay.frames) == stored.result.turns + 1


def test_wrong_names_of_boards_and_replays_get_one_clear_line(run: StoredRun) -> None:
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: run.board("6x6 at 0.4", 0), "no condition '6x6 at 0.4' in this run (did you mean '6x6 at 0."),
        (lambda: run.board(0, 0), "no condition 0 in this run: expected 1 to 3"),
        (lambda: run.board(4, 0), "no condition 4 in this run: expected 1 to 3"),
        (lambda: run.board(1.5, 0), "no condition 1.5 in this run: expected 1 to 3, or a label"),  # type: ignore[arg-type]
        (lambda: run.board(1, -1), "no board -1: expected a whole number from 0 on"),
        (lambda: run.board(1, "3"), "no board '3': expected a whole number from 0 on"),  # type: ignore[arg-type]
        (lambda: run.replay("basik", 1, 0), "no agent 'basik' in this run (did you mean 'basic'?)"),
        (lambda: run.replay("basic", 1, 12), "game basic/1/12 has not been played in this run"),
        (lambda: run.replay("basic", "6x6", 0), "no condition '6x6' in this run"),
    ]
    for call, expected in wrong:
        with pytest.raises(RunError) as error:
            call()
        assert expected in str(error.value)


def test_a_board_under_a_protected_first_click_depends_on_the_click(tmp_path: Path) -> None:
    rules = [{"first_click": "opening"}, {"first_click": "opening", "start": [0, 0]}]
    data = {"games": 3, "boards": "6x6/12", "rules": rules, "agents": ["basic"], "executor": "serial"}
    run_tournament(data, out=tmp_path)
    run = open_run(tmp_path)
    with pytest.raises(RunError, match=r"depends on the first click, which is opening: expected first=\(row, column\)"):
        run.board(1, 0)
    with pytest.raises(PositionError, match="is not on a board of 6 x 6"):
        run.board(1, 0, first=(6, 0))
    assert run.board(1, 0, first=(3, 3)).clues[3, 3] == 0
    replay = run.replay("basic", 1, 0)
    opened = replay.frames[1].cells("open")[0]
    assert run.board(1, 0, first=opened) == replay.board
    assert run.board(2, 0) == run.board(2, 0, first=(0, 0)) == run.replay("basic", 2, 0).board


def test_a_run_says_what_it_is(run: StoredRun) -> None:
    assert repr(run) == f"<StoredRun {run.directory}: 3 agents, 3 conditions, 12 boards each>"
