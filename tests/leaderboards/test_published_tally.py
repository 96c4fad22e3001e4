"""A publication with sums in place of most games: its tables are those of all games.

`tests/formats/4/tally` is the publication of SMALL, with the games on five boards of each condition line by line,
written by an earlier version.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from base64 import b64decode, b64encode
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import RunError
from sweepstakes.leaderboards.publish import publish
from sweepstakes.leaderboards.results import read_results
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.comparison import compare
from sweepstakes.tournaments.stored_run import open_run
from sweepstakes.tournaments.verification.verify import verify

SMALL: dict[str, Any] = {
    "executor": "serial",
    "name": "small",
    "seed": 5,
    "games": 21,
    "boards": [{"size": 5, "mines": 3}, {"size": 6, "mines": 4}],
    "rules": {"on_mine": "end", "first_click": "safe"},
    "agents": ["exact", "basic", "random"],
    "scores": ["win", "safe-opened", "guesses"],
    "moves": "none",
}
TALLY = Path(__file__).parents[1] / "formats" / "4" / "tally"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("run")
    run_tournament(SMALL, out=directory)
    return directory


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TALLY, tmp_path / "kept"))


def test_the_tables_are_those_of_all_games(run: Path, kept: Path, tmp_path: Path) -> None:
    with closing(open_run(run)) as opened:
        publish(opened, tmp_path / "whole", with_plots=False)
        everything = opened.standings()
    for name in ("leaderboard.csv", "head-to-head.csv"):
        assert (kept / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    with closing(open_run(kept)) as opened:
        assert [table._replace(timings=()) for table in opened.standings().tables] == [
            table._replace(timings=()) for table in everything.tables
        ]


def test_the_lines_are_the_games_of_the_first_boards(run: Path, kept: Path) -> None:
    lines = gzip.decompress((kept / "games.csv.gz").read_bytes()).decode().splitlines()[1:]
    assert len(lines) == 30
    assert {line.split(",")[2] for line in lines} == set("01234")
    with closing(open_run(run)) as opened:
        assert {",".join(map(str, row[:3])) for row in opened.rows()} > {
            ",".join(line.split(",")[:3]) for line in lines
        }


def test_a_comparison_has_all_boards_of_the_ranking_score_and_the_kept_ones_of_others(run: Path, kept: Path) -> None:
    whole, few = compare(run, "basic", "random"), compare(kept, "basic", "random")
    assert few.overall == whole.overall
    assert few.conditions == whole.conditions
    assert [board[:4] for board in few.deciding] == [board[:4] for board in whole.deciding]
    for name in whole.boards:
        assert few.boards[name].tolist() == whole.boards[name].tolist()
    turns = compare(kept, "basic", "random", score="turns")
    assert turns.overall.boards == 10
    assert "keeps turns of the first boards only" in turns.note


def test_the_publication_can_be_made_again_from_its_own_files(kept: Path, tmp_path: Path) -> None:
    with closing(open_run(kept)) as opened:
        publish(opened, tmp_path / "again", with_plots=False)
    for name in ("tally.json", "games.csv.gz", "leaderboard.csv", "head-to-head.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (kept / name).read_bytes()
    page = (tmp_path / "again" / "README.md").read_text()
    assert "first 5 boards" in page
    assert "--to published/small --keep-boards 5 --sums" in page
    assert "[tally.json](tally.json)" in page


@pytest.mark.parametrize("packed", [False, True])
def test_sums_of_a_run_are_those_of_its_games(packed: bool, run: Path, kept: Path, tmp_path: Path) -> None:
    if packed:
        run_tournament(SMALL | {"keep_boards": 5}, out=tmp_path / "packed")
    with closing(open_run(tmp_path / "packed" if packed else run)) as opened:
        publish(opened, tmp_path / "sums", None if packed else 5, sums=True, with_plots=False)
    for name in ("games.csv.gz", "leaderboard.csv", "head-to-head.csv"):
        assert (tmp_path / "sums" / name).read_bytes() == (kept / name).read_bytes()
    one, other = (json.loads((folder / "tally.json").read_text()) for folder in (tmp_path / "sums", kept))
    other["keep"] = 30  # once a number of games, which need not be a multiple
    for agents in other["conditions"].values():
        for agent in agents.values():
            agent["understated"] = 0
    assert one == other
    assert not (tmp_path / "sums" / "packed.jsonl.gz").exists()
    digest = hashlib.sha256((tmp_path / "sums" / "tally.json").read_bytes()).hexdigest()
    assert f"tally.json: {digest}." in (tmp_path / "sums" / "citation.md").read_text().replace("\\", "")
    with closing(open_run(tmp_path / "sums")) as opened:
        assert verify(opened, sample=0, seed=1, workers=1, on_difference=pytest.fail).differing == 0


def test_sums_need_kept_boards_and_a_score_that_is_0_or_1(run: Path, tmp_path: Path) -> None:
    with closing(open_run(run)) as opened, pytest.raises(RunError, match=r"--sums needs --keep-boards N"):
        publish(opened, tmp_path / "sums", sums=True, with_plots=False)
    run_tournament(SMALL | {"scores": ["guesses", "win"]}, out=tmp_path / "guesses")
    with closing(open_run(tmp_path / "guesses")) as opened, pytest.raises(RunError, match=r"such as win, not guesses"):
        publish(opened, tmp_path / "sums", 5, sums=True, with_plots=False)
    assert not list((tmp_path / "sums").glob("*.csv"))


def test_publishing_everything_removes_the_tally(run: Path, kept: Path) -> None:
    with closing(open_run(run)) as opened:
        publish(opened, kept, with_plots=False)
    assert not (kept / "tally.json").exists()


def flip_a_kept_board(tally: dict[str, Any]) -> None:
    for agents in tally["conditions"].values():
        for agent in agents.values():
            agent["won"] = "////"
            agent["scores"]["win"] = {"n": 21, "total": "21", "squares": "21"}


def change_a_sum(tally: dict[str, Any]) -> None:
    next(iter(next(iter(tally["conditions"].values())).values()))["scores"]["win"]["total"] = "22"


def forget_a_condition(tally: dict[str, Any]) -> None:
    tally["conditions"].popitem()


def divide_by_nothing(tally: dict[str, Any]) -> None:
    next(iter(next(iter(tally["conditions"].values())).values()))["scores"]["guesses"]["total"] = "1/0"


def lose_a_board(tally: dict[str, Any]) -> None:
    tally["boards"] = 20


def shorten_the_bits(tally: dict[str, Any]) -> None:
    next(iter(next(iter(tally["conditions"].values())).values()))["won"] = "AA=="


@pytest.mark.parametrize(
    "damage",
    [flip_a_kept_board, change_a_sum, forget_a_condition, divide_by_nothing, lose_a_board, shorten_the_bits],
)
def test_a_damaged_tally_is_noticed(damage: Any, kept: Path) -> None:
    tally = json.loads((kept / "tally.json").read_text())
    damage(tally)
    (kept / "tally.json").write_text(json.dumps(tally))
    with closing(open_run(kept)) as opened, pytest.raises(RunError, match=r"tally\.json"):
        read_results(opened)


@pytest.mark.system
def test_verify_plays_games_again_of_which_only_a_bit_is_published(kept: Path) -> None:
    def check() -> tuple[int, int, list[str]]:
        said: list[str] = []
        with closing(open_run(kept)) as opened:
            report = verify(opened, sample=0.5, seed=1, workers=1, on_difference=said.append)
        return report.games, report.played_again, said

    # 15 of the 30 kept games, and 8 of the 16 other boards of each agent under each condition.
    assert check() == (126, 63, [])
    tally = json.loads((kept / "tally.json").read_text())
    for agents in tally["conditions"].values():
        for agent in agents.values():
            bits = bytes(a ^ b for a, b in zip(b64decode(agent["won"]), b"\x00\x00\xf8", strict=True))  # the last five
            won = sum(map(int.bit_count, bits))
            agent.update(won=b64encode(bits).decode())
            agent["scores"]["win"] = {"n": 21, "total": str(won), "squares": str(won)}
    (kept / "tally.json").write_text(json.dumps(tally))
    _, _, found = check()
    said = [line for line in found if "sum of" not in line]
    assert said
    assert all("tally.json says it was" in line and int(line.split("/")[2].split(":")[0]) >= 16 for line in said)
