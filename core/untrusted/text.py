"""Third-party text made fit to be stored, printed and sent: one cleaner for all of it."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 200
"""Characters that a cleaned text keeps unless the caller says otherwise."""

_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?", re.DOTALL)
"""What moves a terminal's cursor, colours or titles, as whole sequences."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Control and format characters (also those that reverse the direction of writing), surrogates, no characters."""


def clean(text: str, longest: int = LONGEST) -> str:
    """The text in one line of printable characters, at most `longest` of them, and the same each time.

    Terminal escapes go, whatever else cannot be printed becomes U+FFFD, white space becomes single spaces, and the
    place in memory that Python prints of an object goes too, since it differs from run to run. The text may be a
    subclass of `str` by an agent's author: its own methods are not called.
    """
    text = str.__str__(text)  # of the class itself, and therefore an exact str
    text = text[: 8 * longest + 512]  # more could not be seen: third-party text may be as long as memory allows
    if not text.isascii() or not text.isprintable():
        text = " ".join(_ESCAPES.sub("", text).split())
        text = "".join("\ufffd" if unicodedata.category(mark) in INVISIBLE else mark for mark in text)
    text = _ADDRESS.sub("", " ".join(text.split()))
    return text if len(text) <= longest else text[: max(longest - 3, 0)] + "..."
