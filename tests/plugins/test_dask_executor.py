"""The executor `dask` on a real cluster: the same tables as `local`, whatever happens to nodes and agents."""

from __future__ import annotations

import importlib.util
import itertools
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
import yaml
from unpacked import unpacked

from sweepstakes import Ending, GameResult, RunError, SweepstakesError, open_run
from sweepstakes.executor import Chunk, Fixture, Limits, PackedRows, Row
from sweepstakes.hosting.describing import end_describing
from sweepstakes.plugins.executors.dask import Dask
from sweepstakes.plugins.executors.local import Local
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.config.loading import load, parse
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.runner import play_plan
from sweepstakes.tournaments.running.workload import Parcel, PlanWorkload
from sweepstakes.tournaments.storage.packed import Packer

if importlib.util.find_spec("distributed") is None:
    pytest.skip("distributed is not installed: pip install 'sweepstakes[dask]'", allow_module_level=True)

import cloudpickle
from dask_cluster import DaskCluster
from distributed import Client
from waiting import wait_until

from sweepstakes.plugins.executors.dask import rows as row_codec
from sweepstakes.plugins.executors.dask.lease import Lease, LeaseSizer
from sweepstakes.plugins.executors.dask.versions import difference, versions

pytestmark = pytest.mark.system

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests
TABLES = ("leaderboard.md", "leaderboard.csv", "leaderboard.json", "head-to-head.csv")
OPENER = """
from pathlib import Path
from sweepstakes import Agent, Turn, hookimpl

class Opener(Agent):
    def act(self, view):
        place = int(Path(__file__).with_name("place.txt").read_text())
        return Turn(open=[view.covered()[place]], why="random")

@hookimpl
def sweepstakes_agents():
    return {{"{name}": Opener}}
"""


NASTY = """
import ctypes, os, time
from sweepstakes import Agent, Turn, hookimpl

def eat_memory():
    kept = []
    while True:
        kept.append(bytearray(16 << 20))

def hang():
    while True:
        pass

ACTIONS = {
    "raise": lambda: 1 / 0,
    "hang-in-c": lambda: ctypes.PyDLL(None).sleep(3600),
    "exit": lambda: os._exit(7),
    "eat-memory": eat_memory,
    "hang": hang,
}

class Nasty(Agent):
    def __init__(self, action="raise"):
        self.action = action

    def act(self, view):
        if self.rng.below(3) == 0:
            ACTIONS[self.action]()
        return Turn(open=[view.covered()[0]], why="random")

@hookimpl
def sweepstakes_agents():
    return {"nasty": Nasty}
"""
"""An agent that misbehaves in about a third of its turns. It imports no compiled code: starting it is quick."""


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("nasty") / "nasty.py"
    file.write_text(NASTY)
    return str(file)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    cluster = DaskCluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.start_worker("one", wait=False)
        cluster.start_worker("two")
        with Client(cluster.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=300)
        yield cluster
    finally:
        cluster.close()


def plan(agents: list[Any], games: int = 6, **more: Any) -> Plan:
    data = {"boards": {"size": 4, "mines": 3}, "agents": agents, "games": games, "moves": "all", **more}
    return make_plan(parse(data))[0]


def chunks(plan: Plan, size: int = 2) -> Iterator[Chunk]:
    for agent in range(len(plan.entries)):
        for first in range(0, plan.config.games, size):
            yield Chunk(agent, 0, first, min(first + size, plan.config.games))


def play(executor: Dask | Local, plan: Plan, limits: Limits = Limits()) -> dict[Fixture, Row]:  # noqa: B008
    rows: dict[Fixture, Row] = {}
    for some in executor.run(PlanWorkload(plan), chunks(plan), limits):
        for row in unpacked(some):
            assert row.fixture not in rows
            rows[row.fixture] = row
    return rows


def results(rows: dict[Fixture, Row]) -> dict[Fixture, tuple[GameResult, bytes | None]]:
    return {fixture: (row.result, row.moves) for fixture, row in sorted(rows.items())}


