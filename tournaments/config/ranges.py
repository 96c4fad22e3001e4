"""Ranges of parameters, as in `chain(window=2..8)`: one agent for each value."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

from sweepstakes.errors import ConfigError
from sweepstakes.spec import Spec

MAX_AGENTS = 200
"""The maximum number of agents of one spec with ranges."""
_RANGE = re.compile(r"([^/]*?)\.\.([^/]*)")
_WHOLE = re.compile(r"-?[0-9]{1,9}")


def expand_ranges(text: str) -> list[str]:
    """Return all specs that a spec with ranges denotes, or the text itself if it has no range."""
    spec = Spec.parse(text)
    values = {name: _values(text, name, value) for name, value in spec.parameters.items()}
    ranges = {name: found for name, found in values.items() if found is not None}
    if not ranges:
        return [text]
    count = 1
    for found in ranges.values():
        count *= len(found)
    if count > MAX_AGENTS:
        raise ConfigError(f"{text}: {count:,} agents, expected at most {MAX_AGENTS}")
    return [
        str(replace(spec, parameters={**spec.parameters, **dict(zip(ranges, chosen, strict=True))}))
        for chosen in itertools.product(*ranges.values())
    ]


def _values(text: str, name: str, value: object) -> range | None:
    """Return the values of a range, or None for a value that is not a range."""
    found = _RANGE.fullmatch(value) if isinstance(value, str) else None
    if found is None or not any(re.match(r"[-+.0-9]", end) for end in found.groups()):
        return None
    if not all(map(_WHOLE.fullmatch, found.groups())):
        raise ConfigError(f"{text}: '{name}={value}' is not a range: expected two whole numbers, as in {name}=2..8")
    first, last = map(int, found.groups())
    if first > last:
        raise ConfigError(f"{text}: the range '{name}={value}' is empty: expected {name}={last}..{first}")
    return range(first, last + 1)
