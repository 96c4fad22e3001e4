from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import ParameterError
from sweepstakes.parameters import check_parameters, describe_parameters, label, parse_call
from sweepstakes.text import INVISIBLE

if TYPE_CHECKING:
    from somewhere import Unknown


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
        (Nothing, {"x": 3}, r"^agent 'chain' has no parameter 'x' \(it takes none\)$"),
        (Chain, {}, "^agent 'chain' needs the parameter 'depth'$"),
        (Chain, {"depth": "3"}, "^agent 'chain': depth: '3' does not fit: input should be a valid integer$"),
        (Chain, {"depth": 3.5}, "^agent 'chain': depth: 3.5 does not fit"),
        (Chain, {"depth": True}, "^agent 'chain': depth: True does not fit"),
        (Chain, {"depth": None}, "^agent 'chain': depth: None does not fit"),
        (Chain, {"depth": 1, "window": "x"}, "^agent 'chain': window: 'x' does not fit"),
        (Chain, {"depth": 1, "mode": "medium"}, "^agent 'chain': mode: 'medium' does not fit: .*'fast' or 'slow'"),
        (Data, {"names": "abc"}, "^agent 'chain': names: 'abc' does not fit"),
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


visible = st.text(st.characters(exclude_categories=tuple(INVISIBLE)), max_size=6)  # other text is refused
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6) | visible,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,5}", fullmatch=True), values, max_size=4))
def test_a_label_reads_back_and_does_not_depend_on_the_order(given: dict[str, Any]) -> None:
    text = label("chain", given)
    assert text == label("chain", dict(reversed(given.items())))
    assert "\n" not in text
    assert parse_call(text) == ("chain", given)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "chain"),
        ({"window": 6}, "chain(window=6)"),
        ({"b": 0.25, "a": True, "c": None, "d": "x y"}, 'chain(a=true,b=0.25,c=null,d="x y")'),
    ],
)
def test_a_label_has_one_form_for_ever(given: dict[str, Any], text: str) -> None:
    assert label("chain", given) == text


def test_people_may_write_bare_words() -> None:
    assert parse_call(" chain( mode = fast, window=.5,stop = yes )") == (
        "chain",
        {"mode": "fast", "window": 0.5, "stop": True},
    )
    assert parse_call("chain()") == ("chain", {})


@pytest.mark.parametrize(
    "text", ["chain(", "chain(window", "chain(window)", "chain(window=3", "chain(a=1,b)", "a(b=[)"]
)
def test_what_is_no_label_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"expected name or name\(parameter=value,...\)|is no value"):
        parse_call(text)