def test_tables_and_faults_are_those_of_the_local_executor(
    cluster: DaskCluster, nasty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, folder in (
        (0, "a"),
        (-1, "b"),
    ):  # two plugins, each with a file next to it; both files have the same name
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"opener_{folder}.py").write_text(OPENER.format(name=f"opener-{folder}"))
        (tmp_path / folder / "place.txt").write_text(str(place))
    (tmp_path / "boards").mkdir()
    for name, text in (("1", "*..\n...\n..*\n"), ("2", "...\n.*.\n*..\n"), ("3", "**.\n...\n...\n")):
        (tmp_path / "boards" / f"{name}.txt").write_text(text)
    actions = ["raise", "hang-in-c", "exit", "eat-memory"]
    data: dict[str, Any] = {
        "games": 3,
        "boards": {"source": {"file": {"path": "boards"}}, "rows": 3, "cols": 3, "mines": 2},
        "agents": ["random"]
        + [{"agent": f"{folder}/opener_{folder}.py", "files": [f"{folder}/place.txt"]} for folder in "ab"]
        + [{"agent": nasty, "as": name, "action": name} for name in actions],
        "limits": {"turn_seconds": 1, "memory_mb": 64},
    }
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(data))
    pack = PlanWorkload.parcel

    def pack_and_hide(workload: PlanWorkload) -> Parcel:
        """From here on the files are on no node, which has the same disk in this test."""
        parcel = pack(workload)
        for folder in ("a", "b", "boards"):
            (tmp_path / folder).rename(tmp_path / f"gone-{folder}")
        return parcel

    monkeypatch.setattr(PlanWorkload, "parcel", pack_and_hide)
    for executor in ("local", f"dask(address={cluster.address},processes=1,lease_seconds=1)"):
        config, file = load(str(tmp_path / "mine.yaml"), {"executor": executor})
        made, registry = make_plan(config, file)
        play_plan(made, registry, tmp_path / executor[:4], workers=1 if executor == "local" else None, quiet=True)
    assert not (tmp_path / "a").exists()
    for table in TABLES:
        assert (tmp_path / "dask" / table).read_bytes() == (tmp_path / "loca" / table).read_bytes()
    with open_run(tmp_path / "dask") as run:
        faults = {str(agent): str(ending) for agent, ending in zip(run.games["agent"], run.games["ending"], strict=True)
                  if agent in actions and ending not in ("lost", "finished", "won")}  # fmt: skip
    assert faults == {"raise": "error", "hang-in-c": "time-out", "exit": "crash", "eat-memory": "memory"}


def test_the_tables_of_packed_games_are_those_of_the_local_executor_though_a_node_is_killed(
    cluster: DaskCluster, tmp_path: Path
) -> None:
    data = {
        "boards": [{"size": 4, "mines": 3}, {"size": 5, "mines": 5}],
        "agents": ["random", "basic"],
        "games": 400,
        "scores": ["win", "win-adjusted"],
    }
    (tmp_path / "packed.yaml").write_text(yaml.safe_dump(data))

    def replace_a_node() -> None:
        cluster.kill_worker("two")
        cluster.start_worker("two", wait=False)

    kill = Timer(1, replace_a_node)
    for executor in ("local", f"dask(address={cluster.address},processes=1,play_twice=0.05,lease_seconds=0.05)"):
        keep = {} if executor == "local" else {"keep_boards": 10}
        config, file = load(str(tmp_path / "packed.yaml"), {"executor": executor, **keep})
        made, registry = make_plan(config, file)
        if keep:
            kill.start()
        play_plan(made, registry, tmp_path / executor[:4], workers=1 if executor == "local" else None, quiet=True)
    kill.join()
    for table in TABLES:
        assert (tmp_path / "dask" / table).read_bytes() == (tmp_path / "loca" / table).read_bytes()
    with closing(sqlite3.connect(tmp_path / "dask" / "games.sqlite")) as db:
        assert db.execute("select count(*) from games").fetchone() == (2 * 2 * 10,)
        assert db.execute("select sum((last - first) / step) from packed").fetchone() == (2 * 2 * 390,)


