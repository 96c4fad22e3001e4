"""A secret seed is committed to before the first game, readable nowhere until the last game, and then published."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_until

from sweepstakes import ConfigError, RunError
from sweepstakes.executor import Fixture
from sweepstakes.leaderboards.publish import publish
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.config.loading import as_yaml, parse
from sweepstakes.tournaments.plan import describe_rules
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.runner import play_plan
from sweepstakes.tournaments.running.workload import PlanWorkload
from sweepstakes.tournaments.storage.run_writer import RunWriter
from sweepstakes.tournaments.stored_run import open_run
from sweepstakes.web.data.overview import Overview

Terminal = Callable[..., Any]

DATA: dict[str, Any] = {
    "name": "hidden",
    "seed": "secret",
    "games": 6,
    "boards": [{"rows": 5, "cols": 6, "mines": 6}, "6x6/5"],
    "agents": ["random", "basic"],
    "scores": ["win"],
    "executor": "serial",
}
TABLES = ("leaderboard.csv", "head-to-head.csv")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def started(directory: Path, games: int = 10, data: dict[str, Any] = DATA) -> int:
    """A run that was stopped after some games; its seed."""
    plan, registry = make_plan(parse(data))
    with closing(RunWriter(directory, plan, registry)) as store, closing(PlanWorkload(store.plan).open()) as worker:
        fixtures = [fixture for chunk in store.missing() for fixture in chunk.fixtures()]
        store.add([worker.play(fixture) for fixture in fixtures[:games]])
    (directory / "tournament.yaml").write_text(as_yaml(plan.config))
    return int((directory / "secret-seed").read_text())


def files_with(directory: Path, seed: int) -> set[str]:
    """The files that contain the seed: its digits, or its bytes in hexadecimal or binary form."""
    forms = [str(seed).encode(), f"{seed:x}".encode(), seed.to_bytes(16, "big"), seed.to_bytes(16, "little")]
    paths = [path for path in directory.rglob("*") if path.is_file()]
    return {path.name for path in paths if any(form in path.read_bytes() for form in forms)}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a secret seed, and next to it its publication, and the same run by the seed's number."""
    home = tmp_path_factory.mktemp("ended")
    run_tournament(DATA, out=home / "run")
    run_tournament(DATA | {"seed": int((home / "run" / "secret-seed").read_text())}, out=home / "repeated")
    for name, target in (("run", "published"), ("repeated", "published-again")):
        with closing(open_run(home / name)) as opened:
            publish(opened, home / target, with_plots=False)
    return home


@pytest.fixture
def copy(ended: Path, tmp_path: Path) -> Path:
    shutil.copytree(ended, tmp_path / "copy")
    return tmp_path / "copy"


def test_the_seed_is_kept_in_a_file_of_its_owner_and_committed_to_before_the_first_game(tmp_path: Path) -> None:
    started(tmp_path / "run", games=0)
    text = (tmp_path / "run" / "secret-seed").read_text()
    assert json.loads((tmp_path / "run" / "seed.json").read_text()) == {"sha256": sha256(text)}
    assert str(int(text)) == text
    for name in ("secret-seed", "games.sqlite"):
        assert (tmp_path / "run" / name).stat().st_mode & 0o777 == 0o600
    assert not list((tmp_path / "run").glob("*.part"))


def test_seeds_are_drawn_from_128_bits(tmp_path: Path) -> None:
    seeds = {started(tmp_path / str(i), games=0) for i in range(12)}
    assert len(seeds) == 12
    assert 2**120 < max(seeds) < 2**128


def test_an_unfinished_run_has_the_seed_in_no_other_file(tmp_path: Path) -> None:
    seed = started(tmp_path / "run")
    assert files_with(tmp_path / "run", seed) == {"secret-seed"}
    with closing(sqlite3.connect(tmp_path / "run" / "games.sqlite")) as db:
        assert {row[0] for row in db.execute("select seed from conditions")} == {f"sha256:{sha256(str(seed))}"}


