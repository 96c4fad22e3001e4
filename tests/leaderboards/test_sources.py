"""Every mention of an earlier system leads to the page that cites its report."""

from __future__ import annotations

import re
from pathlib import Path

from claims.claim_list import SYSTEMS

from sweepstakes.leaderboards.pages.citing import ORDER, cited
from sweepstakes.tournaments.config.loading import PRESETS

ROOT = Path(__file__).parents[2]
MENTION = re.compile(rf"\b({'|'.join(ORDER)})\s+system\b", re.IGNORECASE)


def test_a_mention_becomes_a_link_once() -> None:
    text = cited("The second system's boards; the Fifth system.", "../sources.md")
    assert text == "The [second system](../sources.md#b)'s boards; the [Fifth system](../sources.md#e)."
    assert cited(text, "../sources.md") == text
    assert cited("a second, systematic look; a system", "x") == "a second, systematic look; a system"
    assert cited("the first\nsystem", "x") == "the [first\nsystem](x#a)"


def test_every_published_page_links_its_mentions_of_a_system() -> None:
    mentions = 0
    for page in [ROOT / "docs" / "claims.md", *ROOT.glob("leaderboards/published/**/README.md")]:
        text = page.read_text(encoding="utf-8")
        for found in MENTION.finditer(text):
            assert text[: found.start()].endswith("["), f"{page}: {found.group()}"
            target = re.match(r"\]\(([^)#]+)#([a-e])\)", text[found.end() :])
            assert target is not None, f"{page}: {found.group()}"
            assert (page.parent / target[1]).resolve() == ROOT / "docs" / "sources.md"
            mentions += 1
    assert mentions > 10


def test_the_page_of_sources_cites_every_system_under_its_letter() -> None:
    text = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    for system, word in zip(SYSTEMS, ORDER, strict=True):
        assert f"\n## {system.letter}\n" in text
        assert f"| {system.letter}, {word} system |" in text


def test_the_five_systems_are_two_clicks_from_the_first_page_with_their_experiments_and_what_held() -> None:
    page = (ROOT / "docs" / "five-systems.md").read_text(encoding="utf-8")
    assert "](docs/five-systems.md" in (ROOT / "README.md").read_text(encoding="utf-8")
    for system in SYSTEMS:
        section = re.search(rf"^## {system.name}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
        assert section is not None, system.name
        words = " ".join(section[1].split())
        for what, text in system.summary.items():
            assert f"- {what.capitalize()}: {text}" in words, f"{system.letter}, {what}"
        experiments = re.findall(
            r"\[`sweepstakes run ([^`]+)`\]\(\.\./leaderboards/published/([^/]+)/README\.md\)", section[1]
        )
        assert experiments
        for preset, leaderboard in experiments:
            assert preset == leaderboard
            assert (PRESETS / f"{preset}.yaml").is_file()
            assert preset in {claim.leaderboard for claim in system.claims}, f"{system.letter}: {preset}"
        assert section[1].count("<picture>") >= 1
        assert f"(sources.md#{system.letter.lower()})" in section[1]
        for name in re.findall(
            r"`([a-z-]+)(?:\(.*?\))?`", section[1].partition("Agents here:")[2].partition("\n\n")[0]
        ):
            assert (ROOT / "docs" / "definitions.md").read_text().count(f"`{name}") or f"`{name}`" in agents(), name


def agents() -> str:
    return (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
