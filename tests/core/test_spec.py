"""A name with parameters: text and value, both ways."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import ParameterError
from sweepstakes.registry.spec import Spec


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("chain", Spec("chain")),
        (" chain ", Spec("chain")),
        ("chain()", Spec("chain")),
        ("chain(window=6)", Spec("chain", {"window": 6})),
        ("chain( window = 6 , patterns = false )", Spec("chain", {"window": 6, "patterns": False})),
        ("basic(scope=last)", Spec("basic", {"scope": "last"})),
        ('basic(scope="last")', Spec("basic", {"scope": "last"})),
        ("hidden(rate=0.25)", Spec("hidden", {"rate": 0.25})),
        ("file(path=boards/a-1.mbf)", Spec("file", {"path": "boards/a-1.mbf"})),
        ('file(path=["a, b.txt", "c).txt"])', Spec("file", {"path": ["a, b.txt", "c).txt"]})),
        ("x(a=1e-3,b=null,c=-2)", Spec("x", {"a": 0.001, "b": None, "c": -2})),
        ("x(a=NaN)", Spec("x", {"a": "NaN"})),
        ("hidden(rate=.25)", Spec("hidden", {"rate": 0.25})),
        ("x(a=+3,b=007,c=1.,d=-.5e1)", Spec("x", {"a": 3, "b": 7, "c": 1.0, "d": -5.0})),
        ("x(a=12abc)", Spec("x", {"a": "12abc"})),
        ("mine.py", Spec(file="mine.py")),
        ("./some where/mine.py:careful", Spec("careful", file="./some where/mine.py")),
        ("mine.py(depth=2)", Spec(parameters={"depth": 2}, file="mine.py")),
        ("a(b)/mine.py:careful@2(depth=2)", Spec("careful", {"depth": 2}, "a(b)/mine.py", "2")),
        ("mine.py.py", Spec(file="mine.py.py")),
        ("chain@1", Spec("chain", version="1")),
        ("chain@v2(window=6)", Spec("chain", {"window": 6}, version="v2")),
        ("command:./solver --fast (a=1)", Spec(command="./solver --fast (a=1)")),
    ],
)
def test_a_text_is_read(text: str, spec: Spec) -> None:
    assert Spec.parse(text) == spec
    assert Spec.parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the name is missing"),
        ("(a=1)", "the name is missing"),
        ("Chain", "did you mean 'chain'?"),
        ("my agent", "is no name: expected NAME"),
        ("chain(window=6", "the closing ')' is missing"),
        ("chain(a=1", "at the comma: put the whole in quotes"),
        ("b=2)", "at the comma: put the whole in quotes"),
        ("chain(window)", "expected parameter=value, found 'window'"),
        ("chain(6)", "expected parameter=value, found '6'"),
        ("chain(a=1,)", "expected parameter=value, found nothing"),
        ("chain(a=1,a=2)", "the parameter 'a' stands here twice"),
        ("chain(a=)", "a has no value"),
        ("chain(a='b c')", "stands in double quotes"),
        ("chain(a=1 b=2)", "expected ',' or ')' at the end of a"),
        ("chain(a=1) more", "expected ',' or ')'"),
        ("chain@", "expected a version after '@', as in chain@1"),
        ("chain@1 more", "after the name"),
        ("mine.py:", "is no name: expected FILE.py:NAME"),
        ("mine.py:Bad Name", "is no name: expected FILE.py:NAME"),
        ("command:", "the program is missing"),
        ("x" * 3000, "it has 3,000 characters"),
        ("chain\x1b[31m(", "is no name"),
    ],
)
def test_a_mistake_is_answered_in_one_short_line(text: str, words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Spec.parse(text)
    message = str(caught.value)
    assert words in message
    assert message.isprintable()
    assert len(message) < 300


def test_a_mapping_of_a_name_to_its_parameters_is_the_same() -> None:
    assert Spec.of({"chain": {"window": 6}}) == Spec.of("chain(window=6)") == Spec("chain", {"window": 6})
    assert Spec.of({"chain": None}) == Spec("chain")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, "expected one name"),
        ({"a": {}, "b": {}}, "found 2 keys"),
        ({"chain": 6}, "expected its parameters as a mapping"),
        ({"chain(window=6)": {"window": 7}}, "'window' stands here twice"),
        ({1: {}}, "expected one name"),
        ({"command:x": {"a": 1}}, "a program takes no parameters"),
    ],
)
def test_other_mappings_are_refused(value: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Spec.of(value)


texts = st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S")), max_size=20)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
names = st.from_regex(r"\A[a-z0-9][a-z0-9_-]{0,8}\Z")


@given(
    names,
    st.dictionaries(st.from_regex(r"\A[a-z][a-z0-9_]{0,6}\Z"), json_values, max_size=4),
    st.sampled_from(["", "1"]),
)
def test_what_is_printed_can_be_pasted_back(name: str, parameters: dict[str, Any], version: str) -> None:
    spec = Spec(name, parameters, version=version)
    assert Spec.parse(str(spec)) == spec
    assert hash(Spec.parse(str(spec))) == hash(spec)


@given(st.text(max_size=60) | st.from_regex(r"[a-z(),=@:.py \"]{0,30}"))
def test_any_text_is_a_spec_or_a_mistake(text: str) -> None:
    try:
        spec = Spec.parse(text)
    except ParameterError:
        return
    assert Spec.parse(str(spec)) == spec