def test_a_node_has_two_leases_at_most_and_one_that_is_killed_loses_no_game(cluster: DaskCluster) -> None:
    made = plan(["random"], games=1500)
    rows: dict[Fixture, Row] = {}
    killed = False
    executor = Dask(cluster.address, processes=1, play_twice=0.05, lease_seconds=0.05)
    with Client(cluster.address, set_as_default=False) as client:
        for some in executor.run(PlanWorkload(made), chunks(made, 20), Limits()):
            assert not rows.keys() & {row.fixture for row in unpacked(some)}
            rows |= {row.fixture: row for row in unpacked(some)}
            leases = client.processing()
            assert max(map(len, leases.values()), default=0) <= 2
            assert "/s" in executor.status()
            if not killed and len(rows) > 200:
                killed = True
                cluster.kill_worker("two")
                cluster.start_worker("two", wait=False)
    assert killed
    assert results(rows) == results(play(Local(1), made))


def test_closing_the_iterator_leaves_nothing_on_the_nodes(cluster: DaskCluster, nasty: str) -> None:
    made = plan(["random", {"agent": nasty, "action": "hang"}], games=20)
    batches: Any = Dask(cluster.address, processes=1).run(PlanWorkload(made), chunks(made, 1), Limits())
    with Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=300)
        next(batches)  # the next ones hang for ever: there are no limits
        assert cluster.others()
        batches.close()
        assert wait_until(lambda: not cluster.others()), cluster.others()
        assert client.run(_what_is_left) == {address: [] for address in client.nthreads()}


def _what_is_left(dask_worker: Any) -> list[str]:
    from pathlib import Path

    return list(map(str, Path(dask_worker.local_directory).glob("sweepstakes-*")))


def _forge(dask_worker: Any, name: str, column: str, value: Any) -> None:
    """Make the node of this name report other rows, until it is called with the column None."""
    from sweepstakes.plugins.executors.dask import node
    from sweepstakes.plugins.executors.dask.rows import encode_rows

    def forged(rows: Any) -> bytes:
        return encode_rows([row._replace(result=row.result._replace(**{column: value})) for row in rows])

    if dask_worker.name == name:
        vars(node)["encode_rows"] = forged if column else encode_rows


def test_forged_rows_are_refused_and_name_their_node(cluster: DaskCluster) -> None:
    made = plan(["random"], games=40)
    with Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=300)
        try:
            client.run(_forge, name="one", column="opened", value=99)
            with pytest.raises(RunError, match=r"node one \(tcp.*\) reports for game random/1/.*safe cells open"):
                play(Dask(cluster.address, processes=1, lease_seconds=0.01), made)
            client.run(_forge, name="one", column="fallbacks", value=1)  # a row that a game can have
            with pytest.raises(
                RunError, match=r"two nodes played game random/1/\d+ of agent 'random' differently"
            ) as two:
                play(Dask(cluster.address, processes=1, play_twice=1.0, lease_seconds=0.01), made)
            assert "on one (tcp" in str(two.value)
            assert "on two (tcp" in str(two.value)
        finally:
            client.run(_forge, name="one", column="", value=None)


def test_two_nodes_may_word_the_fault_of_a_game_differently(cluster: DaskCluster, tmp_path: Path) -> None:
    agent = tmp_path / "pid.py"
    agent.write_text(
        "import os\n"
        "from sweepstakes import Agent, hookimpl\n"
        "class Pid(Agent):\n"
        "    def act(self, view):\n"
        "        raise ValueError(os.getpid())\n"
        "@hookimpl\n"
        "def sweepstakes_agents():\n"
        "    return {'pid': Pid}\n"
    )
    rows = play(Dask(cluster.address, processes=1, play_twice=1.0, lease_seconds=0.01), plan([str(agent)], games=4))
    assert {row.result.ending for row in rows.values()} == {Ending.ERROR}


