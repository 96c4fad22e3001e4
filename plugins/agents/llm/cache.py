"""The cache of answers on disk: a run that crashed, or is resumed, does not pay for an answer again.

An answer belongs to one request of one game: its key is a hash of the endpoint's address, the seed of the agent's
random numbers in that game, how many requests the game has made before, and the request. The same position in two games
is therefore asked twice. A file holds an answer and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

FOLDER = "SWEEPSTAKES_LLM_CACHE"
"""The variable that names the folder, or says `off`."""
OFF = "off"


def folder(variables: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder of the cache; None if it is switched off."""
    named = variables.get(FOLDER, "")
    if named == OFF:
        return None
    base = variables.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(named) if named else Path(base) / "sweepstakes" / "llm"


def key_of(url: str, seed: int, number: int, body: Mapping[str, Any]) -> str:
    """Return the key of request `number`, from 0, of a game."""
    return hashlib.sha256(json.dumps([url, seed, number, body], sort_keys=True).encode()).hexdigest()


def find(key: str) -> bytes | None:
    """Return the answer that is stored under a key, or None."""
    place = folder()
    with suppress(OSError):
        return (place / key[:2] / f"{key}.json").read_bytes() if place is not None else None
    return None


def keep(key: str, answer: bytes) -> None:
    """Store an answer. If the folder cannot be written to, the game continues anyway."""
    place = folder()
    if place is None:
        return
    file = place / key[:2] / f"{key}.json"
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(answer)
        part.replace(file)