def test_a_fault_tells_neither_the_seed_nor_that_of_its_board(tmp_path: Path, sweepstakes: Terminal) -> None:
    (tmp_path / "broken.py").write_text(
        "from sweepstakes import Agent, hookimpl\n"
        "class Broken(Agent):\n    def act(self, view):\n        raise ValueError('no')\n"
        "@hookimpl\ndef sweepstakes_agents():\n    return {'broken': Broken}\n"
    )
    seed = started(tmp_path / "run", data=DATA | {"agents": [str(tmp_path / "broken.py")]})
    assert files_with(tmp_path / "run", seed) == {"secret-seed"}
    with closing(open_run(tmp_path / "run")) as run:
        fault = run.game("broken/1/0").result.fault
        assert fault == "agent 'broken' raised ValueError: no (line 4 of broken.py) in game 0"
        boards = [run.plan.game(Fixture(0, 0, number), run.registry).board_ref.seed for number in range(6)]
    assert not any(files_with(tmp_path / "run", board) for board in boards)
    done = [sweepstakes(*words) for words in (["leaderboard", "run"], ["replay", "run", "broken/1/0", "--plain"])]
    assert "in game 0" in done[1].out
    assert not any(str(board) in each.out + each.err for board in boards for each in done)


@pytest.mark.parametrize(
    "words", [["leaderboard", "run"], ["replay", "run", "random/1/0", "--plain"], ["replay", "run"], ["verify", "run"]]
)
def test_no_command_shows_the_seed_of_an_unfinished_run(
    words: list[str], tmp_path: Path, sweepstakes: Terminal
) -> None:
    seed = started(tmp_path / "run", games=18)
    done = sweepstakes(*words)
    assert done.code == 0, done.err
    assert str(seed) not in done.out + done.err
    if words != ["replay", "run"]:
        assert sha256(str(seed)) in " ".join((done.out + done.err).split())


def test_the_browser_gets_the_seed_after_the_last_game(ended: Path, tmp_path: Path) -> None:
    started(tmp_path / "run")
    seeds = []
    for directory in (tmp_path / "run", ended / "run", ended / "published"):
        with closing(open_run(directory)) as run:
            conditions = Overview(run, run.registry).overview()["conditions"]
            seeds.append({condition["seed"] for condition in conditions})
    text = (ended / "run" / "secret-seed").read_text()
    assert seeds == [{None}, {text}, {text}]


def test_an_unfinished_run_is_not_published(tmp_path: Path, sweepstakes: Terminal) -> None:
    started(tmp_path / "run", games=18)
    for option in ("--to", "--site"):
        done = sweepstakes("publish", "run", option, "out")
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
        assert not (tmp_path / "out").exists()


def test_a_run_whose_last_game_was_its_last_act_is_published_after_one_more_run(tmp_path: Path) -> None:
    seed = started(tmp_path / "run", games=24)
    with closing(open_run(tmp_path / "run")) as run, pytest.raises(RunError, match="its seed is still secret: run the"):
        publish(run, tmp_path / "out", with_plots=False)
    assert run_tournament(DATA, out=tmp_path / "run").on_seed.endswith(
        f"{sha256(str(seed))}, which sweepstakes verify checks."
    )


