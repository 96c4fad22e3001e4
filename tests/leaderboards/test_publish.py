"""Publishing a run: the promised files, the same bytes, and refusals of one line."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from finished_run import FINISHED

from sweepstakes import RunError
from sweepstakes.cli.main import main
from sweepstakes.leaderboards.publish import publish
from sweepstakes.leaderboards.results import read_results
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.config.loading import as_yaml, parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.resolve.playable import changed_since_played
from sweepstakes.tournaments.running.workload import PlanWorkload
from sweepstakes.tournaments.storage.run_writer import RunWriter
from sweepstakes.tournaments.stored_run import open_run

FILES = {
    "README.md",
    "leaderboard.csv",
    "leaderboard.json",
    "head-to-head.csv",
    "games.csv.gz",
    "keys.json",
    "tournament.yaml",
    "versions.json",
    "citation.md",
    "timings.csv",
    "timings.md",
}
PLOTS = {"score-density", "ranking", "head-to-head", "distribution", "time-density"}


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Command = Callable[..., Done]


@pytest.fixture
def sweepstakes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """The command line in this process, which saves starting others."""

    def call(*words: str) -> Done:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["sweepstakes", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(int(ended.value.code or 0), *capsys.readouterr())

    return call


def made(run: Path, target: Path) -> dict[str, bytes]:
    with closing(open_run(run)) as opened:
        publish(opened, target)
    return {str(p.relative_to(target)): p.read_bytes() for p in sorted(target.rglob("*")) if p.is_file()}


@pytest.fixture
def run(finished: Path) -> Path:
    return finished / "run"


@pytest.fixture(scope="module")
def published(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The publication of the run, with its plots."""
    target = tmp_path_factory.mktemp("publish") / "published"
    made(finished / "run", target)
    return target


def test_publish_writes_the_promised_files(published: Path) -> None:
    assert {path.name for path in published.iterdir() if path.is_file()} == FILES
    assert {path.name for path in (published / "plots").iterdir()} == {
        f"{p}{d}.svg" for p in PLOTS for d in ("", "-dark")
    }


def test_the_same_games_give_the_same_bytes(run: Path, published: Path, tmp_path: Path) -> None:
    again = made(run, tmp_path)
    before = {str(p.relative_to(published)): p.read_bytes() for p in sorted(published.rglob("*")) if p.is_file()}
    for files in (again, before):
        del files["versions.json"]  # which says whether the checkout has been edited
    assert again == before


def test_a_second_run_gives_the_same_page_and_tables(published: Path, tmp_path: Path) -> None:
    run_tournament(FINISHED, out=tmp_path / "run")
    again = made(tmp_path / "run", tmp_path / "to")
    for name in FILES - {"timings.csv", "timings.md", "versions.json"}:
        assert again[name] == (published / name).read_bytes(), name
    for plot in PLOTS - {"time-density"}:
        assert again[f"plots/{plot}.svg"] == (published / "plots" / f"{plot}.svg").read_bytes(), plot


def test_a_publication_can_be_made_again_from_its_own_files(published: Path, tmp_path: Path) -> None:
    before = {p.name: p.read_bytes() for p in published.iterdir() if p.is_file()}
    shutil.copytree(published, tmp_path / "copy")
    again = made(tmp_path / "copy", tmp_path / "copy")
    assert {name: again[name] for name in before} == before


def test_a_publication_that_is_published_elsewhere_keeps_its_times_and_versions(
    published: Path, tmp_path: Path
) -> None:
    again = made(published, tmp_path / "to")
    for name in ("timings.csv", "versions.json"):
        assert again[name] == (published / name).read_bytes(), name
    assert "plots/time-density.svg" in again


@pytest.mark.parametrize(("file", "text"), [("timings.csv", "agent,games\nbasic,x\n"), ("versions.json", "[1]")])
def test_a_damaged_file_of_times_or_versions_is_named(published: Path, tmp_path: Path, file: str, text: str) -> None:
    copy = Path(shutil.copytree(published, tmp_path / "copy"))
    (copy / file).write_text(text)
    with pytest.raises(RunError, match=f"{file}: not .*publish the run again"):
        made(copy, tmp_path / "to")


