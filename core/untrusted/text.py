"""Cleaning of third-party text, so that it can be stored, printed and sent."""

from __future__ import annotations

import re
import unicodedata

MAX_LENGTH = 200
"""Default maximum length of a cleaned text."""

_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?", re.DOTALL)
"""Escape sequences that control a terminal's cursor, colours or title."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Unicode categories of control and format characters (including those that reverse the direction of writing),
surrogates, private and unassigned code points, and line separators."""


def clean(text: str, longest: int = MAX_LENGTH) -> str:
    """Return the text as one line of at most `longest` printable characters, the same in every run.

    Terminal escapes are removed, other unprintable characters become U+FFFD, and white space becomes single spaces.
    Memory addresses, as in ` at 0x7f12`, are removed, since they differ from run to run. The text may be an instance of
    a third-party subclass of `str`: its methods are not called.
    """
    text = str.__str__(text)  # an exact str, whatever the subclass
    text = text[: 8 * longest + 512]  # bounds the work: third-party text may be as long as memory allows
    if not text.isascii() or not text.isprintable():
        text = " ".join(_ESCAPES.sub("", text).split())
        text = _visible(text)
    text = _ADDRESS.sub("", " ".join(text.split()))
    return text if len(text) <= longest else text[: max(longest - 3, 0)] + "..."


def clean_output(data: bytes) -> str:
    """Convert the output of a process to lines of printable characters, without any codes for a terminal.

    Unlike `clean`, it leaves spaces and the length of lines alone. The caller limits the length of the data.
    """
    lines = _ESCAPES.sub("", data.decode(errors="replace")).expandtabs().splitlines()
    return "\n".join(line if line.isascii() and line.isprintable() else _visible(line) for line in lines)


def quoted(text: str) -> str:
    """Put a mark in front of each line of third-party text, so that it cannot be mistaken for our own output."""
    return "\n".join(f"| {line}".rstrip() for line in text.splitlines())


def _visible(text: str) -> str:
    return "".join("\ufffd" if unicodedata.category(mark) in INVISIBLE else mark for mark in text)


def clean_lines(text: str, most: int = 100) -> str:
    """Return the last lines of a text, each cleaned, with their indentation."""
    lines = []
    for line in text.splitlines()[-most:]:
        indent = min(len(line) - len(line.lstrip(" ")), 40)
        lines.append(" " * indent + clean(line, 500))
    return "\n".join(lines)
