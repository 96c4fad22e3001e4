"""Escapes third-party text for Markdown and HTML. Every page and report uses these functions."""

from __future__ import annotations

import hashlib
import html
import re
from base64 import b64encode

from sweepstakes.untrusted.text import clean

_MARKDOWN = re.compile(r"[\\`*\[\]<|~$]|&(?=[A-Za-z#])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""Characters that may be markup within a line. An underscore within a word is not markup."""


def escape_html(text: str) -> str:
    """Return HTML that shows the text, in one line."""
    return html.escape(clean(text, 10_000))


def escape_markdown(text: str, longest: int = 1000) -> str:
    """Return Markdown that shows the text literally, in one line."""
    return _MARKDOWN.sub(lambda found: f"\\{found.group()}", clean(text, longest))


def code_span(text: str, longest: int = 1000) -> str:
    """Return the text as code within a line of Markdown. Backticks in the text do not end the code."""
    text = clean(text, longest)
    fence = _fence(text, 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def code_block(text: str, language: str = "") -> str:
    """Return the lines as a block of code in Markdown. No line of the text can end the block."""
    fence = _fence(text, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _fence(text: str, shortest: int) -> str:
    """Return at least `shortest` backticks, and more than the text has in a row anywhere."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(shortest, longest + 1)


def content_policy(style: str) -> str:
    """Return the HTML element that forbids scripts, frames and foreign files on a page with this style and pictures."""
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self' file: data:; base-uri 'none'; "
        "form-action 'none'"
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
