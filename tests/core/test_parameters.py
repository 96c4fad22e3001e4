from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pytest

from sweepstakes import ParameterError
from sweepstakes.registry.parameters import check_parameters, describe_parameters

if TYPE_CHECKING:
    from somewhere import Unknown  # type: ignore[import-not-found]


class Chain:
    """Takes three parameters, one of which it needs."""

    def __init__(self, depth: int, window: float = 4.0, mode: Literal["fast", "slow"] = "fast") -> None: ...


class Nothing:
    """Takes none."""


class Unresolved:
    """Has an annotation that only type checkers know."""

    def __init__(self, depth: Unknown, window: int = 4) -> None: ...


class WrongAnnotation:
    """Has an annotation that raises."""

    def __init__(self, depth: int.nothing = 1) -> None: ...  # type: ignore[name-defined]


class Anything:
    """Takes whatever it is given."""

    def __init__(self, **given: Any) -> None: ...


@dataclass
class Data:
    """Says what it takes by its fields."""

    depth: int = 3
    names: list[str] | None = None


def function(depth: int = 1) -> Chain:
    """Make a chain."""
    return Chain(depth)


@pytest.mark.parametrize(
    ("factory", "given"),
    [
        (Chain, {"depth": 3}),
        (Chain, {"depth": 3, "window": 6, "mode": "slow"}),
        (Nothing, {}),
        (Unresolved, {"depth": object()}),
        (WrongAnnotation, {"depth": 1}),
        (Anything, {"whatever": 3}),
        (Data, {"names": ["a"]}),
        (Data, {"names": None}),
        (function, {"depth": 2}),
        (functools.partial(Chain, depth=3), {"window": 2}),
    ],
)
def test_parameters_that_fit_are_taken(factory: Any, given: dict[str, Any]) -> None:
    check_parameters(factory, given, "agent 'chain'")


@pytest.mark.parametrize(
    ("factory", "given", "message"),
    [
        (Chain, {"dept": 3}, r"^agent 'chain' has no parameter 'dept' \(did you mean 'depth'\?\)$"),
        (Chain, {"x": 3}, r"^agent 'chain' has no parameter 'x' \(known: depth, mode, window\)$"),
        (Nothing, {"x": 3}, r"^agent 'chain' has no parameter 'x' \(it has no parameters\)$"),
        (Chain, {}, "^agent 'chain' needs the parameter 'depth'$"),
        (Chain, {"depth": "3"}, "^agent 'chain': depth: '3' is invalid: expected a whole number$"),
        (Chain, {"depth": 3.5}, "^agent 'chain': depth: 3.5 is invalid"),
        (Chain, {"depth": True}, "^agent 'chain': depth: True is invalid"),
        (Chain, {"depth": None}, "^agent 'chain': depth: None is invalid"),
        (Chain, {"depth": 1, "window": "x"}, "^agent 'chain': window: 'x' is invalid"),
        (Chain, {"depth": 1, "mode": "medium"}, "^agent 'chain': mode: 'medium' is invalid: .*'fast' or 'slow'"),
        (Data, {"names": "abc"}, "^agent 'chain': names: 'abc' is invalid"),
        (function, {"dpth": 1}, "did you mean 'depth'"),
        (Unresolved, {"widnow": 1}, "did you mean 'window'"),
        (WrongAnnotation, {"dpth": 1}, "did you mean 'depth'"),
        (functools.partial(Chain, depth=3), {"windw": 2}, "did you mean 'window'"),
    ],
)
def test_parameters_that_do_not_fit_are_refused_by_a_sentence(factory: Any, given: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        check_parameters(factory, given, "agent 'chain'")


@pytest.mark.parametrize(
    ("factory", "text"),
    [
        (Chain, 'depth window=4.0 mode="fast"'),
        (Nothing, ""),
        (Unresolved, "depth window=4"),
        (Anything, "..."),
        (Data, "depth=3 names=null"),
    ],
)
def test_parameters_are_described_with_their_defaults(factory: Any, text: str) -> None:
    assert describe_parameters(factory) == text
