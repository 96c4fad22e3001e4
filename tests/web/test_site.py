"""The static site: the same bytes for the same run, opened from disk."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from arena_page import Page
from conftest import serving
from starlette.staticfiles import StaticFiles

from sweepstakes import Registry, RunError, open_run
from sweepstakes.executor import Fixture
from sweepstakes.tournaments import run_tournament
from sweepstakes.web.assets import assets, modules
from sweepstakes.web.bundle import bundle
from sweepstakes.web.data.overview import Overview, score_values
from sweepstakes.web.site.site import write_site

FAULTY_AGENTS = Path(__file__).with_name("faulty_agents.py")
PLUGINS = (str(FAULTY_AGENTS),)


@pytest.fixture(scope="module")
def site(run_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(run_directory, tmp_path_factory.mktemp("site"), boards=2, plugins=PLUGINS)


@pytest.fixture
def site_page(chromium: Any, site: Path) -> Iterator[Page]:
    """The site in the browser, from disk."""
    page = Page(chromium, site.as_uri())
    page.size(1280, 900)
    yield page
    assert page.console_errors() == []


def content(path: Path) -> dict[str, Any]:
    """What a file of a site gives the page."""
    plain: dict[str, Any] = json.loads(path.read_text().partition(" = ")[2].rstrip().removesuffix(";"))
    return plain


def data(site: Path) -> dict[str, Any]:
    """All data of a site, replays included."""
    replays: dict[str, Any] = {}
    for path in sorted((site.parent / "static").glob("replays-*.js")):
        replays |= content(path)
    return content(site.parent / "static" / "data.js") | {"replays": replays}


def files_of(site: Path) -> dict[str, bytes]:
    return {str(path.relative_to(site.parent)): path.read_bytes() for path in site.parent.rglob("*") if path.is_file()}


def test_the_same_run_gives_the_same_bytes(site: Path, run_directory: Path, tmp_path: Path) -> None:
    assert files_of(write_site(run_directory, tmp_path, boards=2, plugins=PLUGINS)) == files_of(site)


def test_the_site_has_the_reasons_of_every_proof(site: Path) -> None:
    replays = [replay for key, replay in data(site)["replays"].items() if key.split("/")[1] == "2"]
    assert replays
    assert {replay["note"] for replay in replays} == {""}
    proofs = [turn for replay in replays for turn in replay["turns"] if turn["why"] == "proof"]
    assert proofs
    assert all(turn["evidence"] for turn in proofs)


def test_the_site_asks_nobody_for_anything(site: Path) -> None:
    text = site.read_text()
    assert all((site.parent / link).is_file() for link in re.findall(r'(?:src|href)="([^"]*)', text))
    assert "default-src 'none'" in text
    assert "connect-src" not in text


def test_nothing_that_runs_is_inside_the_page(site: Path) -> None:
    text = site.read_text()
    assert "unsafe-inline" not in text
    assert not re.search(r"<style|<script(?![^>]* src=)|<script[^>]*>[^<]", text)


def test_the_sample_is_the_boards_on_which_agents_differ_most(site: Path) -> None:
    sample = data(site)["run"]["sample"]
    assert all(len(boards) == 2 for boards in sample.values())
    most = max(mine - theirs for _, mine, theirs in data(site)["decisive"]["1/2/1"]["won"])
    scores = {
        key: replay["scores"]["identified"] for key, replay in data(site)["replays"].items() if key.startswith("1/")
    }
    spreads = [scores[f"1/2/{board}"] - scores[f"1/1/{board}"] for board in sample["1"]]
    assert max(spreads) == pytest.approx(most, abs=1e-6)


@pytest.fixture(scope="module")
def run_without_moves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four agents, one of them from a file, that kept the moves of its first boards only."""
    directory = tmp_path_factory.mktemp("runs") / "run_without_moves"
    agents = ["random", "basic", "exact", "gives-up"]
    tournament = {"seed": 3, "games": 40, "boards": {"rows": 6, "cols": 7, "mines": 8}, "agents": agents}
    run_tournament(tournament, out=directory, workers=1, plugins=(str(FAULTY_AGENTS),))
    with closing(sqlite3.connect(directory / "games.sqlite")) as db, db:
        db.execute("update games set moves = null where number > 2")
    return directory


def values(run: Path) -> dict[str, list[float]]:
    """What each agent scored on each board, by rank."""
    pages = Overview(open_run(run), Registry([FAULTY_AGENTS]))
    _, score = pages.ranking()
    by_label = {agent.label: score_values(score, pages.results(1, i)) for i, agent in enumerate(pages.run.agents, 1)}
    ranks = [line["agent"] for line in pages.run.leaderboard()["tables"][0]["standings"]]
    return {label: [by_label[label][number] or 0 for number in range(40)] for label in ranks}