@pytest.mark.system
def test_a_killed_run_resumes_with_the_same_seed(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("games: 400\nboards: 5x5/4\nagents: [random]\nscores: [win]\nmoves: none\n")
    command = [sys.executable, "-m", "sweepstakes", "run", "t.yaml", "--seed", "secret", "--out", "run"]
    process = subprocess.Popen([*command, "--games", "3000000"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        games = tmp_path / "run" / "games.sqlite"
        assert wait_until(lambda: (tmp_path / "run" / "games.sqlite-wal").exists() and played(games))
    finally:
        process.send_signal(signal.SIGKILL)
    _, said = process.communicate(timeout=300)
    seed = int((tmp_path / "run" / "secret-seed").read_text())
    assert f"seed secret (SHA-256 {sha256(str(seed))})" in said
    assert str(seed) not in said
    assert files_with(tmp_path / "run", seed) == {"secret-seed"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert f"SHA-256 {sha256(str(seed))}" in done.stderr
    assert f"from seed {seed}." in done.stdout
    assert sha256(str(seed)) in (tmp_path / "run" / "leaderboard.md").read_text()


def played(file: Path) -> bool:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as db:
        try:
            return bool(db.execute("select count(*) from games").fetchone()[0])
        except sqlite3.Error:
            return False


def test_a_run_that_has_ended_publishes_its_seed(ended: Path) -> None:
    text = (ended / "run" / "secret-seed").read_text()
    for name in ("run", "published"):
        assert json.loads((ended / name / "seed.json").read_text()) == {"sha256": sha256(text), "seed": text}
    for file in (ended / "run" / "leaderboard.md", ended / "published" / "README.md"):
        words = " ".join(file.read_text().split())
        assert f"from seed {text}." in words
        assert sha256(text) in words
    page = (ended / "published" / "README.md").read_text()
    assert "\nsweepstakes verify .\n" in page
    assert f"seed: {text}\n" in (ended / "published" / "tournament.yaml").read_text()
    assert "seed: secret\n" in (ended / "run" / "tournament.yaml").read_text()


def test_the_seed_repeats_the_run_to_the_byte(ended: Path) -> None:
    for name in TABLES:
        assert (ended / "run" / name).read_bytes() == (ended / "repeated" / name).read_bytes()
    once, again = ((ended / name / "leaderboard.md").read_text() for name in ("run", "repeated"))
    assert once.startswith(again)
    assert once.removeprefix(again).startswith("\nThe seed was secret until the last game had been played; the SHA-256")
    for name in (*TABLES, "games.csv.gz", "keys.json", "tournament.yaml"):
        assert (ended / "published" / name).read_bytes() == (ended / "published-again" / name).read_bytes()


def test_a_publication_of_a_publication_keeps_the_commitment(ended: Path, tmp_path: Path) -> None:
    with closing(open_run(ended / "published")) as opened:
        publish(opened, tmp_path, with_plots=False)
    for name in ("seed.json", "README.md"):
        assert (tmp_path / name).read_bytes() == (ended / "published" / name).read_bytes()


def test_a_publication_in_place_of_one_with_a_secret_seed_has_no_commitment(copy: Path) -> None:
    with closing(open_run(copy / "repeated")) as opened:
        publish(opened, copy / "published", with_plots=False)
    assert not (copy / "published" / "seed.json").exists()


def test_a_run_that_has_ended_stays_as_it_is(copy: Path) -> None:
    def contents() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (copy / "run").iterdir() if path.name != "games.sqlite"}

    before = contents()
    run_tournament(DATA, out=copy / "run")
    assert contents() == before
    (copy / "run" / "secret-seed").unlink()  # which nobody needs any more
    run_tournament(DATA, out=copy / "run")
    assert (copy / "run" / "leaderboard.md").read_bytes() == before["leaderboard.md"]


@pytest.mark.parametrize("change", [{"games": 7}, {"agents": ["random", "basic", "chain"]}])
def test_a_run_whose_seed_is_published_gets_no_further_games(change: dict[str, Any], copy: Path) -> None:
    with pytest.raises(RunError, match="run has ended: its secret seed is published, so an agent can know the boards"):
        run_tournament(DATA | change, out=copy / "run")
    with closing(open_run(copy / "run")) as run:
        assert [entry.label for entry in run.agents] == ["random", "basic"]
        assert run.finished() == run.plan.games


def test_verify_compares_the_seed_with_its_commitment(ended: Path, sweepstakes: Terminal) -> None:
    text = (ended / "run" / "secret-seed").read_text()
    for name in ("run", "published"):
        done = sweepstakes("verify", str(ended / name), "--sample", "0.2", "--quiet")
        assert done.code == 0, done.err
        assert done.out.splitlines()[0] == f"the seed {text} agrees with its commitment: SHA-256 {sha256(text)}"


def forge_seed(directory: Path) -> None:
    path = directory / "seed.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"seed": "12345"}))


def forge_both(directory: Path) -> None:
    (directory / "seed.json").write_text(json.dumps({"seed": "12345", "sha256": sha256("12345")}))


def forge_yaml(directory: Path) -> None:
    path = directory / "tournament.yaml"
    lines = ["seed: 12345" if line.startswith("seed:") else line for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines))


@pytest.mark.parametrize("name", ["run", "published"])
@pytest.mark.parametrize("forge", [forge_seed, forge_both, forge_yaml])
def test_another_seed_than_the_one_committed_to_is_found(
    forge: Callable[[Path], None], name: str, copy: Path, sweepstakes: Terminal
) -> None:
    forge(copy / name)
    done = sweepstakes("verify", str(copy / name), "--quiet")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "seed" in done.err


def remove(file: Path) -> None:
    file.unlink()


def open_to_others(file: Path) -> None:
    file.chmod(0o640)


def exchange(file: Path) -> None:
    file.write_text("340282366920938463463374607431768211455")


@pytest.mark.parametrize(
    ("damage", "name", "answer"),
    [
        (remove, "secret-seed", "missing: without the secret seed no game of this run can be set up"),
        (open_to_others, "secret-seed", "others may read it (mode 640), so it is not secret"),
        (exchange, "secret-seed", "not the seed of this run: the SHA-256 of this seed is"),
        (lambda file: file.write_text("12x"), "secret-seed", "damaged: expected a decimal number below 2^128"),
        (lambda file: file.write_text("12\n\n"), "secret-seed", "damaged: expected a decimal number below 2^128"),
        (lambda file: file.write_text(str(2**128)), "secret-seed", "damaged: expected a decimal number below 2^128"),
        (lambda file: file.write_text("1" * 1000), "secret-seed", "it has more than 100 bytes"),
        (lambda file: file.write_bytes(b"\xff\0"), "secret-seed", "damaged: expected a decimal number below 2^128"),
        (lambda file: file.write_text(""), "secret-seed", "damaged: expected a decimal number below 2^128"),
        (lambda file: file.write_text("[]"), "seed.json", "damaged: expected `sha256`"),
        (lambda file: file.write_text("{"), "seed.json", "damaged: expected `sha256`"),
        (lambda file: file.write_text('{"sha256": 3}'), "seed.json", "damaged: expected `sha256`"),
    ],
)
def test_a_seed_that_is_lost_damaged_or_no_secret_is_answered_by_one_line(
    damage: Callable[[Path], object], name: str, answer: str, tmp_path: Path, sweepstakes: Terminal
) -> None:
    started(tmp_path / "run")
    (tmp_path / "t.yaml").write_text(as_yaml(parse(DATA)))
    damage(tmp_path / "run" / name)
    for words in (["run", "t.yaml", "--out", "run"], ["leaderboard", "run"], ["verify", "run"]):
        done = sweepstakes(*words)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
        assert done.err.startswith(f"sweepstakes: run/{name}: ")
        assert answer in done.err


def test_a_run_that_was_killed_between_its_two_files_goes_on(tmp_path: Path) -> None:
    seed = started(tmp_path / "run", games=0)
    (tmp_path / "run" / "seed.json").unlink()
    assert str(seed) in run_tournament(DATA, out=tmp_path / "run").footnote


def test_without_its_commitment_a_run_with_games_is_not_read(tmp_path: Path) -> None:
    started(tmp_path / "run")
    (tmp_path / "run" / "seed.json").unlink()
    with pytest.raises(RunError, match=r"seed\.json: missing: it has the commitment"):
        open_run(tmp_path / "run")


def test_a_directory_holds_a_secret_seed_or_another(tmp_path: Path) -> None:
    seed = started(tmp_path / "run")
    for other in (7, seed):  # nor does any process that knows the seed reveal it
        with pytest.raises(RunError, match=r"another tournament: the seed was secret \(SHA-256 [0-9a-f]{64}\) and is"):
            run_tournament(DATA | {"seed": other}, out=tmp_path / "run")
    run_tournament(DATA | {"seed": 7}, out=tmp_path / "open")
    with pytest.raises(RunError, match="another tournament: its seed was not secret"):
        run_tournament(DATA, out=tmp_path / "open")
    assert not (tmp_path / "open" / "secret-seed").exists()


def test_games_of_another_seed_are_not_imported(ended: Path, tmp_path: Path) -> None:
    plan, registry = make_plan(parse(DATA))
    with pytest.raises(RunError, match="no games are imported: it was not played with the secret seed of this run"):
        play_plan(plan, registry, tmp_path / "run", quiet=True, start=[ended / "published"])


def test_a_published_run_is_repeated_from_its_games(ended: Path, tmp_path: Path) -> None:
    seed = int((ended / "run" / "secret-seed").read_text())
    plan, registry = make_plan(parse(DATA | {"seed": seed}))
    play_plan(plan, registry, tmp_path / "run", quiet=True, start=[ended / "published"])
    with closing(sqlite3.connect(tmp_path / "run" / "games.sqlite")) as db:
        assert db.execute("select count(*), count(seconds) from games").fetchone() == (24, 0)
    assert (tmp_path / "run" / "leaderboard.csv").read_bytes() == (ended / "run" / "leaderboard.csv").read_bytes()


def test_a_part_of_a_run_is_imported_where_the_seed_is_the_same(tmp_path: Path) -> None:
    started(tmp_path / "one")
    (tmp_path / "two").mkdir()
    for name in ("secret-seed", "seed.json"):
        shutil.copy2(tmp_path / "one" / name, tmp_path / "two" / name)
    plan, registry = make_plan(parse(DATA))
    play_plan(plan, registry, tmp_path / "two", quiet=True, start=[tmp_path / "one"])
    with closing(sqlite3.connect(tmp_path / "two" / "games.sqlite")) as db:
        assert db.execute("select count(*) from games where seconds is null").fetchone() == (10,)


def test_without_a_run_directory_no_game_of_a_secret_seed_is_set_up() -> None:
    plan, _ = make_plan(parse(DATA))
    assert describe_rules(plan.conditions).endswith("; seed secret")
    with pytest.raises(ConfigError, match="a secret seed is drawn when a run directory is made"):
        plan.setup(Fixture(0, 0, 0))


def test_a_match_commits_to_its_seed_and_prints_it_at_the_end(sweepstakes: Terminal) -> None:
    words = ["match", "random", "basic", "--boards", "5x5/4", "--max", "40", "--executor", "serial"]
    for quiet in ([], ["--quiet"]):
        done = sweepstakes(*words, "--seed", "secret", *quiet)
        assert done.code == 0, done.err
        *verdict, last = done.out.splitlines()
        seed = last.removeprefix("the seed was ").partition(";")[0]
        assert last == f"the seed was {seed}; the SHA-256 of its decimal text is {sha256(seed)}"
        assert f"seed secret (SHA-256 {sha256(seed)})" in done.err
        assert seed not in done.err
        assert sweepstakes(*words, "--seed", seed).out.splitlines() == verdict


@pytest.mark.parametrize("seed", [2**63, 2**64 + 1, 2**128 - 1])
def test_a_seed_of_up_to_128_bits_is_kept_in_every_form(seed: int, tmp_path: Path, sweepstakes: Terminal) -> None:
    data = DATA | {"seed": seed}
    run_tournament(data, out=tmp_path / "run")
    run_tournament(data, out=tmp_path / "run")
    with pytest.raises(RunError, match=f"the seed was {seed} and is {seed - 1} now"):
        run_tournament(data | {"seed": seed - 1}, out=tmp_path / "run")
    with closing(open_run(tmp_path / "run")) as opened:
        assert {condition.seed for condition in opened.conditions} == {seed}
        publish(opened, tmp_path / "published", with_plots=False)
    with closing(open_run(tmp_path / "published")) as opened:
        assert {condition.seed for condition in opened.conditions} == {seed}
        assert opened.finished() == 24
    replayed = sweepstakes("replay", "published", "random/1/2", "--plain").out
    watched = sweepstakes("watch", "random", "--board", "5x6/6", "--seed", str(seed), "--number", "2", "--plain").out
    assert [line for line in replayed.splitlines() if line.startswith("turn")] == [
        line for line in watched.splitlines() if line.startswith("turn")
    ]
    assert sweepstakes("board", "5x6/6", "--seed", str(seed)).code == 0


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_the_seed_is_private_whatever_the_mask_of_new_files_is(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        started(tmp_path / "run", games=1)
    finally:
        os.umask(before)
    for name in ("secret-seed", "games.sqlite"):
        assert (tmp_path / "run" / name).stat().st_mode & 0o777 == 0o600