def test_the_page_shows_only_pictures_and_files_that_are_there(published: Path) -> None:
    for page in ("README.md", "timings.md"):
        text = (published / page).read_text()
        links = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
        assert links
        assert all((published / link).is_file() for link in links)
        assert max(len(line) for line in text.splitlines() if line.startswith("|")) <= 110


def test_a_plot_is_transparent_and_has_the_same_lines_in_other_colours_for_dark_pages(published: Path) -> None:
    light, dark = ((published / "plots" / f"ranking{d}.svg").read_text() for d in ("", "-dark"))
    assert "#ffffff" not in dark
    assert "#222222" in light
    assert "#222222" not in dark
    without_colours = [re.sub("#[0-9a-f]{6}", "", text) for text in (light, dark)]
    assert without_colours[0] == without_colours[1]


def test_svg_files_have_no_date_and_no_version(published: Path) -> None:
    for file in (published / "plots").glob("*.svg"):
        text = file.read_text()
        assert "dc:date" not in text
        assert "Matplotlib v" not in text


def test_a_reading_written_by_hand_becomes_part_of_the_page(run: Path, tmp_path: Path) -> None:
    (tmp_path / "reading.md").write_text("## Reading\n\nBasic wins; *as it should*.\n")
    page = made(run, tmp_path)["README.md"].decode()
    assert "## Reading\n\nBasic wins; *as it should*.\n" in page
    assert (tmp_path / "reading.md").read_text() == "## Reading\n\nBasic wins; *as it should*.\n"


def test_the_published_file_plays_the_same_games(published: Path, tmp_path: Path) -> None:
    shutil.copy(published / "tournament.yaml", tmp_path / "tournament.yaml")
    run_tournament(tmp_path / "tournament.yaml", out=tmp_path / "run")
    assert (tmp_path / "run" / "leaderboard.csv").read_bytes() == (published / "leaderboard.csv").read_bytes()


def test_the_published_file_names_no_machine(tmp_path: Path) -> None:
    agent = tmp_path / "mine.py"
    agent.write_text(
        "from sweepstakes import Agent, Turn, hookimpl\n\n\nclass First(Agent):\n    def act(self, view):\n"
        "        return Turn(open=view.covered()[:1], why='random')\n\n\n@hookimpl\ndef sweepstakes_agents():\n"
        "    return {'first': First}\n"
    )
    data = FINISHED | {"agents": ["basic", str(agent)], "boards": "beginner"}
    run_tournament(data, out=tmp_path / "run")
    files = made(tmp_path / "run", tmp_path / "to")
    config = yaml.safe_load(files["tournament.yaml"])
    assert [spec["agent"] for spec in config["agents"]] == ["basic", "agents/mine/mine.py"]
    assert "workers" not in config
    assert not any(str(tmp_path).encode() in content for content in files.values())


