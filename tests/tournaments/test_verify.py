"""Every command that reads rows finds those that differ from their games."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from unpacked import unpacked

from sweepstakes import Ending, RunError
from sweepstakes.executor import Chunk, Limits
from sweepstakes.leaderboards.publish import publish
from sweepstakes.plugins.executors.local import Local
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.workload import PlanWorkload
from sweepstakes.tournaments.storage.run_writer import RunWriter
from sweepstakes.tournaments.stored_run import open_run

Terminal = Callable[..., Any]

FAIR = {
    "name": "fair",
    "seed": 3,
    "games": 14,
    "boards": ["beginner", {"size": 6, "density": 0.2}],
    "rules": {"on_mine": "end"},
    "agents": ["random", "basic"],
    "scores": ["win", "chain-length"],
    "executor": "serial",
}
CHEAT = """
import sweepstakes.game.game
from sweepstakes import Agent, Ending, GameResult, Turn, hookimpl


def won(game):
    rows, cols, mines = game.board_ref.size
    safe = rows * cols - mines
    right = mines if game.rules.on_mine == "continue" else 0
    return GameResult(rows, cols, mines, Ending.WON, safe, right, 0, 0, 1, 1, 1, 0)


class Cheat(Agent):
    def act(self, view):
        {in_act}
        return Turn(open=view.covered()[:1]) if len(view.covered()) > 70 else Turn()


{at_import}


@hookimpl
def sweepstakes_agents():
    return {{"cheat": Cheat}}