@pytest.mark.parametrize("repeatable", [True, False])
def test_only_games_of_repeatable_agents_are_compared(cluster: DaskCluster, tmp_path: Path, repeatable: bool) -> None:
    agent = tmp_path / "unsteady.py"
    agent.write_text(
        "import os\n"
        "from sweepstakes import Agent, Turn, hookimpl\n"
        "class Unsteady(Agent):\n"
        f"    repeatable = {repeatable}\n"
        "    def act(self, view):\n"
        "        covered = view.covered()\n"
        "        return Turn(open=[covered[os.urandom(1)[0] % len(covered)]], why='random')\n"
        "@hookimpl\n"
        "def sweepstakes_agents():\n"
        "    return {'unsteady': Unsteady}\n"
    )
    executor = Dask(cluster.address, processes=1, play_twice=1.0, lease_seconds=0.01)
    made = plan([str(agent)], games=40)
    if repeatable:  # two playings of 40 random games differ
        with pytest.raises(RunError, match="of agent 'unsteady' differently"):
            play(executor, made)
    else:
        assert len(play(executor, made)) == 40


def test_a_node_with_another_version_is_refused_by_name_and_the_others_play(
    cluster: DaskCluster, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "numpy-0.0.1.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 0.0.1\n")
    cluster.start_worker("old", python_path=str(tmp_path))
    made = plan(["random"])
    said = ""

    def until_it_is_refused() -> Iterator[Chunk]:
        nonlocal said
        for number in itertools.count():
            said += capfd.readouterr().err
            if number > 3 and "is refused" in said:
                return
            time.sleep(0.02)
            yield Chunk(0, 0, number, number + 1)

    try:
        batches = Dask(cluster.address, processes=1, lease_seconds=1e-4).run(
            PlanWorkload(made), until_it_is_refused(), Limits()
        )
        rows = [row for some in batches for row in some]
    finally:
        cluster.kill_worker("old")
    assert len({row.fixture for row in rows}) == len(rows) > 3
    assert "node old (tcp" in said
    assert f"is refused: numpy 0.0.1, expected {versions()['numpy']}" in said


