"""Transcripts: what an agent and its model said in each turn, as compressed and bounded bytes.

A transcript is a text for each turn. The last text may belong to a turn that was not taken because its answers were
not valid turns. Texts are third-party data: they are cleaned when they are packed, and shown as plain text.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence

from sweepstakes.untrusted.text import clean_output

MAX_TEXT = 20_000
"""Maximum number of characters kept per turn. Only the beginning and the end of a longer text are kept."""
MAX_CHARACTERS = 1_000_000
"""Maximum number of characters kept per game. Later turns have empty texts."""
MAX_PACKED = 1 << 21
"""Maximum size of a packed transcript, in bytes."""
_MAX_JSON = 13 * MAX_CHARACTERS
"""Maximum size of the JSON text: up to 12 bytes for a character, and a few for each turn."""


def bounded(texts: Sequence[str]) -> list[str]:
    """Return the texts as they are stored: without control characters, and cut to the limits per turn and per game."""
    kept: list[str] = []
    left = MAX_CHARACTERS
    for text in texts:
        text = shorten(clean_output(text.encode(errors="replace")))
        kept.append(text if len(text) <= left else "")
        left -= len(kept[-1]) + 4
    return kept


def pack_transcript(texts: Sequence[str]) -> bytes | None:
    """Return the texts as bytes, or None if there are no texts."""
    kept = bounded(texts)
    packed = zlib.compress(json.dumps(kept).encode(), 9)
    return packed if any(kept) and len(packed) <= MAX_PACKED else None


def read_transcript(packed: object) -> list[str]:
    """Return the texts in packed bytes. Raise `ValueError` with the reason if the bytes are not valid."""
    check_transcript(packed)
    assert isinstance(packed, bytes)
    unpacking = zlib.decompressobj()
    try:
        texts = json.loads(unpacking.decompress(packed, _MAX_JSON))
    except (zlib.error, ValueError, RecursionError):
        texts = None
    if type(texts) is not list or not all(type(text) is str for text in texts):
        raise ValueError("its transcript is damaged")
    return [clean_output(text.encode(errors="replace")) for text in texts]


def check_transcript(packed: object) -> None:
    """Raise `ValueError` with the reason if `packed` is not a packed transcript."""
    if type(packed) is not bytes or len(packed) > MAX_PACKED:
        raise ValueError(f"a transcript that is not bytes, or more than {MAX_PACKED:,} of them")


def shorten(text: str) -> str:
    """Return the text, or only its beginning and end if it has more than `MAX_TEXT` characters."""
    if len(text) <= MAX_TEXT:
        return text
    half = MAX_TEXT // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters are left out]\n{text[-half:]}"
