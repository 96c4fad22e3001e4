"""Every mention of an earlier system leads to the page that cites its report."""

from __future__ import annotations

import re
from pathlib import Path

from sweepstakes.leaderboards.claims.claim_list import SYSTEMS
from sweepstakes.leaderboards.pages.citing import ORDER, cited

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
    for page in [*ROOT.glob("leaderboards/*.md"), *ROOT.glob("leaderboards/*/README.md")]:
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
