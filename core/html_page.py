"""The frame of pages that are written as files: their header, style sheet and content policy."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from sweepstakes.markup import content_policy, escape_html


@cache
def frame_style() -> str:
    """Return the style sheet that these pages and the arena share."""
    return _style("frame.css")


@cache
def page_style() -> str:
    """Return the style sheet of pages that are written as files."""
    return frame_style() + _style("page.css")


def _style(name: str) -> str:
    return (files("sweepstakes") / name).read_text(encoding="utf-8")


def html_page(title: str, body: Iterable[str], links: Iterable[tuple[str, str]] = ()) -> str:
    """Return a page with these parts in its body. `links` are addresses and names for its header.

    The page is self-contained but for its pictures, and its policy allows no scripts.
    """
    style = page_style()
    items = "".join(f'<a href="{escape_html(address)}">{escape_html(name)}</a>' for address, name in links)
    mark = '<span class="brand"><span class="brand-mark" aria-hidden="true"></span>sweepstakes</span>'
    return (
        "\n".join(
            [
                '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
                content_policy(style),
                '<meta name="viewport" content="width=device-width, initial-scale=1">',
                f"<title>{escape_html(title)}</title>\n<style>{style}</style>\n</head>\n<body>",
                f'<header class="top">{mark}{f"<nav>{items}</nav>" if items else ""}</header>\n<main>',
                *body,
                "</main>\n</body>\n</html>",
            ]
        )
        + "\n"
    )
