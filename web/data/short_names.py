"""Short names of agents for pages with many of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sweepstakes.errors import ParameterError
from sweepstakes.spec import Spec


def short_names(labels: Sequence[str]) -> tuple[dict[str, str], str]:
    """Return the labels without the parameters that all agents of one name share, and what all names leave out.

    If all agents have one name, only the parameters are left. The labels stay as they are if two would become equal.
    """
    specs = {label: _spec(label) for label in labels}
    groups: dict[str, list[Spec]] = {}
    for spec in specs.values():
        if spec is not None:
            groups.setdefault(_head(spec), []).append(spec)
    shared = {head: _shared(group) for head, group in groups.items()}
    kept = {label: _kept(spec, shared[_head(spec)]) if spec else {} for label, spec in specs.items()}
    if len(labels) > 1 and len(groups) == 1 and all(kept.values()):
        ((head, same),) = shared.items()
        return {label: _words(parameters) for label, parameters in kept.items()}, _name(head, same)
    names = {label: _name(_head(spec), kept[label]) if spec else label for label, spec in specs.items()}
    return (names if len(set(names.values())) == len(labels) else {label: label for label in labels}), ""


def _spec(label: str) -> Spec | None:
    """Return the label as a spec with parameters, or None if it is something else."""
    try:
        spec = Spec.parse(label)
    except ParameterError:
        return None
    return spec if spec.parameters and not spec.words else None


def _head(spec: Spec) -> str:
    return str(Spec(spec.name, {}, spec.file, spec.version, files=spec.files))


def _shared(group: Sequence[Spec]) -> Mapping[str, Any]:
    first, *others = group
    return {
        key: value
        for key, value in first.parameters.items()
        if others and all(key in spec.parameters and spec.parameters[key] == value for spec in others)
    }


def _kept(spec: Spec, shared: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.parameters.items() if key not in shared}


def _name(head: str, parameters: Mapping[str, Any]) -> str:
    return f"{head}({_words(parameters)})" if parameters else head


def _words(parameters: Mapping[str, Any]) -> str:
    values = {key: value if isinstance(value, str) else json.dumps(value) for key, value in parameters.items()}
    return ", ".join(f"{key}={value}" for key, value in values.items())
