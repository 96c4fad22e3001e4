"""Finds the axes along which the conditions of a tournament vary and can be drawn as curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sweepstakes.tournaments.condition_words import noise_kind, noise_words, source_words
from sweepstakes.tournaments.plan import Condition

EXACT = "exact-clues"
MIN_POINTS = 3
"""Minimum number of points of a curve."""


_AXES = {"density": "mine density", "size": "cells on the board", "noise": "probability that a clue is noisy"}
"""The labels of the axes along which conditions may vary."""


class Series(NamedTuple):
    """Conditions that differ in one quantity only, sorted by it: the points of the curves in one panel."""

    title: str
    """The words that the conditions have in common; "" if this is the only series."""
    points: tuple[tuple[float, Condition], ...]


class Sweep(NamedTuple):
    """All series along one axis."""

    name: str
    """Part of file names: density, size or noise."""
    axis: str
    """The label of the axis."""
    series: tuple[Series, ...]


def sweeps(conditions: Sequence[Condition]) -> list[Sweep]:
    """Return the axes along which these conditions make curves of at least three points."""
    found = []
    for name, axis in _AXES.items():
        series = tuple(_series(name, conditions))
        if series:
            found.append(Sweep(name, axis, series))
    return found


def density(condition: Condition) -> float:
    """Return the density as it was written, or that of the mine count."""
    written = condition.density
    return round(condition.size.mines / condition.size.cells, 4) if written is None else float(written)


def _series(name: str, conditions: Sequence[Condition]) -> Iterator[Series]:
    groups: dict[tuple[str, ...], list[tuple[float, Condition]]] = {}
    for c in conditions:
        rate: Any = c.noise.parameters.get("rate")
        place = {
            "size": f"{c.size.rows}x{c.size.cols}",
            "density": f"mine density {density(c):g}",
            "source": source_words(c.source),
            "rules": c.rules.words,
            "noise": noise_words([c.noise]),
        }
        x = {"density": density(c), "size": c.size.cells, "noise": float(rate) if _is_number(rate) else None}[name]
        if name == "noise":
            others = {key: value for key, value in c.noise.parameters.items() if key != "rate"}
            place["noise"] = noise_kind(replace(c.noise, parameters=others))
        else:
            del place[name]
        if x is not None:
            groups.setdefault(tuple(place.values()), []).append((x, c))
    if name == "noise":
        _share_no_noise(conditions, groups)
    kept = {key: sorted(points, key=lambda p: p[0]) for key, points in groups.items() if len(points) >= MIN_POINTS}
    varied = [i for i in range(len(next(iter(kept), ()))) if len({key[i] for key in kept}) > 1]
    for key, points in kept.items():
        yield Series(", ".join(key[i] for i in varied), tuple(points))


def _share_no_noise(
    conditions: Sequence[Condition], groups: Mapping[tuple[str, ...], list[tuple[float, Condition]]]
) -> None:
    """Exact clues are the same as any noise at rate 0, so such a condition begins the curve of each noise model."""
    for c in conditions:
        if c.noise.name == EXACT:
            for points in groups.values():
                other = points[0][1]
                if (c.size, c.source, c.rules) == (other.size, other.source, other.rules):
                    points.append((0.0, c))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
