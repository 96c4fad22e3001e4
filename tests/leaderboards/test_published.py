"""The published leaderboards are what today's code gives: their games, their tables, their pages."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from claims.claim_list import SYSTEMS

from sweepstakes.executor import Fixture
from sweepstakes.leaderboards.pages.index_page import front_page
from sweepstakes.leaderboards.plots.longest_chain import longest_chain, picture
from sweepstakes.leaderboards.plots.style import save
from sweepstakes.leaderboards.publish import texts
from sweepstakes.leaderboards.results import read_results
from sweepstakes.tournaments.config.loading import PRESETS, load
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.resolve.playable import changed_since_played
from sweepstakes.tournaments.running.game_player import PlanPlayer
from sweepstakes.tournaments.statistics.published_tally import kept_boards, read_tally
from sweepstakes.tournaments.storage.publication_keys import read_keys
from sweepstakes.tournaments.storage.published_games import FILE
from sweepstakes.tournaments.stored_run import StoredRun, open_run

HOME = Path(__file__).parents[2] / "leaderboards" / "published"
PUBLISHED = sorted(path.parent for path in HOME.glob(f"*/{FILE}"))
MAX_BLOCKS = 60
"""Games of each leaderboard that are played again."""


def sample(run: StoredRun) -> list[Fixture]:
    """At most three boards for each agent and condition, spread over all of them."""
    plan = run.plan
    blocks = [(agent, condition) for agent in range(len(plan.entries)) for condition in range(len(plan.conditions))]
    step = -(-len(blocks) // MAX_BLOCKS)
    boards = max(1, min(3, MAX_BLOCKS * step // len(blocks), plan.config.games))
    published = read_tally(run)
    kept = plan.config.games if published is None else kept_boards(plan, published.keep)
    return [
        Fixture(agent, condition, (7 * i + 101 * k) % kept)
        for i, (agent, condition) in enumerate(blocks)
        if i % step == 0
        for k in range(boards)
    ]


def stale(run: StoredRun) -> list[str]:
    """The games of the sample that come out otherwise today."""
    player = PlanPlayer(run.plan, run.registry)
    found = []
    for fixture in sample(run):
        stored, played = run.find(fixture), player.play(fixture).result
        assert stored is not None
        if not played.agrees(stored.result):
            found.append(f"{stored.name}: {stored.result.outcome}, now {played.outcome}")
    return found


def wrongly_tallied(run: StoredRun) -> list[str]:
    """Of games that are published as a bit in tally.json, some that come out otherwise today."""
    if (published := read_tally(run)) is None:
        return []
    plan, player = run.plan, PlanPlayer(run.plan, run.registry)
    (games,) = {len(won) for tally in published.tallies.values() for won in tally.ranking}
    some = [
        Fixture(agent, condition, number)
        for condition in range(len(plan.conditions))
        for agent in range(len(plan.entries))
        for number in range(games - 1 - agent, 0, -(games // 5 + condition))
    ]
    return [
        plan.title(fixture)
        for fixture in some
        for won in published.tallies[plan.conditions[fixture.condition].label].ranking
        if player.play(fixture).result.won != won[fixture.number, fixture.agent]
    ]


VARIED = {"classic", "champions", "clustered", "decisions", "influence", "noise", "proofs", "sizes"}
"""Leaderboards with different sources, noises, scores and forms; the others are tried in the system tier."""


@pytest.mark.parametrize(
    "directory",
    [pytest.param(path, marks=() if path.name in VARIED else pytest.mark.system, id=path.name) for path in PUBLISHED],
)
def test_a_published_leaderboard_comes_out_the_same_today(directory: Path) -> None:
    with closing(open_run(directory)) as run:
        assert changed_since_played(run) == [], "agents or boards have a new version: publish the leaderboard again"
        assert stale(run) == []
        assert wrongly_tallied(run) == []
        for name, text in texts(run, read_results(run), directory, form=read_keys(directory).format).items():
            assert (directory / name).read_text(encoding="utf-8") == text, f"{name} is out of date"


def test_every_claim_is_tested_by_a_preset() -> None:
    presets = {path.stem for path in PRESETS.glob("*.yaml")}
    assert {claim.leaderboard for system in SYSTEMS for claim in system.claims} - {""} <= presets


@pytest.mark.parametrize("preset", sorted(PRESETS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_preset_begins_with_what_it_asks_and_can_be_played(preset: Path) -> None:
    assert preset.read_text(encoding="utf-8").startswith("# ")
    config, file = load(preset)
    plan, _ = make_plan(config, file)
    assert config.games >= (30 if preset.stem == "language-models" else 60)  # each answer costs money
    many = {"champions": 4_000_000, "champions-ablations": 400_000, "evil": 400_000}  # the leads there are small
    assert plan.games <= many.get(preset.stem, 250_000)


def test_a_stale_leaderboard_is_noticed(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished / "run", tmp_path / "run")
    shutil.copytree(finished / "published", tmp_path / "board" / "small")
    front_page(tmp_path / "board")
    assert "small" in (tmp_path / "board" / "README.md").read_text()
    with closing(open_run(tmp_path / "board" / "small")) as run:
        assert stale(run) == []
    with closing(sqlite3.connect(tmp_path / "run" / "games.sqlite")) as db, db:
        db.execute("update games set turns = turns + 1")
    with closing(open_run(tmp_path / "run")) as run:
        assert len(stale(run)) == 27


def test_the_longest_chain_is_drawn_from_the_published_games(tmp_path: Path) -> None:
    published = HOME / "clustered"
    with closing(open_run(published)) as run:
        results = read_results(run)
        found = longest_chain(results)
        assert found is not None
        save(picture(results, found), tmp_path, "longest-chain")
    assert (tmp_path / "longest-chain.svg").read_text() == (published / "plots" / "longest-chain.svg").read_text()
