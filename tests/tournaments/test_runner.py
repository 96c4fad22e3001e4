"""Running tournaments: the same answer every time, and nothing lost."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stored_games import stored

from sweepstakes import Registry, RunError
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.comparison import compare
from sweepstakes.tournaments.config.loading import as_yaml, parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running import load_warning
from sweepstakes.tournaments.running.load_warning import LoadWarning
from sweepstakes.tournaments.running.runner import REPORTS, play_plan
from sweepstakes.tournaments.storage.publication_keys import KEYS, keys
from sweepstakes.tournaments.storage.published_games import FILE, write_rows
from sweepstakes.tournaments.storage.run_writer import RunWriter
from sweepstakes.tournaments.stored_run import open_run

SMALL: dict[str, Any] = {
    "executor": "serial",
    "seed": 5,
    "games": 12,
    "boards": ["beginner", {"size": 6, "density": [0.1, 0.3]}],
    "agents": ["random", "basic"],
}
Terminal = Callable[..., Any]
TABLES = [name for name in REPORTS if name != "timings.csv"]


def tables(directory: Path) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in TABLES}


def run(data: dict[str, Any], out: Path, **options: Any) -> dict[str, bytes]:
    run_tournament(data, out=out, **options)
    return tables(out)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return run(SMALL, tmp_path_factory.mktemp("reference"))


def test_two_workers_give_the_same_bytes_as_one_process(reference: dict[str, bytes], tmp_path: Path) -> None:
    assert run(SMALL | {"executor": "local"}, tmp_path, workers=2) == reference


SHUFFLED = """
import random
from sweepstakes import hookimpl
from sweepstakes.executor import Chunk
from sweepstakes.plugins.executors.serial import Serial


class Shuffled(Serial):
    def run(self, workload, chunks, limits):
        games = [Chunk(agent, condition, n, n + 1) for agent, condition, *ends in chunks for n in range(*ends)]
        random.Random(1).shuffle(games)
        yield from super().run(workload, games, limits)


@hookimpl
def sweepstakes_executors():
    return {"shuffled": Shuffled}