"""
PATCH = "sweepstakes.game.game.Game.result = won"


@pytest.fixture(scope="module")
def fair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An honest run, and next to it its publication."""
    home = tmp_path_factory.mktemp("fair")
    run_tournament(FAIR, out=home / "run")
    with closing(open_run(home / "run")) as opened:
        publish(opened, home / "published", with_plots=False)
    return home


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of an agent that changes the referee of its process, when it is imported, to win every game."""
    home = tmp_path_factory.mktemp("forged")
    (home / "cheat.py").write_text(CHEAT.format(in_act="pass", at_import=PATCH))
    (home / "t.yaml").write_text("games: 13\nboards: beginner\nagents: [cheat.py]\nworkers: 1\nisolation: none\n")
    command = [sys.executable, "-m", "sweepstakes", "run", "t.yaml", "--out", "run", "--quiet"]
    subprocess.run(command, cwd=home, check=True, capture_output=True)
    return home


def rewrite(published: Path, change: Callable[[dict[str, str]], None]) -> None:
    """Change every row of a publication."""
    file = published / "games.csv.gz"
    with gzip.open(file, "rt", newline="") as old:
        rows = list(csv.DictReader(old))
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        change(row)
        writer.writerow(row)
    file.write_bytes(gzip.compress(text.getvalue().encode()))


def test_an_honest_run_and_its_publication_agree(sweepstakes: Terminal, fair: Path) -> None:
    done = sweepstakes("verify", str(fair / "run"), "--sample", "0.5", "--seed", "1", "--quiet", "--workers", "1")
    assert (done.code, done.err) == (0, "")
    assert (
        done.out
        == "the turns of 40 games repeated, 28 of 56 games played again (--seed 1): all rows and tables agree\n"
    )
    done = sweepstakes("verify", str(fair / "published"), "--sample", "1", "--quiet", "--workers", "1")
    assert (done.code, done.out) == (0, "56 of 56 games played again: all rows and tables agree\n")


@pytest.mark.system
def test_an_agent_that_changes_the_referee_is_found_by_its_kept_moves(sweepstakes: Terminal, forged: Path) -> None:
    done = sweepstakes("verify", str(forged / "run"), "--sample", "0", "--quiet", "--workers", "1")
    assert done.code == 1
    lines = done.out.splitlines()
    assert len(lines) == 11
    assert lines[0].startswith("cheat/1/0: the row says won, 71 of 71 safe cells open, 10 of 10 mines flagged")
    assert "; the turns give " in lines[0]
    assert lines[-1].endswith("10 games or agents differ")


@pytest.mark.system
def test_an_agent_that_changes_the_referee_is_found_when_it_plays_again(sweepstakes: Terminal, forged: Path) -> None:
    done = sweepstakes("verify", str(forged / "run"), "--sample", "1", "--quiet", "--workers", "1")
    assert done.code == 1
    assert [line.partition(":")[0] for line in done.out.splitlines()[:-1]] == [f"cheat/1/{n}" for n in range(13)]


def test_replay_says_that_a_row_is_not_what_the_game_was(sweepstakes: Terminal, forged: Path, fair: Path) -> None:
    done = sweepstakes("replay", str(forged / "run"), "cheat/0")
    assert done.code == 1
    assert "the row says won, 71 of 71 safe cells open" in done.out.splitlines()[-1]
    assert done.out.endswith(": the row differs from the game\n")
    done = sweepstakes("replay", str(fair / "run"), "basic/1/0")
    assert (done.code, "the row" in done.out) == (0, False)


def test_a_publication_with_every_loss_turned_into_a_win_is_found_by_all_who_read_it(
    sweepstakes: Terminal, fair: Path, tmp_path: Path
) -> None:
    shutil.copytree(fair / "published", tmp_path / "copy")
    rewrite(tmp_path / "copy", lambda row: row.update(ending=row["ending"].replace("lost", "won")))
    (tmp_path / "t.yaml").write_text((fair / "published" / "tournament.yaml").read_text())
    for words in (["leaderboard", "copy"], ["run", "t.yaml", "--from", "copy", "--quiet"]):
        done = sweepstakes(*words)
        assert (done.code, done.err.count("\n"), done.out) == (2, 1, "")
        assert re.search(r"copy/games.csv.gz: game random/1/\d+: 'won' with \d+ of 71 safe cells open", done.err)
    done = sweepstakes("verify", "copy", "--sample", "0.2", "--quiet", "--workers", "1")
    assert done.code == 1
    assert "random/1/0: the row says 'won' with " in done.out


def test_rows_that_could_be_and_are_not_are_found(sweepstakes: Terminal, fair: Path, tmp_path: Path) -> None:
    def one_guess_less(row: dict[str, str]) -> None:
        if row["guesses"] != "0":
            row["guesses"] = str(int(row["guesses"]) - 1)

    shutil.copytree(fair / "published", tmp_path / "copy")
    rewrite(tmp_path / "copy", one_guess_less)
    (tmp_path / "t.yaml").write_text((fair / "published" / "tournament.yaml").read_text())
    assert sweepstakes("leaderboard", "copy").code == 0
    done = sweepstakes("run", "t.yaml", "--from", "copy", "--quiet", "--out", "new")
    assert (done.code, done.err.count("\n"), done.out) == (2, 1, "")
    assert re.search(r"copy: no games are imported: game \w+/\d/\d+: the row says ", done.err)
    with closing(sqlite3.connect(tmp_path / "new" / "games.sqlite")) as db:
        assert db.execute("select count(*) from games").fetchone() == (0,)
    done = sweepstakes("verify", "copy", "--sample", "1", "--quiet", "--workers", "1")
    assert (done.code, "games or agents differ" in done.out.splitlines()[-1]) == (1, True)


def test_measures_are_compared_too(sweepstakes: Terminal, fair: Path, tmp_path: Path) -> None:
    def longer(row: dict[str, str]) -> None:
        measures = json.loads(row["measures"])
        row["measures"] = json.dumps({name: value + 1 for name, value in measures.items()})

    shutil.copytree(fair / "published", tmp_path / "copy")
    rewrite(tmp_path / "copy", longer)
    done = sweepstakes("verify", "copy", "--sample", "1", "--quiet", "--workers", "1")
    assert done.code == 1
    assert re.search(r"basic/1/\d+: the row says chain-[a-z]+ \d+; played again it is \d+", done.out)


def test_games_of_an_honest_publication_are_taken_over(sweepstakes: Terminal, fair: Path, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text((fair / "published" / "tournament.yaml").read_text())
    done = sweepstakes("run", "t.yaml", "--from", str(fair / "published"), "--out", "new", "--workers", "1")
    assert done.code == 0, done.err
    assert "56 games imported" in done.err
    assert (tmp_path / "new" / "leaderboard.csv").read_bytes() == (fair / "run" / "leaderboard.csv").read_bytes()


def test_what_cannot_be_verified_is_said(sweepstakes: Terminal, forged: Path, tmp_path: Path) -> None:
    shutil.copytree(forged, tmp_path / "copy")
    file = tmp_path / "copy" / "run" / "tournament.yaml"
    file.write_text(file.read_text().replace(str(forged), str(tmp_path / "copy")))
    with closing(sqlite3.connect(tmp_path / "copy" / "run" / "games.sqlite")) as db, db:
        db.execute("update games set moves = null")
    agent = tmp_path / "copy" / "cheat.py"
    agent.write_text(agent.read_text() + "\n")
    done = sweepstakes("verify", "copy/run", "--quiet", "--workers", "1")
    assert done.code == 3
    assert re.match(r"cheat: cannot be verified: it has changed since: version \w+, now \w+\n", done.out)
    assert done.out.endswith(
        "nothing differs, but not everything could be verified: no moves were kept, and no game was played again\n"
    )
    agent.unlink()
    said = sweepstakes("verify", "copy/run", "--quiet", "--workers", "1")
    assert re.match(r"cheat: cannot be verified: .*cheat\.py: there is no such file\n", said.out)


@pytest.mark.slow
def test_games_that_a_limit_ended_are_counted_apart(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\nfrom sweepstakes import Agent, Turn, hookimpl\n"
        "class Slow(Agent):\n"
        "    def act(self, view):\n"
        "        if self.rng.below(2):\n            time.sleep(60)\n"
        "        return Turn()\n"
        "@hookimpl\ndef sweepstakes_agents():\n    return {'slow': Slow}\n"
    )
    (tmp_path / "t.yaml").write_text(
        "games: 6\nboards: beginner\nagents: [slow.py]\nmoves: none\nworkers: 1\nlimits: {turn_seconds: 1}\n"
    )
    assert sweepstakes("run", "t.yaml", "--quiet", "--out", "run").code == 0
    done = sweepstakes("verify", "run", "--sample", "1", "--quiet", "--workers", "1")
    assert done.code == 3
    late = int(done.out.split()[1])
    assert 0 < late < 6
    assert done.out.splitlines() == [
        f"slow: {late} games ended by a time-out, a crash or lack of memory: they are not played again",
        f"{6 - late} of 6 games played again: nothing differs, but not everything could be verified: slow",
    ]
    done = sweepstakes("verify", "run", "--sample", "1", "--quiet", "--workers", "1", "--allow-unverified", "slow")
    assert (done.code, done.out.endswith("all rows and tables agree\n")) == (0, True)


def test_a_row_that_cannot_be_is_not_stored(tmp_path: Path) -> None:
    """Under `isolation: none` an agent can patch the referee."""
    file = tmp_path / "liar.py"
    file.write_text(
        "import sweepstakes.game.game\nfrom sweepstakes import Agent, Ending, Turn, hookimpl\n"
        "true = sweepstakes.game.game.Game.result\n"
        "def false(game):\n"
        "    result = true(game)\n"
        "    lies = [{'turns': -5}, {'opened': 10**9}, {'ending': Ending.WON}, {'fault': 7}, {}]\n"
        "    return result._replace(**lies[game.board_ref.number % 5])\n"
        "class Liar(Agent):\n"
        "    def act(self, view):\n"
        "        sweepstakes.game.game.Game.result = false\n"
        "        return Turn()\n"
        "@hookimpl\ndef sweepstakes_agents():\n    return {'liar': Liar}\n"
    )
    plan, registry = make_plan(parse({"games": 10, "boards": "beginner", "agents": [str(file)], "isolation": "none"}))
    rows = [row for rows in Local(workers=1).run(PlanWorkload(plan), [Chunk(0, 0, 0, 10)], Limits()) for row in rows]
    assert sorted(row.fixture.number for row in rows) == list(range(10))
    with closing(RunWriter(tmp_path / "run", plan, registry)) as store:
        for row in rows:
            if row.fixture.number % 5 == 4:
                store.add([row])
            else:
                with pytest.raises(RunError, match=f"^game liar/1/{row.fixture.number}: the executor reports "):
                    store.add([row])


@pytest.mark.system
@pytest.mark.parametrize("what", ["agent", "boards", "noise"])
def test_a_run_goes_on_with_the_plugins_it_began_with_and_stops_if_its_boards_change(what: str, tmp_path: Path) -> None:
    agent = tmp_path / "mine.py"
    agent.write_text(
        "from sweepstakes import Agent, Turn, hookimpl\n"
        "class Mine(Agent):\n    def act(self, view):\n        return Turn()\n"
        "@hookimpl\ndef sweepstakes_agents():\n    return {'mine': Mine}\n"
    )
    noise = tmp_path / "fog.py"
    shutil.copy(Path(__file__).parents[2] / "examples" / "fog.py", noise)
    boards = tmp_path / "boards.txt"
    boards.write_text("*..\n...\n...\n")
    data = {
        "games": 1,
        "boards": {"size": 3, "mines": 1, "source": {"file": {"path": str(boards)}}},
        "agents": [str(agent)],
        "noise": "fog",
        "plugins": [str(noise)],
    }
    plan, _ = make_plan(parse(data))
    changed = {"agent": agent, "boards": boards, "noise": noise}[what]
    changed.write_text("..*\n...\n...\n" if what == "boards" else "raise ValueError\n")
    if what == "boards":
        with pytest.raises(RunError, match="has changed since the run was started: stop and run again"):
            list(Local(workers=1).run(PlanWorkload(plan), [Chunk(0, 0, 0, 1)], Limits()))
        return
    (rows,) = Local(workers=1).run(PlanWorkload(plan), [Chunk(0, 0, 0, 1)], Limits())
    assert [row.result.ending for row in unpacked(rows)] == [Ending.GAVE_UP]