def test_keys_say_what_the_games_are(published: Path) -> None:
    keys = json.loads((published / "keys.json").read_text())
    with gzip.open(published / "games.csv.gz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 3 * 12
    assert {row["condition"] for row in rows} == set(keys["conditions"])
    assert {row["agent"] for row in rows} == set(keys["agents"])
    assert [line["label"] for line in keys["agents"].values()] == ["random", "basic", "exact"]


def test_times_stay_out_of_everything_that_must_be_the_same(published: Path) -> None:
    keys = (published / "leaderboard.json").read_text() + (published / "leaderboard.csv").read_text()
    assert "seconds" not in keys
    assert "ms per game" in (published / "timings.md").read_text()


def test_leaderboard_prints_runs_and_publications_alike(run: Path, published: Path, sweepstakes: Command) -> None:
    one, other = (sweepstakes("leaderboard", str(path)) for path in (run, published))
    assert one.returncode == 0, one.stderr
    assert one.stdout == other.stdout
    assert one.stdout == (run / "leaderboard.md").read_text()


def test_leaderboard_prints_one_condition_in_any_format(run: Path, sweepstakes: Command) -> None:
    done = sweepstakes("leaderboard", str(run), "--format", "csv", "--condition", "at 0.2")
    lines = list(csv.DictReader(done.stdout.splitlines()))
    assert [line["condition"] for line in lines] == ["6x6 at 0.2"] * 3


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["leaderboard", "."], "sweepstakes: .: no tournament has been run here: expected the directory of a run"),
        (["leaderboard", "nowhere"], "sweepstakes: nowhere: there is no such directory: expected the directory"),
        (["leaderboard", "RUN", "--format", "markdwon"], "sweepstakes: unknown report 'markdwon' (did you mean"),
        (
            ["leaderboard", "RUN", "--condition", "9x9"],
            "no condition contains '9x9' (conditions: 6x6, mine density 0.1; 6x6",
        ),
        (["publish", "RUN"], "sweepstakes: expected --to DIR"),
        (["publish", "RUN", "--site", "file"], "sweepstakes: file/index.html: cannot be written"),
        (["publish", "RUN", "--site", "RUN"], "is the run itself: choose another directory"),
        (["publish", "RUN", "--to", "file"], "sweepstakes: file: cannot be written"),
        (["publish", "RUN", "--to", "RUN"], "is the run itself: choose another directory"),
        (["front-page", "."], "sweepstakes: .: there are no published leaderboards here"),
    ],
)
def test_bad_input_is_answered_by_one_line(
    words: list[str], answer: str, run: Path, tmp_path: Path, sweepstakes: Command
) -> None:
    (tmp_path / "file").write_text("")
    done = sweepstakes(*(str(run) if word == "RUN" else word for word in words))
    assert done.returncode == 2
    assert answer in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def started(directory: Path, data: dict[str, Any], games: int) -> None:
    """A run that was stopped after some games."""
    plan, registry = make_plan(parse(data))
    with closing(RunWriter(directory, plan, registry)) as store:
        worker = PlanWorkload(plan).open()
        fixtures = [fixture for chunk in store.missing() for fixture in chunk.fixtures()]
        store.add([worker.play(fixture) for fixture in fixtures[:games]])
    (directory / "tournament.yaml").write_text(as_yaml(plan.config))


def test_a_run_without_a_whole_board_has_no_leaderboard(tmp_path: Path, sweepstakes: Command) -> None:
    started(tmp_path / "run", FINISHED, 0)
    done = sweepstakes("leaderboard", "run")
    assert done.returncode == 2
    assert done.stderr == "sweepstakes: run: no board has been played by every agent yet\n"


def test_an_unfinished_run_is_shown_and_not_published(tmp_path: Path, sweepstakes: Command) -> None:
    started(tmp_path / "run", FINISHED, 36)
    done = sweepstakes("leaderboard", "run")
    assert done.returncode == 0
    assert "72 games have not been played yet" in done.stderr
    with closing(open_run(tmp_path / "run")) as opened, pytest.raises(RunError, match="72 games have not been played"):
        publish(opened, tmp_path / "to")
    assert not (tmp_path / "to").exists()


def test_a_run_can_be_read_while_it_is_being_played(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    plan, registry = make_plan(parse(FINISHED))
    with closing(RunWriter(copy, plan, registry)), closing(open_run(copy)) as opened:
        assert opened.finished() == 108


def test_games_of_an_agent_that_has_changed_are_shown_and_not_published(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    entry = make_plan(parse(FINISHED))[0].entries[1]
    older = entry._replace(version="v0")
    with closing(sqlite3.connect(tmp_path / "run" / "games.sqlite")) as db, db:
        db.execute("update agents set version = 'v0', key = ? where label = 'basic'", [older.key])
        db.execute("update meta set value = replace(value, ?, ?)", [entry.key, older.key])
    with closing(open_run(tmp_path / "run")) as opened:
        assert changed_since_played(opened) == ["basic"]
        assert read_results(opened).standings.tables[0].boards == 36
        with pytest.raises(RunError, match="changed since these games were played: basic"):
            publish(opened, tmp_path / "to")
