"""The messages for errors in a tournament file: pydantic's first error as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from sweepstakes.errors import brief, did_you_mean, expectation
from sweepstakes.spec import CUT
from sweepstakes.tournaments.config.model import Boards, LimitsItem, Range, RulesItem, Tournament
from sweepstakes.tournaments.config.yaml_lines import YamlFile
from sweepstakes.untrusted.text import clean


def describe_error(error: ValidationError, data: Mapping[str, Any], file: YamlFile | None) -> str:
    """Describe the most informative of pydantic's errors in one line, with `file:line` if there is a file."""
    details = min(error.errors(), key=_sort_key)
    place = _place_in_data(details["loc"], data)
    where = f"{file.where(place)}: " if file is not None else ""
    if details["type"] == "extra_forbidden":
        known = _keys_at(details["loc"])
        if str(place[-1]).rstrip().endswith(")"):
            return f"{where}unknown key {brief(place[-1])}: {CUT}"
        return f"{where}unknown key {brief(place[-1])}{did_you_mean(str(place[-1]), known)}"
    if details["type"] == "missing":
        return f"{where}the key '{details['loc'][-1]}' is missing"
    context = details.get("ctx", {}).get("error")
    if isinstance(context, ValueError):
        return f"{where}{key_of(place)}{context}"
    value = details["input"]
    text = brief(value) if not isinstance(value, dict | list | tuple) else "this value"
    return f"{where}{key_of(place)}{text} is invalid: {expectation(details['msg'])}"


def _sort_key(details: Any) -> tuple[bool, bool, bool, int]:
    """Sort by how informative errors are. Errors of union members that expect another type come last."""
    kind, value = details["type"], details["input"]
    other_type = isinstance(value, dict | list | tuple) and kind.endswith("_type")
    return kind != "extra_forbidden", kind != "value_error", other_type, len(details["loc"])


def key_of(place: tuple[str | int, ...]) -> str:
    """Return the key of an error, as the beginning of a sentence."""
    return f"{clean('.'.join(map(str, place)), 80)}: " if place else ""


def _place_in_data(loc: tuple[str | int, ...], data: Any) -> tuple[str | int, ...]:
    """Return the part of an error's location that exists in the data: pydantic adds the names of union members."""
    place: list[str | int] = []
    for part in loc:
        if isinstance(data, Mapping):
            if part in data:
                data = data[part]
                place.append(part)
        elif isinstance(data, list | tuple) and isinstance(part, int) and part < len(data):
            data = data[part]
            place.append(part)
    return tuple(place)


def _keys_at(loc: tuple[str | int, ...]) -> list[str]:
    """Return the keys that the model has at an error's location."""
    model: type[BaseModel] = Tournament
    nested: dict[str, type[BaseModel]] = {"boards": Boards, "rules": RulesItem, "limits": LimitsItem}
    if len(loc) > 1:
        model = nested.get(str(loc[0]), Tournament)
        if any("Range" in str(part) for part in loc):
            model = Range
    return [field.alias or name for name, field in model.model_fields.items()]
