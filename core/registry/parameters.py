"""Parameters of agents, sources, noises and scores: checked against the constructor that takes them."""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Callable, Mapping
from typing import Any

from sweepstakes.errors import ParameterError, brief, did_you_mean
from sweepstakes.untrusted.text import clean


def check_parameters(factory: Callable[..., Any], given: Mapping[str, Any], owner: str) -> None:
    """`ParameterError` for a parameter that the factory does not take, lacks, or takes as another type."""
    takes = parameters(factory)
    if takes is None:
        return
    for name, value in given.items():
        if name not in takes:
            hint = did_you_mean(name, takes) if takes else " (it takes none)"
            raise ParameterError(f"{owner} has no parameter {brief(name)}{hint}")
        _check_type(takes[name], value, f"{owner}: {name}")
    for name, parameter in takes.items():
        if parameter.default is parameter.empty and name not in given:
            raise ParameterError(f"{owner} needs the parameter '{name}'")


def parameters(factory: Callable[..., Any]) -> dict[str, inspect.Parameter] | None:
    """The parameters by name, with resolved annotations; None if the factory takes anything or does not say."""
    try:
        signature = inspect.signature(factory)
    except (ValueError, TypeError):
        return None
    try:
        hints = typing.get_type_hints(factory.__init__ if inspect.isclass(factory) else factory)
    except Exception:  # noqa: BLE001 - to resolve an annotation is to run it
        hints = {}
    takes = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            return None
        takes[name] = parameter.replace(annotation=hints.get(name, Any))
    return takes


def describe_parameters(factory: Callable[..., Any]) -> str:
    """The parameters with their defaults in a line, as in `window=4 patterns=True`."""
    takes = parameters(factory)
    if takes is None:
        return "..."
    return clean(" ".join(name if p.default is p.empty else f"{name}={_default(p)}" for name, p in takes.items()), 400)


def _default(parameter: inspect.Parameter) -> str:
    try:
        return json.dumps(parameter.default, default=str)
    except Exception:  # noqa: BLE001 - a third party's object may raise anything
        return "..."


def _check_type(parameter: inspect.Parameter, value: Any, owner: str) -> None:
    if parameter.annotation is Any:
        return
    from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError  # slow to import

    try:
        config = ConfigDict(strict=True, arbitrary_types_allowed=True)
        TypeAdapter(parameter.annotation, config=config).validate_python(value)
    except ValidationError as error:
        message = error.errors()[0]["msg"]
        raise ParameterError(f"{owner}: {brief(value)} does not fit: {message[0].lower()}{message[1:]}") from None
    except PydanticUserError:
        return  # an annotation that only its author understands
