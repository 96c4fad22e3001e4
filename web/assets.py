"""The files of `static/`, read once. The server serves these files by name, and no others."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


ENGINE = "engine.wasm"


@cache
def engine() -> bytes:
    """The exact engine as a WebAssembly module (see `web/engine/build.py`)."""
    return (files("sweepstakes.web") / "static" / ENGINE).read_bytes()


@cache
def assets() -> dict[str, str]:
    """The text of every file but the engine, by name."""
    folder = files("sweepstakes.web") / "static"
    names = sorted(entry.name for entry in folder.iterdir() if media_type(entry.name))
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


def media_type(name: str) -> str:
    """The media type of a file by its ending; empty if `static/` has no such files."""
    return next((media for ending, media in MEDIA_TYPES.items() if name.endswith(ending)), "")
