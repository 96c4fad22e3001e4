from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Ending, GameResult
from sweepstakes.executor import Chunk, Fixture, Row
from sweepstakes.tournaments.running.chunking import FIRST, MAX_GAMES, SECONDS, ChunkSizer

MEETING = """
import time
from pathlib import Path
from sweepstakes import Agent, Turn, hookimpl

class Meeting(Agent):
    def act(self, view):  # no turn before four games have begun
        Path("{folder}", str(time.monotonic_ns())).touch()
        while len(list(Path("{folder}").iterdir())) < 4:
            time.sleep(0.01)
        return Turn()

@hookimpl
def sweepstakes_agents():
    return {{"meeting": Meeting}}
"""


HEAVY = """
from sweepstakes import Agent, Turn, hookimpl

with open("{log}", "a") as log:
    log.write(".")

class Heavy(Agent):
    def act(self, view):
        return Turn()

@hookimpl
def sweepstakes_agents():
    return {{"heavy": Heavy}}
"""


def row(agent: int, took: float) -> Row:
    result = GameResult(2, 2, 1, Ending.LOST, 0, 0, 0, 1, 1, 1, 1, 0)
    return Row(Fixture(agent, 0, 0), result, 0.0, None, took)


def sizes(sizer: ChunkSizer, agent: int, games: int) -> list[int]:
    return [chunk.last - chunk.first for chunk in sizer.split([Chunk(agent, 0, 0, games)])]


def test_the_first_chunk_is_small_and_the_next_ones_go_by_what_games_took() -> None:
    sizer = ChunkSizer()
    chunks = sizer.split([Chunk(0, 0, 0, 10_000)])
    first = next(chunks)
    assert (first.first, first.last) == (0, FIRST)
    sizer.add([row(0, 0.01)] * FIRST)
    second = next(chunks)
    assert second.first == FIRST
    assert 0.9 * SECONDS < 0.01 * (second.last - second.first) < 1.1 * SECONDS


def test_an_agent_that_runs_into_its_limits_gets_one_game_at_a_time() -> None:
    sizer = ChunkSizer()
    sizer.add([row(0, 10.0)])
    assert sizes(sizer, 0, 3) == [1, 1, 1]


def test_agents_have_their_own_pace_and_there_is_a_most() -> None:
    sizer = ChunkSizer()
    sizer.add([row(0, 0.01), row(1, 0.0)])
    assert max(sizes(sizer, 0, 10_000)) < max(sizes(sizer, 1, 10_000)) <= MAX_GAMES
    assert sizes(sizer, 2, 5) == [FIRST] * 5


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -150e-6, -1.0])
def test_a_clock_that_an_agent_has_ruined_does_no_harm(seconds: float) -> None:
    sizer = ChunkSizer()
    sizer.add([row(0, seconds)])
    assert sum(sizes(sizer, 0, 3000)) == 3000
    assert max(sizes(sizer, 0, 3000)) <= MAX_GAMES


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 50), st.integers(0, 200))),
    st.floats(0, 1),
)
def test_nothing_is_lost_or_doubled_by_cutting(parts: list[tuple[int, int, int, int]], seconds: float) -> None:
    sizer = ChunkSizer()
    sizer.add([row(1, seconds)])
    chunks = [Chunk(agent, condition, first, first + games) for agent, condition, first, games in parts]
    games = [fixture for chunk in chunks for fixture in chunk.fixtures()]
    assert sorted(fixture for chunk in sizer.split(chunks) for fixture in chunk.fixtures()) == sorted(games)


def test_agents_take_turns_board_block_by_board_block() -> None:
    sizer = ChunkSizer()
    sizer.add([row(0, 0.0), row(1, SECONDS / 7), row(2, 0.001)])
    cut = list(sizer.split([Chunk(agent, 0, 0, 100) for agent in range(3)]))
    assert [(chunk.agent, chunk.first) for chunk in cut[:6]] == [(0, 0), (1, 0), (2, 0), (0, 8), (1, 8), (2, 8)]
    ahead = [max(c.first for c in cut[: i + 1]) - min(c.first for c in cut[i : i + 3]) for i in range(len(cut))]
    assert max(ahead) <= 8  # nobody is more than a block, which takes the slowest a quarter of a second, ahead
    assert len(cut) == 3 * 13


def test_whoever_has_less_to_play_does_not_hold_up_the_others() -> None:
    sizer = ChunkSizer()
    sizer.add([row(0, 0.001), row(1, 10.0)])
    cut = list(sizer.split([Chunk(0, 0, 0, 1000), Chunk(1, 0, 998, 1000), Chunk(0, 1, 0, 5)]))
    assert sum(chunk.last - chunk.first for chunk in cut) == 1007
    assert cut[-5:] == [Chunk(0, 1, board, board + 1) for board in range(5)]  # one condition after the other


def test_nothing_more_is_played_of_an_agent_that_is_over() -> None:
    over: set[int] = set()
    chunks = ChunkSizer(lambda agent, condition: agent in over).split([Chunk(0, 0, 0, 5), Chunk(1, 0, 0, 5)])
    assert [next(chunks).agent for _ in range(4)] == [0, 1, 0, 1]
    over.add(1)
    assert [chunk.agent for chunk in chunks] == [0, 0, 0]


def test_an_agent_is_not_started_for_every_game(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    log = tmp_path / "starts"
    (tmp_path / "heavy.py").write_text(HEAVY.format(log=log))
    (tmp_path / "t.yaml").write_text("games: 60\nboards: 2x2/1\nagents: ./heavy.py\nworkers: 1\n")
    said = sweepstakes("run", "t.yaml", "--out", "run")
    assert said.code == 0, said.err
    assert len(log.read_text()) < 30


def test_the_first_games_of_an_agent_go_to_different_workers(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "meeting.py").write_text(MEETING.format(folder=tmp_path / "here"))
    (tmp_path / "here").mkdir()
    (tmp_path / "t.yaml").write_text(
        "games: 4\nboards: 2x2/1\nagents: ./meeting.py\nworkers: 4\nlimits: {turn_seconds: 600, game_seconds: 600}\n"
    )
    said = sweepstakes("run", "t.yaml", "--out", "run")
    assert said.code == 0, said.err
    assert json.loads((tmp_path / "run" / "leaderboard.json").read_text())["tables"][0]["standings"][0]["faults"] == 0
