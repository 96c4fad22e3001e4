"""The static site: one file, the same bytes for the same run, opened from disk."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_page import Page

from sweepstakes import Registry, RunError
from sweepstakes.web.assets import assets
from sweepstakes.web.bundle import bundle
from sweepstakes.web.site import write_site


@pytest.fixture(scope="module")
def site(run_directory: Path, registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(run_directory, tmp_path_factory.mktemp("site"), boards=2, registry=registry)


@pytest.fixture
def disk(chromium: Any, site: Path) -> Iterator[Page]:
    """The site in the browser, from disk."""
    page = Page(chromium, site.as_uri())
    page.size(1280, 900)
    yield page
    assert page.complaints() == []


def data(site: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', site.read_text(), re.S)
    assert found
    plain: dict[str, Any] = json.loads(found[1])
    return plain


def test_the_same_run_gives_the_same_bytes(site: Path, run_directory: Path, registry: Registry, tmp_path: Path) -> None:
    assert write_site(run_directory, tmp_path, boards=2, registry=registry).read_bytes() == site.read_bytes()


def test_the_site_has_the_reasons_of_every_proof(site: Path) -> None:
    replays = [replay for key, replay in data(site)["replays"].items() if key.split("/")[1] == "2"]
    assert replays
    assert {replay["note"] for replay in replays} == {""}
    proofs = [turn for replay in replays for turn in replay["turns"] if turn["why"] == "proof"]
    assert proofs
    assert all(turn["evidence"] for turn in proofs)


def test_the_site_asks_nobody_for_anything(site: Path) -> None:
    text = site.read_text()
    assert not re.search(r'(?:src|href)="(?!data:|#)', text)
    assert "default-src 'none'" in text
    assert "connect-src" not in text


def test_the_sample_is_the_boards_on_which_agents_differ_most(site: Path) -> None:
    sample = data(site)["run"]["sample"]
    assert all(len(boards) == 2 for boards in sample.values())
    most = max(mine - theirs for _, mine, theirs in data(site)["decisive"]["1/2/1"]["won"])
    scores = {
        key: replay["scores"]["identified"] for key, replay in data(site)["replays"].items() if key.startswith("1/")
    }
    spreads = [scores[f"1/2/{board}"] - scores[f"1/1/{board}"] for board in sample["1"]]
    assert max(spreads) == pytest.approx(most, abs=1e-6)


def test_a_site_keeps_to_the_room_it_is_given(run_directory: Path, registry: Registry, tmp_path: Path) -> None:
    page = write_site(run_directory, tmp_path, boards=12, largest=30_000, registry=registry)
    assert len(json.dumps(data(page)["replays"], separators=(",", ":"))) <= 30_000
    assert all(boards for boards in data(page)["run"]["sample"].values())


def test_a_run_without_moves_has_a_site_without_replays(
    run_directory: Path, registry: Registry, tmp_path: Path
) -> None:
    page = write_site(run_directory, tmp_path, boards=0, registry=registry)
    assert data(page)["replays"] == {}


def test_an_unfinished_run_has_no_site(run_directory: Path, registry: Registry, tmp_path: Path) -> None:
    shutil.copytree(run_directory, tmp_path / "run")
    (tmp_path / "run" / "leaderboard.json").unlink()
    with pytest.raises(RunError, match=r"no leaderboard\.json yet"):
        write_site(tmp_path / "run", tmp_path / "site", registry=registry)


def test_names_in_the_data_cannot_end_the_script(run_directory: Path, registry: Registry, tmp_path: Path) -> None:
    shutil.copytree(run_directory, tmp_path / "run")
    board = tmp_path / "run" / "leaderboard.json"
    board.write_text(board.read_text().replace('"small"', '"</script><script>alert(1)</script>"'))
    page = write_site(tmp_path / "run", tmp_path / "site", boards=0, registry=registry)
    assert "</script><script>alert" not in page.read_text()
    assert data(page)["run"]["leaderboard"]["name"] == "</script><script>alert(1)</script>"


def test_the_bundle_knows_every_import_of_the_front_end() -> None:
    modules = {name: text for name, text in assets().items() if name.endswith(".js")}
    script = bundle(modules, "main.js")
    assert not re.search(r"^\s*(import|export)\b", script, re.M)
    assert set(re.findall(r'^modules\["([\w-]+\.js)"\]', script, re.M)) == set(modules)


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


def test_the_leaderboard_opens_from_disk(disk: Page) -> None:
    disk.open()
    assert disk.text("h1") == "small"
    assert [cell.text for cell in disk.all(".standings tbody th")] == ["basic", "random"]
    assert [link.text for link in disk.all("nav a")] == ["Leaderboard", "Watch"]
    disk.one(".chart")


def test_replays_run_from_disk(disk: Page) -> None:
    disk.open("#/watch")
    disk.until(lambda: len(disk.all(".seat .board")) == 2, "no two boards")
    disk.one(".seat .heat")
    before = disk.marks(1)
    disk.click("[aria-label='To the end']")
    assert disk.marks(1) != before
    disk.click("[aria-label='To the start']")
    assert disk.marks(1) == before


def test_a_comparison_links_to_the_replays_that_are_there(disk: Page, site: Path) -> None:
    disk.open("#/leaderboard")
    disk.click(".matrix td button")
    disk.click(".boards a")
    disk.until(lambda: len(disk.all(".seat .board")) == 2, "no two boards")


def test_the_site_fits_a_telephone(disk: Page) -> None:
    disk.size(375, 700)
    for path in ("#/leaderboard", "#/watch"):
        disk.open(path)
        disk.one(".standings, .seat")
        assert disk.sticks_out() <= 0
