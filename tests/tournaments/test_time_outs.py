"""After five time-outs in a row, in the order of the boards, an agent forfeits its other games under the condition."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes.game.result import COLUMNS
from sweepstakes.tournaments.time_outs import IN_A_ROW, Streak

TABLES = ("leaderboard.md", "leaderboard.csv", "leaderboard.json", "head-to-head.csv")
EXECUTOR = """
from sweepstakes import Ending, hookimpl
from sweepstakes.executor import Executor
from sweepstakes.plugins.executors.serial import Serial

class Slowly(Executor):
    '''Plays chunks `at_once` at a time. Every game of `basic` on one of the `boards` takes too long.'''

    def __init__(self, boards: str, at_once: int = 1) -> None:
        self.boards, self.at_once = eval(boards), at_once

    def run(self, workload, chunks, limits):
        chunks = iter(chunks)
        under_way = [chunk for _ in range(self.at_once) if (chunk := next(chunks, None))]
        while under_way:
            chunk = under_way.pop()  # the latest first
            rows = [row for rows in Serial().run(workload, [chunk], limits) for row in rows]
            yield [self.late(workload, row) for row in rows]
            under_way += [chunk for chunk in [next(chunks, None)] if chunk]

    def late(self, workload, row):
        if workload.title(row.fixture).startswith("basic") and row.fixture.number in self.boards:
            return workload.forfeit(row.fixture, Ending.TIME_OUT, "took more than 1 s for a turn", 1.0)
        return row

@hookimpl
def sweepstakes_executors():
    return {"slowly": Slowly}