"""


def test_any_order_of_the_games_gives_the_same_bytes(reference: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / "shuffled.py").write_text(SHUFFLED)
    assert run(SMALL | {"executor": str(tmp_path / "shuffled.py")}, tmp_path / "run") == reference


@pytest.mark.parametrize("portion", [1, 7])
def test_tables_do_not_depend_on_how_many_boards_are_read_at_a_time(
    reference: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    monkeypatch.setattr("sweepstakes.tournaments.statistics.tally.PORTION", portion)
    assert run(SMALL, tmp_path) == reference


def test_an_agent_alone_plays_the_same_games_as_in_company(tmp_path: Path) -> None:
    together, alone = tmp_path / "together", tmp_path / "alone"
    run(SMALL, together)
    run(SMALL | {"agents": ["basic"]}, alone)
    lines = [
        list(csv.DictReader(io.StringIO((directory / "leaderboard.csv").read_text())))
        for directory in (together, alone)
    ]
    of_basic = [
        [(line["condition"], line["identified"], line["turns"]) for line in each if line["agent"] == "basic"]
        for each in lines
    ]
    assert of_basic[0] == of_basic[1] != []


def test_the_csv_has_the_promised_columns(reference: dict[str, bytes]) -> None:
    head = reference["leaderboard.csv"].decode().splitlines()[0].split(",")
    assert head[:8] == ["condition", "rows", "cols", "mines", "density", "rules", "noise", "source"]
    assert head[8:15] == ["rank", "agent", "games", "identified", "identified_low", "identified_high", "win"]


def test_nothing_prints_nan_or_inf(reference: dict[str, bytes]) -> None:
    for text in reference.values():
        assert b"nan" not in text.lower().replace(b"significantly", b"")
        assert b"inf" not in text.lower()


def test_running_again_plays_nothing_and_changes_nothing(reference: dict[str, bytes], tmp_path: Path) -> None:
    run(SMALL, tmp_path)
    before = sqlite3.connect(tmp_path / "games.sqlite").execute("select * from games").fetchall()
    assert run(SMALL, tmp_path) == reference
    assert sqlite3.connect(tmp_path / "games.sqlite").execute("select * from games").fetchall() == before


def test_more_games_and_another_agent_play_only_what_is_missing(reference: dict[str, bytes], tmp_path: Path) -> None:
    run(SMALL | {"agents": ["basic"], "games": 7}, tmp_path)
    begun = dict(
        sqlite3.connect(tmp_path / "games.sqlite").execute("select number || '/' || condition, seconds from games")
    )
    assert run(SMALL, tmp_path) == reference
    after = dict(
        sqlite3.connect(tmp_path / "games.sqlite").execute(
            "select number || '/' || condition, seconds from games join agents on id = agent where label = 'basic'"
        )
    )
    assert begun.items() <= after.items()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"seed": 6}, "the seed was 5 and is 6 now"),
        ({"rules": {"on_mine": "end"}}, "the rules of 'beginner' were"),
        ({"boards": "expert"}, "no longer has the condition 'beginner'"),
    ],
)
def test_another_tournament_in_the_same_directory_is_refused(
    change: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    run(SMALL, tmp_path)
    with pytest.raises(RunError, match=expected):
        run(SMALL | change, tmp_path)


MINE = (
    "from sweepstakes import Agent, Turn, hookimpl\n"
    "class Mine(Agent):\n    def act(self, view):\n        return Turn(open=view.covered()[:1])\n"
    "@hookimpl\ndef sweepstakes_agents():\n    return {'mine': Mine}\n"
)


def test_a_changed_agent_is_played_again_and_its_earlier_games_are_kept(tmp_path: Path) -> None:
    agent, directory = tmp_path / "mine.py", tmp_path / "run"
    data = SMALL | {"agents": [str(agent), "random"], "games": 3}
    agent.write_text(MINE)
    run(data, directory)
    first = stored(directory)
    agent.write_text(MINE.replace("[:1]", "[-1:]"))
    run(data, directory)
    second = stored(directory)
    assert second["mine@1"] == first["mine"]
    assert second["random"] == first["random"]
    assert len(second["mine"]) == len(first["mine"])
    assert "mine@1" not in (directory / "leaderboard.md").read_text()
    compared = compare(directory, "mine", "mine@1", score="turns")
    assert (compared.first, compared.second, compared.overall.boards) == ("mine", "mine@1", len(first["mine"]))
    with open_run(directory) as opened:
        assert [entry.label for entry in opened.agents] == ["mine", "random"]
        assert list(opened.earlier) == ["mine@1"]
        assert opened.replay("mine@1", 1, 0).frames
        with pytest.raises(RunError, match="no agent 'mine@2' in this run"):
            opened.including("mine@2").agent_place("mine@2")
    agent.write_text(MINE)  # back again: nothing is played, and every version keeps its number
    run(data, directory)
    assert stored(directory) == {"mine": first["mine"], "mine@2": second["mine"], "random": first["random"]}
    agent.write_text(MINE + "# a third\n")
    run(data, directory)
    third = stored(directory)
    assert (third["mine@1"], third["mine@2"]) == (first["mine"], second["mine"])


def test_other_parameters_and_other_labels_lose_no_game(tmp_path: Path) -> None:
    def play(**agents: int) -> dict[str, list[Any]]:
        named = [{"agent": "chain", "window": window, "as": label} for label, window in agents.items()]
        run(SMALL | {"agents": named, "games": 2}, tmp_path)
        return stored(tmp_path)

    first = play(a=4, b=6)
    assert play(a=6, b=4) == {"a": first["b"], "b": first["a"]}
    assert play(c=6, a=4) == {"c": first["b"], "a": first["a"]}
    assert play(a=2)["a@1"] == first["a"]


def test_a_second_process_on_the_same_run_is_refused(tmp_path: Path) -> None:
    plan, registry = make_plan(parse(SMALL))
    store = RunWriter(tmp_path, plan, registry)
    try:
        with pytest.raises(RunError, match="in use by another process"):
            play_plan(plan, registry, tmp_path, quiet=True)
    finally:
        store.close()


def test_a_damaged_store_is_answered_by_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "games.sqlite").write_bytes(b"this is no database" * 100)
    with pytest.raises(RunError, match="move it away to start from scratch"):
        run(SMALL, tmp_path)


def test_the_rows_of_a_run_or_of_a_publication_start_another(reference: dict[str, bytes], tmp_path: Path) -> None:
    data = SMALL | {"agents": ["random"]}
    run(data, tmp_path / "old")
    store = RunWriter(tmp_path / "old", *make_plan(parse(data)))
    (tmp_path / "published").mkdir()
    write_rows(store.rows(), tmp_path / "published" / FILE)
    (tmp_path / "published" / KEYS).write_text(json.dumps(keys(store.plan)))
    (tmp_path / "published" / "tournament.yaml").write_text(as_yaml(store.config))
    first = (tmp_path / "published" / FILE).read_bytes()
    write_rows(store.rows(), tmp_path / "published" / FILE)
    store.close()
    assert (tmp_path / "published" / FILE).read_bytes() == first
    for start in ("old", "published"):
        out = tmp_path / f"from-{start}"
        plan, registry = make_plan(parse(SMALL))
        play_plan(plan, registry, out, quiet=True, start=[tmp_path / start])
        assert tables(out) == reference
        taken = sqlite3.connect(out / "games.sqlite").execute("select count(*) from games where seconds is null")
        assert taken.fetchone() == (36,)


def test_starting_from_nothing_is_answered_by_a_sentence(tmp_path: Path) -> None:
    plan, registry = make_plan(parse(SMALL))
    with pytest.raises(RunError, match="there is no such directory: expected the directory of a run or of a published"):
        play_plan(plan, registry, tmp_path / "new", quiet=True, start=[tmp_path / "nowhere"])


def test_an_observer_that_raises_is_reported_once_and_stops_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    observer = tmp_path / "observer.py"
    observer.write_text(
        "from sweepstakes import hookimpl\n"
        "@hookimpl\ndef sweepstakes_game_finished(result):\n    raise ValueError('not today')\n"
    )
    run_tournament(SMALL, plugins=(str(observer),))
    assert capsys.readouterr().err.count("not today") == 1


@pytest.mark.slow
def test_a_run_killed_again_and_again_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    data = "seed: 5\ngames: 400\nboards: [{size: 9, mines: 10}, {size: 12, density: 0.2}]\nagents: [random, basic]\n"
    (tmp_path / "killed.yaml").write_text(data)
    command = [sys.executable, "-m", "sweepstakes", "run", "killed.yaml", "--quiet", "--workers", "2"]

    def start(out: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([*command, "--out", out], cwd=tmp_path, stdout=subprocess.DEVNULL)

    whole = start("whole")
    assert whole.wait(120) == 0
    chance = random.Random(7)
    seen: set[tuple[Any, ...]] = set()
    kills = 0
    while kills < 20:
        process = start("killed")
        deadline = time.monotonic() + 60
        count = len(seen)
        while process.poll() is None and len(seen) == count and time.monotonic() < deadline:
            time.sleep(chance.random() * 0.1)  # kill soon after something new was committed, or before anything was
            seen |= committed(tmp_path / "killed")
            if chance.random() < 0.02:
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
        now = committed(tmp_path / "killed")
        assert seen <= now, "a game that was committed is gone"
        seen = now
        if len(seen) == 1600:
            shutil.rmtree(tmp_path / "killed")
            seen = set()
    assert start("killed").wait(120) == 0
    assert seen <= committed(tmp_path / "killed")
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")


def committed(directory: Path) -> set[tuple[Any, ...]]:
    """Every game in the store, with its time, so that a game played twice would be another."""
    if not (directory / "games.sqlite").exists():
        return set()
    db = sqlite3.connect(directory / "games.sqlite")
    try:
        return set(db.execute("select condition, agent, number, ending, turns, seconds from games"))
    except sqlite3.OperationalError:  # killed before the tables were made
        return set()
    finally:
        db.close()


def test_standings_come_back_to_python() -> None:
    standings = run_tournament(SMALL | {"games": 3})
    assert standings.tables[0].condition == "all conditions"
    assert {line.agent for line in standings.tables[0].standings} == {"random", "basic"}
    assert standings.tables[0].boards == 9


def test_a_table_begins_with_its_game_and_its_score_in_words(sweepstakes: Terminal) -> None:
    rules = [{"on_mine": "end", "first_click": "safe"}, {"on_mine": "continue", "start": [1, 2], "flood": False}]
    standings = run_tournament(SMALL | {"games": 2, "rules": rules, "scores": ["win"]})
    text = Registry.default().make("report", "markdown").text(standings)
    line = " ".join(text.partition("\n\n")[2].partition("\n\n")[0].split())
    assert line == (
        "Safe first click, first mine ends the game; or first click may hit a mine, game continues after a mine, game "
        "begins at (1, 2), blanks do not open their neighbours. Ranked by win: games in which every safe cell was "
        "opened and no mine was set off."
    )
    assert text.index(line[:40]) < text.index("| rank")
    assert line in Registry.default().make("report", "html").text(standings)
    done = sweepstakes("run", "quick", "--games", "1", "--executor", "serial", "--out", "run")
    assert done.err.startswith(
        "quick: 24 games, first click may hit a mine, game continues after a mine; exact clues; seed"
    )
    assert "First click may hit a mine, game continues after a mine. Ranked by identified: mines flagged" in done.out


def test_a_table_has_the_fields_of_its_condition() -> None:
    boards = ["beginner", {"size": 6, "density": 0.1, "source": {"clustered": {"group": 2}}}]
    noise = [{"hidden": {"rate": 0.25}}]
    whole, level, small = run_tournament(SMALL | {"games": 2, "boards": boards, "noise": noise}).tables
    rules = "on_mine=continue first_click=any"
    assert whole.fields is None
    assert level.fields == (9, 9, 10, 0.123457, rules, "hidden(rate=0.25)", "uniform")
    assert small.fields == (6, 6, 4, 0.1, rules, "hidden(rate=0.25)", "clustered(group=2)")
    (alone,) = run_tournament(SMALL | {"games": 2, "boards": "beginner"}).tables
    assert alone.fields is not None


def test_a_score_where_less_is_better_ranks_the_other_way() -> None:
    standings = run_tournament(SMALL | {"scores": ["detonated"], "boards": "intermediate"})
    assert [line.agent for line in standings.tables[0].standings] == ["basic", "random"]
    pair = standings.tables[0].pairs[0]
    assert (pair.first, pair.second) == ("random", "basic")
    assert pair.difference.low > 0
    assert pair.better == 0


def test_the_registry_is_loaded_once_for_a_run() -> None:
    plan, registry = make_plan(parse(SMALL))
    assert isinstance(registry, Registry)
    assert plan.plugins == ()


def test_a_load_above_the_cores_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = iter([1.0, 4.0, 7.1, 7.2])
    times = iter(range(0, 1000, 6))  # every second look comes too early
    monkeypatch.setattr(load_warning, "usable_cores", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (next(loads), 0.0, 0.0))
    said: list[str] = []
    warning = LoadWarning(6, said.append, clock=lambda: next(times))
    for _ in range(12):
        warning.check()
    (line,) = said
    assert line.startswith("the load of this machine is 7.1, with 2 cores to play on: ")


def test_a_machine_that_is_busy_when_a_run_begins_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sweepstakes: Callable[..., Any]
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (999.0, 0.0, 0.0))
    (tmp_path / "t.yaml").write_text("games: 1\nboards: 4x4/3\nagents: [basic]\nexecutor: serial\n")
    assert sweepstakes("run", "t.yaml").err.count("the load of this machine is 999.0, with ") == 1
    assert "load of" not in sweepstakes("run", "t.yaml", "--out", "other", "--quiet").err