@pytest.fixture(scope="module")
def played_again(run_without_moves: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of that run."""
    return write_site(run_without_moves, tmp_path_factory.mktemp("site"), boards=4, plugins=PLUGINS)


def test_games_whose_moves_were_not_kept_are_played_again(
    run_without_moves: Path, played_again: Path, tmp_path: Path
) -> None:
    found = data(played_again)
    kept = {fixture.number for fixture, _ in open_run(run_without_moves).kept()}
    assert not set(found["run"]["sample"]["1"]) <= kept
    assert len(found["replays"]) == 4 * 4
    again = write_site(run_without_moves, tmp_path, boards=4, plugins=PLUGINS)
    assert files_of(again) == files_of(played_again)


def test_the_boards_are_those_that_decided_between_agents_of_near_ranks(
    run_without_moves: Path, played_again: Path
) -> None:
    sample = data(played_again)["run"]["sample"]["1"]
    scores = list(values(run_without_moves).values())

    def decided(number: int) -> int:
        return sum(one[number] != other[number] for one, other in pairwise(scores))

    assert max(map(decided, sample)) == max(map(decided, range(40)))
    for one, other in pairwise(scores):
        assert any(one[n] != other[n] for n in sample) == (one != other)


def test_every_board_that_is_listed_can_be_watched_and_all_are_counted(
    run_without_moves: Path, registry: Registry, tmp_path: Path
) -> None:
    found = data(write_site(run_without_moves, tmp_path, boards=4, plugins=PLUGINS))
    pages = Overview(open_run(run_without_moves), registry)
    listed = 0
    for pair, comparison in found["decisive"].items():
        condition, first, second = map(int, pair.split("/"))
        whole = pages.decisive(condition, first, second)
        assert (comparison["better"], comparison["worse"]) == (whole["better"], whole["worse"])
        for number, *_ in comparison["won"] + comparison["lost"]:
            listed += 1
            assert f"1/{first}/{number}" in found["replays"]
            assert f"1/{second}/{number}" in found["replays"]
    assert listed > 12
    scores = list(values(run_without_moves).values())
    deciding = {n for n in range(40) if len({line[n] for line in scores}) > 1}
    assert found["run"]["deciding"]["1"] == [len(deciding & set(found["run"]["sample"]["1"])), len(deciding)]


def test_the_games_of_an_agent_that_is_not_here_are_shown_as_far_as_they_were_kept(
    run_without_moves: Path, tmp_path: Path
) -> None:
    directory = tmp_path / "run"
    shutil.copytree(run_without_moves, directory)
    config = directory / "tournament.yaml"
    config.write_text(config.read_text().replace(str(FAULTY_AGENTS), str(tmp_path / "gone.py")))
    found = data(write_site(directory, tmp_path / "site", boards=4, plugins=()))
    run = open_run(directory)
    kept = {fixture for fixture, _ in run.kept()}
    for number in found["run"]["sample"]["1"]:
        for place, agent in enumerate(run.agents):
            there = f"1/{place + 1}/{number}" in found["replays"]
            assert there == (agent.label != "gives-up" or Fixture(place, 0, number) in kept)


def test_a_site_keeps_to_the_room_it_is_given(run_directory: Path, tmp_path: Path) -> None:
    page = write_site(run_directory, tmp_path, boards=12, largest=30_000, plugins=PLUGINS)
    assert len(json.dumps(data(page)["replays"], separators=(",", ":"))) <= 30_000
    assert all(boards for boards in data(page)["run"]["sample"].values())


def test_a_run_without_moves_has_a_site_without_replays(run_directory: Path, tmp_path: Path) -> None:
    page = write_site(run_directory, tmp_path, boards=0, plugins=PLUGINS)
    assert data(page)["replays"] == {}


def test_an_unfinished_run_has_no_site(run_directory: Path, tmp_path: Path) -> None:
    shutil.copytree(run_directory, tmp_path / "run")
    (tmp_path / "run" / "leaderboard.json").unlink()
    with pytest.raises(RunError, match=r"no leaderboard\.json yet"):
        write_site(tmp_path / "run", tmp_path / "site", plugins=PLUGINS)


def test_names_in_the_data_are_not_in_the_page(run_directory: Path, tmp_path: Path) -> None:
    shutil.copytree(run_directory, tmp_path / "run")
    board = tmp_path / "run" / "leaderboard.json"
    board.write_text(board.read_text().replace('"small"', '"</script><script>alert(1)</script>"'))
    page = write_site(tmp_path / "run", tmp_path / "site", boards=0, plugins=PLUGINS)
    assert all("alert" not in path.read_text() for path in page.parent.rglob("*.html"))
    assert data(page)["run"]["leaderboard"]["name"] == "</script><script>alert(1)</script>"


def test_a_position_is_analysed_in_a_page_opened_from_disk(site_page: Page, site: Path) -> None:
    site_page.open("#/analysis?rows=1&cols=4&mines=1&cells=bC3")
    site_page.until(lambda: site_page.all(".analysis-page:not(.busy)"), "the position is not solved")
    assert site_page.one(".status").text == "2 cells are certainly safe, 1 cell certainly a mine."
    assert "need a server" in site_page.one(".results").text


def test_a_game_is_played_in_a_page_opened_from_disk(site_page: Page) -> None:
    site_page.open("#/play?rows=5&cols=5&mines=3&seed=1")
    site_page.click(".check input")
    site_page.until(lambda: site_page.all(".board .hint"), "exact gives no hint")
    for _ in range(40):
        if site_page.all(".status.end"):
            break
        site_page.one(".buttons .main").click()
        site_page.until(lambda: site_page.all(".play-page:not(.busy)"), "the turn is not taken")
    assert site_page.one(".status.end").text.startswith(("Won", "Lost"))


STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:"


def test_a_site_works_on_a_host_with_a_strict_policy_and_loads_the_engine_when_it_is_needed(
    chromium: Any, site: Path
) -> None:
    async def strict(scope: Any, receive: Any, send: Any) -> None:
        async def send_with_policy(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"content-security-policy", STRICT.encode())]
            await send(message)

        await StaticFiles(directory=site.parent, html=True)(scope, receive, send_with_policy)

    with serving(strict) as address:
        page = Page(chromium, address)
        names = "performance.getEntriesByType('resource').map(entry => entry.name.split('/static/')[1])"
        loaded = f"return {names}.filter(name => name?.endsWith('.js')).sort()"
        page.open()
        page.one(".standings")
        assert page.script(loaded) == ["arena.js", "data.js", "scores.js"]
        page.open("#/analysis?rows=1&cols=4&mines=1&cells=bC3")
        page.until(lambda: page.all(".analysis-page:not(.busy)"), "the position is not solved")
        assert page.one(".status").text == "2 cells are certainly safe, 1 cell certainly a mine."
        assert "engine.js" in page.script(loaded)
        assert page.console_errors() == []


def test_a_site_without_the_engine_has_the_probabilities_of_its_replays(run_directory: Path, tmp_path: Path) -> None:
    page = write_site(run_directory, tmp_path, boards=1, plugins=PLUGINS, with_engine=False)
    text = page.read_text()
    assert not (page.parent / "static" / "engine.js").exists()
    assert "wasm-unsafe-eval" not in text
    assert "options" not in data(page)
    assert all(replay["odds"] for replay in data(page)["replays"].values())


def test_the_bundle_knows_every_import_of_the_front_end() -> None:
    script = assets()["arena.js"]
    assert not re.search(r"^\s*(import|export)\b", script, re.M)
    assert set(re.findall(r'^modules\["([\w-]+\.js)"\]', script, re.M)) == set(modules())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('import x from "./b.js";\n', "cannot be bundled"),
        ("export default 3;\n", "cannot be bundled"),
        ('import { b } from "./a.js";\n', "import each other"),
    ],
)
def test_what_cannot_be_bundled_is_named(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        bundle({"a.js": text, "b.js": ""}, "a.js")


def test_the_site_opens_from_disk_with_its_comparisons_and_replays(site_page: Page) -> None:
    site_page.open()
    assert site_page.text("h1") == "small"
    assert [cell.text for cell in site_page.all(".standings tbody th")] == ["basic", "random"]
    assert [link.text for link in site_page.all("nav a")] == ["Leaderboard", "Watch", "Review", "Analysis", "Play"]
    site_page.one(".chart")
    site_page.click(".matrix .compared")
    site_page.one(".boards a")
    assert re.search(r"\d+ of \d+ deciding boards can be watched here", site_page.text(".decisive-boards"))
    assert len(site_page.all(".boards a")) == len(site_page.all(".boards li"))
    site_page.click(".boards a")
    site_page.until(lambda: len(site_page.all(".replay-panel .board")) == 2, "no two boards")
    site_page.one(".replay-panel .heat")
    assert re.search(r"6 of \d+ deciding boards can be watched here", site_page.text(".watch-page"))
    before = site_page.marks(1)
    site_page.click("[aria-label='To the end']")
    site_page.until(lambda: site_page.marks(1) != before, "no end")
    site_page.click("[aria-label='To the start']")
    site_page.until(lambda: site_page.marks(1) == before, "no start")


def test_the_site_fits_a_telephone(site_page: Page) -> None:
    site_page.size(375, 700)
    for path in ("#/leaderboard", "#/watch"):
        site_page.open(path)
        site_page.one(".standings, .replay-panel")
        assert site_page.overflow() <= 0