"""


def brute_force(slow: list[bool]) -> int:
    """The number of games that count: those up to the fifth time-out in a row."""
    return next((end for end in range(IN_A_ROW, len(slow)) if all(slow[end - IN_A_ROW : end])), len(slow))


@given(st.lists(st.sampled_from([True, True, True, False]), max_size=40), st.randoms(), st.integers(1, 3))
def test_which_games_are_forfeits_does_not_depend_on_the_order_in_which_games_end(
    slow: list[bool], order: Any, step: int
) -> None:
    boards = range(2, 2 + step * len(slow), step)
    streak = Streak(boards)
    cuts = sorted({0, len(slow), *(order.randrange(len(slow) + 1) for _ in range(order.randrange(6)))})
    parts = [range(start, stop) for start, stop in pairwise(cuts)]
    order.shuffle(parts)
    late = {board for board, was_slow in zip(boards, slow, strict=True) if was_slow}
    finished = sum(streak.add(boards[part.start : part.stop], late) for part in parts)
    assert finished == len(slow)
    assert len(slow) - len(streak.rest or ()) == brute_force(slow)


@pytest.fixture
def play(sweepstakes: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    (tmp_path / "slowly.py").write_text(EXECUTOR)
    (tmp_path / "t.yaml").write_text(
        "games: 20\nboards: [2x2/1, 3x3/2]\nagents: [random, basic]\nplugins: slowly.py\nmoves: all\n"
    )

    def run(out: str, executor: str, *words: str) -> Any:
        said = sweepstakes("run", "t.yaml", "--out", out, "--executor", executor, "--quiet", *words)
        assert said.code == 0, said.err
        return said

    return run


def tables(directory: Path) -> list[bytes]:
    return [(directory / name).read_bytes() for name in TABLES]


def fault_kinds(directory: Path) -> dict[str, int]:
    faults = json.loads((directory / "leaderboard.json").read_text()).get("faults", [])
    return {line["kind"]: line["games"] for line in faults}


def endings(directory: Path) -> list[tuple[Any, ...]]:
    query = "select condition, agent, number, ending, turns, fault, moves from games order by 1, 2, 3"
    return list(sqlite3.connect(directory / "games.sqlite").execute(query))


def test_the_rest_is_forfeited_and_the_table_says_so(play: Callable[..., Any], tmp_path: Path) -> None:
    said = play("run", 'slowly(boards="range(3, 20)")')
    assert fault_kinds(tmp_path / "run") == {"time-out": 10, "forfeit after time-outs": 24}
    assert "basic: forfeit after time-outs in 24 games, the first being" in said.out
    assert "agent 'basic' forfeits: it took too long in 5 games in a row: in game 8" in said.out


@pytest.mark.parametrize("boards", ["range(20)", "range(4, 9)", "[0, 1, 2, 3, 5, 6, 7, 8, 10]", "[0, 3, 6, 9, 12]"])
def test_order_interruption_and_shards_make_no_difference(
    play: Callable[..., Any], sweepstakes: Callable[..., Any], tmp_path: Path, boards: str
) -> None:
    one = f'slowly(boards="{boards}")'
    play("single", one)
    play("parallel", f'slowly(boards="{boards}", at_once=9)')
    assert endings(tmp_path / "single") == endings(tmp_path / "parallel")
    assert tables(tmp_path / "single") == tables(tmp_path / "parallel")
    with sqlite3.connect(tmp_path / "parallel" / "games.sqlite") as db:  # as if it had been killed, with gaps
        db.execute("delete from games where number in (1, 6, 7, 11)")
    play("parallel", f'slowly(boards="{boards}", at_once=5)')
    assert endings(tmp_path / "single") == endings(tmp_path / "parallel")
    for number in (1, 2, 3):
        play(f"s.{number}", one, "--shard", f"{number}/3")
    said = sweepstakes("merge", "s.3", "s.1", "s.2", "--out", "merged")
    assert said.code == (boards == "[0, 3, 6, 9, 12]"), said.err
    if said.code:  # five in a row on the boards of one shard, which are not five in a row
        assert "forfeited after time-outs in s." in said.err
        assert "`sweepstakes run merged --out merged` plays them" in said.err
        assert sweepstakes("run", "merged", "--out", "merged", "--executor", one).code == 0
        assert sweepstakes("merge", "s.3", "s.1", "s.2", "--out", "merged").code == 0  # it can be repeated
    assert tables(tmp_path / "single") == tables(tmp_path / "merged")
    assert endings(tmp_path / "single") == endings(tmp_path / "merged")


def test_a_longer_tournament_goes_on_with_the_forfeits_and_higher_limits_take_them_back(
    play: Callable[..., Any], tmp_path: Path
) -> None:
    slow = 'slowly(boards="range(20)")'
    play("single", slow)
    play("grown", slow, "--games", "7")
    play("grown", slow)
    assert tables(tmp_path / "single") == tables(tmp_path / "grown")
    (tmp_path / "t.yaml").write_text((tmp_path / "t.yaml").read_text() + "limits: {turn_seconds: 20}\n")
    play("grown", "serial")
    assert fault_kinds(tmp_path / "grown") == {}


def test_verify_plays_the_time_outs_again_and_not_the_games_that_were_forfeited_for_them(
    play: Callable[..., Any], sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    play("run", 'slowly(boards="range(3, 20)")')
    said = sweepstakes("verify", "run", "--sample", "0.1", "--quiet")
    assert said.code == 1  # they did not time out in fact
    reported = re.findall(r"basic/(\d)/(\d+): the row says (\S+);", said.out + said.err)
    assert sorted(reported) == [(condition, str(board), "time-out") for condition in "12" for board in range(3, 8)]
    with sqlite3.connect(tmp_path / "run" / "games.sqlite") as db:
        names = [*COLUMNS, "limits", "moves"]
        forfeit = f"select {', '.join(names)} from games where agent = 2 and condition = 1 and number = 9"
        changes = ", ".join(f"{name} = ?" for name in names)
        forged = f"update games set {changes} where agent = 1 and condition = 1 and number = 9"
        db.execute(forged, db.execute(forfeit).fetchone())
    said = sweepstakes("verify", "run", "--sample", "0", "--quiet")
    assert said.code == 1
    assert "random/1/9: the row says that it was forfeited, without five time-outs" in said.out + said.err


def test_an_agent_that_hangs_in_every_game_costs_five_games(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "hang.py").write_text(
        "from sweepstakes import Agent, hookimpl\n\n\nclass Hang(Agent):\n    def act(self, view):\n"
        "        while True:\n            pass\n\n\n"
        "@hookimpl\ndef sweepstakes_agents():\n    return {'hang': Hang}\n"
    )
    (tmp_path / "t.yaml").write_text(
        "games: 1000\nboards: 2x2/1\nagents: ./hang.py\nlimits: {turn_seconds: 0.1}\nworkers: 3\n"
    )
    said = sweepstakes("run", "t.yaml", "--out", "run")
    assert said.code == 0, said.err
    assert fault_kinds(tmp_path / "run") == {"time-out": 5, "forfeit after time-outs": 995}
