"""The files of `static/` as browsers get them, read once. The server serves these files by name, and no others."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from sweepstakes.html_page import frame_style
from sweepstakes.web.bundle import bundle

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
PAGE = "index.html"
ENGINE = "engine.wasm"
STYLE = "style.css"
SCRIPT = "arena.js"
"""All modules in one file. A browser that loads them one by one waits for each level of imports in turn."""


@cache
def engine() -> bytes:
    """Return the exact engine as a WebAssembly module (see `web/engine/build.py`)."""
    return (files("sweepstakes.web") / "static" / ENGINE).read_bytes()


@cache
def assets() -> dict[str, str]:
    """Return the text of the page, of the style sheet, of the icon and of the script, by name."""
    texts = _texts()
    return {name: text for name, text in texts.items() if not name.endswith(".js")} | {
        SCRIPT: bundle(modules(), "main.js")
    }


def modules() -> dict[str, str]:
    """Return the modules of the pages, by name."""
    return {name: text for name, text in _texts().items() if name.endswith(".js")}


@cache
def _texts() -> dict[str, str]:
    folder = files("sweepstakes.web") / "static"
    names = sorted(entry.name for entry in folder.iterdir() if media_type(entry.name))
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in names}
    return texts | {STYLE: frame_style() + texts[STYLE]}


def media_type(name: str) -> str:
    """Return the media type of a file by its suffix, or "" if `static/` has no such files."""
    return next((media for ending, media in MEDIA_TYPES.items() if name.endswith(ending)), "")