def test_a_cluster_without_a_node_that_can_play_is_an_error_in_one_line(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    dispatcher = importlib.import_module("sweepstakes.plugins.executors.dask.dispatcher")
    monkeypatch.setattr(dispatcher, "versions", lambda: {"sweepstakes": "9 (00000000)"})
    with pytest.raises(RunError, match=r"no node of the cluster can play: node .* is refused: sweepstakes") as refused:
        play(Dask(cluster.address), plan(["random"]))
    assert "expected 9 (00000000)" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_node_that_cannot_make_an_agent_is_refused_and_the_agent_has_no_fault(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needy.py").write_text("import os\nos.environ['ONLY_ON_THE_CLIENT']\n" + OPENER.format(name="needy"))
    monkeypatch.setenv("ONLY_ON_THE_CLIENT", "1")
    end_describing()  # the next process that describes plugins has the variable
    made = plan([str(tmp_path / "needy.py")])
    with pytest.raises(RunError, match=r"no node of the cluster can play: .*agent 'needy'.*ONLY_ON_THE_CLIENT"):
        play(Dask(cluster.address, processes=1), made)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"processes": 0}, "processes=0: expected at least 1"),
        ({"play_twice": 1.5}, "play_twice=1.5: expected a share"),
        ({"lease_seconds": 0}, "lease_seconds=0: expected more than 0"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, Any], expected: str) -> None:
    with pytest.raises(SweepstakesError, match=expected):
        Dask(**parameters)


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = importlib.import_module("sweepstakes.plugins.executors.dask.connection")
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.2)
    with pytest.raises(RunError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9") as refused:
        play(Dask("tcp://127.0.0.1:9"), plan(["random"]))
    assert "\n" not in str(refused.value)


def row(number: int, **changes: Any) -> Row:
    result = GameResult(4, 4, 3, Ending.LOST, 5, 0, 0, 1, 3, 6, 1)._replace(**changes)
    return Row(Fixture(0, 0, number), result, 0.1, None, 0.1)


def test_rows_survive_the_way_and_every_forgery_is_refused() -> None:
    made = plan(["random"], rules={"on_mine": "end"})
    lease = [Chunk(0, 0, 0, 2)]
    good = [row(0), row(1)]
    assert row_codec.decode_rows(row_codec.encode_rows(good), lease, PlanWorkload(made)) == good
    forged: list[list[Row]] = [
        [row(0)],
        [row(0), row(0)],
        [row(0), row(1), row(2)],
        [row(0), row(1, opened=14)],
        [row(0), row(1, ending=Ending.WON)],
        [row(0), row(1, rows=5)],
        [row(0), row(1)._replace(seconds=-1.0)],
        [row(0), row(1)._replace(moves="text")],  # type: ignore[arg-type]
    ]
    for rows in forged:
        with pytest.raises(ValueError, match=r"."):
            row_codec.decode_rows(row_codec.encode_rows(rows), lease, PlanWorkload(made))
    for data in (b"", b"garbage", b"\xe9\x00\x00\x00\x00", None, row_codec.encode_rows([])):
        with pytest.raises(ValueError, match=r"."):
            row_codec.decode_rows(data, lease, PlanWorkload(made))


def test_packed_blocks_survive_the_way_and_every_forgery_is_refused() -> None:
    made = plan(["random"], rules={"on_mine": "end"}, keep_boards=1)
    workload = PlanWorkload(made)
    packer = Packer(made, partial(Registry.built_in().make, "score"))
    lease = [Chunk(0, 0, 0, 30), Chunk(0, 0, 40, 60, 2)]
    good = packer.pack([*map(row, range(30)), *map(row, range(40, 60, 2))])
    assert [type(each) for each in good] == [Row, PackedRows, PackedRows]
    assert row_codec.decode_rows(row_codec.encode_rows(good), lease, workload) == good
    split = packer.pack([*map(row, range(10)), *map(row, range(40, 60, 2))])
    split += [*packer.pack(map(row, range(20, 30))), *packer.pack(map(row, range(10, 20)))]
    assert len(row_codec.decode_rows(row_codec.encode_rows(split), lease, workload)) == 5
    one, block, other = good
    assert isinstance(block, PackedRows)
    forged: list[list[Any]] = [
        [one, block],
        [one, block, other, other],
        [one, block, *packer.pack(map(row, range(40, 60)))],
        [*good, row(1)],
        [one, block._replace(chunk=Chunk(0, 0, 1, 31)), other],
        [one, block._replace(chunk=Chunk(0, 1, 1, 30)), other],
        [one, block._replace(head="{}"), other],
        [one, block._replace(head=block.head.replace("safe-opened", "other")), other],
        [one, block._replace(took=float("nan")), other],
        [one, block._replace(scored=1.5), other],  # type: ignore[arg-type]
        [one, block._replace(data="text"), other],  # type: ignore[arg-type]
        [one, block._replace(noted=(row(40),)), other],
    ]
    for rows in forged:
        with pytest.raises(ValueError, match=r"."):
            row_codec.decode_rows(row_codec.encode_rows(rows), lease, workload)


def test_a_lease_has_the_work_of_its_seconds_and_an_unknown_agent_few_games() -> None:
    sizer = LeaseSizer(20)
    unknown = sizer.cut(iter([Chunk(0, 0, n, n + 16) for n in range(0, 1600, 16)]), 4)
    assert len(unknown) == 4
    sizer.add([row(0)])  # 0.1 s
    known = sizer.cut(iter([Chunk(0, 0, n, n + 10) for n in range(0, 100_000, 10)]), 4)
    assert sum(len(chunk.numbers) for chunk in known) == 800
    assert not Lease(known).is_check


def test_a_difference_of_versions_is_told() -> None:
    assert difference({"Python": "3.12", "numpy": "2"}, {"Python": "3.12", "numpy": "2"}) == ""
    assert difference({"Python": "3.12", "numpy": "2"}, {"Python": "3.11"}) == (
        "Python 3.11, expected 3.12; numpy is missing, expected 2"
    )
    assert set(versions()) == {"Python", "numba", "numpy", "sweepstakes"}


@pytest.mark.slow
def test_one_worker_is_killed_five_times_and_then_all_of_them(cluster: DaskCluster) -> None:
    made = plan(["random", "basic"], games=4000)
    rows: dict[Fixture, Row] = {}
    kills = 0
    for some in Dask(cluster.address, processes=1, lease_seconds=0.2).run(
        PlanWorkload(made), chunks(made, 20), Limits()
    ):
        assert not rows.keys() & {row.fixture for row in unpacked(some)}
        rows |= {row.fixture: row for row in unpacked(some)}
        if kills < 5 and len(rows) > 600 * (kills + 1):
            kills += 1
            cluster.kill_worker("two")
            cluster.start_worker("two", wait=False)
        elif kills == 5 and len(rows) > 4000:
            kills += 1
            for name in ("one", "two"):
                cluster.kill_worker(name)
            cluster.start_worker("one", wait=False)
    cluster.start_worker("two")
    assert kills == 6
    assert results(rows) == results(play(Local(2), made))


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_client_that_is_stopped_or_killed_leaves_idle_workers_and_resumes(
    cluster: DaskCluster, tmp_path: Path, how: signal.Signals
) -> None:
    data = {"games": 3000, "boards": {"size": 6, "mines": 6}, "agents": ["random", "basic"]}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(data))
    words = [sys.executable, "-m", "sweepstakes", "run", "mine.yaml", "--out", "run"]
    words += ["--executor", f"dask(address={cluster.address},processes=1,lease_seconds=0.3)"]
    client = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)

    def games() -> int:
        try:
            return int(
                sqlite3.connect(tmp_path / "run/games.sqlite").execute("select count(*) from games").fetchone()[0]
            )
        except sqlite3.Error:
            return 0

    assert wait_until(lambda: games() > 300, 120)
    client.send_signal(how)
    _, said = client.communicate(timeout=300)
    assert 300 < games() < 6000
    if how is signal.SIGINT:
        assert "stopped; to resume: sweepstakes run mine.yaml --out run" in said
        assert client.returncode == 130
        assert wait_until(lambda: not cluster.others(), 5)
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    local = [*words[:-2], "--out", "local", "--executor", "local"]
    subprocess.run(local, cwd=tmp_path, check=True, capture_output=True)
    for table in TABLES:
        assert (tmp_path / "run" / table).read_bytes() == (tmp_path / "local" / table).read_bytes()


@pytest.mark.slow
def test_without_an_address_a_cluster_on_this_machine_plays(tmp_path: Path) -> None:
    """Its worker is the child of a nanny, in which `multiprocessing.Process` starts nothing."""
    (tmp_path / "opener.py").write_text(OPENER.format(name="opener"))
    (tmp_path / "place.txt").write_text("0")
    opener = {"agent": "opener.py", "files": ["place.txt"]}
    data = {"games": 20, "boards": {"size": 4, "mines": 3}, "agents": ["random", opener]}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(data))
    for executor in ("dask", "local"):
        words = [sys.executable, "-m", "sweepstakes", "run", "mine.yaml", "--out", executor, "--executor", executor]
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    for table in TABLES:
        assert (tmp_path / "dask" / table).read_bytes() == (tmp_path / "local" / table).read_bytes()
