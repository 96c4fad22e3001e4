"""Links from the words `the second system` and the like to the page that cites the report."""

from __future__ import annotations

import re

ORDER = ("first", "second", "third", "fourth", "fifth")
_WORDS = re.compile(rf"(?<!\[)\b({'|'.join(ORDER)})\s+system\b", re.IGNORECASE)


def cited(text: str, sources: str) -> str:
    """Return the text with each mention of a system linked to its report. `sources` is the path to docs/sources.md."""

    def link(found: re.Match[str]) -> str:
        letter = "abcde"[ORDER.index(found.group(1).lower())]
        return f"[{found.group()}]({sources}#{letter})"

    return _WORDS.sub(link, text)
