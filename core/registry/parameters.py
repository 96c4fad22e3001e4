"""Parameters of agents, board sources, noises and scores, checked against the signature of the factory."""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sweepstakes.errors import ParameterError, brief, did_you_mean, expectation
from sweepstakes.untrusted.text import clean


def check_parameters(factory: Callable[..., Any], values: Mapping[str, Any], owner: str) -> None:
    """Raise `ParameterError` for a parameter that is unknown to the factory, missing, or of another type."""
    signature = parameters(factory)
    if signature is None:
        return
    for name, value in values.items():
        if name not in signature:
            hint = did_you_mean(name, signature) if signature else " (it has no parameters)"
            raise ParameterError(f"{owner} has no parameter {brief(name)}{hint}")
        _check_type(signature[name], value, f"{owner}: {name}")
    for name, parameter in signature.items():
        if parameter.default is parameter.empty and name not in values:
            raise ParameterError(f"{owner} needs the parameter '{name}'")


def parameters(factory: Callable[..., Any]) -> dict[str, inspect.Parameter] | None:
    """Return the parameters by name, with resolved annotations, or None if the signature is unknown or not fixed."""
    try:
        signature = inspect.signature(factory)
    except (ValueError, TypeError):
        return None
    try:
        hints = typing.get_type_hints(factory.__init__ if inspect.isclass(factory) else factory)
    except Exception:  # noqa: BLE001 - resolving an annotation runs third-party code
        hints = {}
    by_name = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            return None
        by_name[name] = parameter.replace(annotation=hints.get(name, Any))
    return by_name


def describe_parameters(factory: Callable[..., Any]) -> str:
    """Return the parameters with their defaults in a line, as in `window=4 patterns=true`."""
    by_name = parameters(factory)
    if by_name is None:
        return "..."
    words = [name if p.default is p.empty else f"{name}={_default(p)}" for name, p in by_name.items()]
    return clean(" ".join(words), 400)


class Description(NamedTuple):
    """What `sweepstakes` shows users about an offer."""

    summary: str = ""
    """The first paragraph of its docstring."""
    parameters: str = ""
    """Its parameters with their defaults, in a line."""
    needs: tuple[str, ...] = ()
    """The parameters without a default."""
    repeatable: bool = True
    """Whether an agent plays a game the same way every time."""


def describe_factory(factory: Callable[..., Any]) -> Description:
    """Return the description of a factory, which may be a third-party class."""
    try:
        text = factory.__doc__  # getdoc would return the docstring of `Agent` for an undocumented agent
        summary = clean(inspect.cleandoc(text).split("\n\n")[0], 400) if isinstance(text, str) else ""
    except Exception:  # noqa: BLE001 - a third-party class may raise anything
        summary = ""
    needs = tuple(name for name, p in (parameters(factory) or {}).items() if p.default is p.empty)
    return Description(summary, describe_parameters(factory), needs, _is_repeatable(factory))


def _is_repeatable(factory: Callable[..., Any]) -> bool:
    """Return False if a factory declares `repeatable = False`."""
    try:
        return getattr(factory, "repeatable", True) is not False
    except Exception:  # noqa: BLE001 - a third-party class may raise anything
        return True


def _default(parameter: inspect.Parameter) -> str:
    try:
        return json.dumps(parameter.default, default=str)
    except Exception:  # noqa: BLE001 - a third-party object may raise anything
        return "..."


def _check_type(parameter: inspect.Parameter, value: Any, owner: str) -> None:
    if parameter.annotation is Any:
        return
    from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError  # slow to import

    try:
        config = ConfigDict(strict=True, arbitrary_types_allowed=True)
        TypeAdapter(parameter.annotation, config=config).validate_python(value)
    except ValidationError as error:
        message = expectation(error.errors()[0]["msg"])
        raise ParameterError(f"{owner}: {brief(value)} is invalid: {message}") from None
    except PydanticUserError:
        return  # pydantic cannot check this annotation
