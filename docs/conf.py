"""The documentation site: `sphinx-build -W -c docs . site`.

The site has the layout of the repository, so that a link between pages is right in both. The code of the examples,
which the repository shows next to its page, is shown on the page itself.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.util import logging

project = "sweepstakes"
copyright = "the sweepstakes authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/*.md", "examples/**.md", "leaderboards/**.md"]
exclude_patterns = ["leaderboards/published/*/reading.md"]  # a part of the page next to it
suppress_warnings = ["toc.not_included"]  # pages of leaderboards are reached by links; a test lists those of docs

html_theme = "furo"
html_title = "sweepstakes"
html_show_sphinx = False

myst_heading_anchors = 4

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = {".py": "python", ".c": "c", ".js": "javascript", ".mjs": "javascript", ".sh": "sh"}
START = "<!DOCTYPE html><title>sweepstakes</title><meta http-equiv='refresh' content='0; url=docs/index.html'>\n"
"""The page at the root of the site, which leads to the start page."""
PICTURE = re.compile(
    r'<picture><source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]*)">'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]*)"></picture>'
)
"""A picture with a version for dark pages, as the pages write it."""


def show_examples(_: Any, name: str, source: list[str]) -> None:
    """Add the code of the examples to the pages that list them, and lead links of the hooks there."""
    if name == "docs/hooks":
        source[0] = re.sub(
            r"\(\.\./examples/(\w+)\.py\)", lambda link: f"(../examples/README.md#{link[1]}py)", source[0]
        )
    folder = ROOT / Path(name).parent
    if name in ("examples/README", "examples/languages/README"):
        files = sorted(file for file in folder.iterdir() if file.is_file() and _language(file))
        parts = [
            f"### {file.name}\n\n```{{literalinclude}} {file.name}\n:language: {_language(file)}\n```" for file in files
        ]
        for file in files:
            source[0] = source[0].replace(f"]({file.name})", f"](#{file.name.replace('.', '')})")
        source[0] = "\n\n".join([source[0], "## The code", *parts]) + "\n"


def _language(file: Path) -> str:
    if file.suffix in LANGUAGES:
        return LANGUAGES[file.suffix]
    return "sh" if not file.suffix and file.read_bytes().startswith(b"#!/bin/sh") else ""


def write_start(app: Any, error: Exception | None) -> None:
    """Make the root of the site lead to its start page."""
    if error is None and app.builder.format == "html":
        Path(app.outdir, "index.html").write_text(START, encoding="utf-8")


def show_pictures(app: Any, name: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Copy the files of every `<picture>`, and show the one that fits the theme of the page.

    Sphinx does not copy files that HTML names. A `<picture>` itself would follow the reader's system, even on a page
    that was switched to the other theme.
    """
    folder = Path(name).parent

    def two_images(picture: re.Match[str]) -> str:
        for file in (picture["light"], picture["dark"]):
            target = Path(app.outdir, folder, file)
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                shutil.copyfile(ROOT / folder / file, target)
            except OSError as error:
                logging.getLogger(__name__).warning("%s", error, location=name)
        return "".join(
            f'<img class="only-{theme}" alt="{picture["alt"]}" src="{picture[theme]}">' for theme in ("light", "dark")
        )

    if "body" in context:
        context["body"] = PICTURE.sub(two_images, context["body"])


def leave_out_aliases(_: Any, _kind: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """Leave out what Python says of the fields of a named tuple that say nothing themselves."""
    lines[:] = [line for line in lines if not line.startswith("Alias for field number")]


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", show_examples)
    app.connect("autodoc-process-docstring", leave_out_aliases)
    app.connect("html-page-context", show_pictures)
    app.connect("build-finished", write_start)
