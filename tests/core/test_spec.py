"""A name with parameters: text and value, both ways."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import ParameterError
from sweepstakes.spec import Spec


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
        ("command:./solver --fast", Spec(words=("./solver", "--fast"))),
        ("command:./solver --fast (a=1)", Spec(parameters={"a": 1}, words=("./solver", "--fast"))),
        ("command:./solver --fast(a=1)", Spec(parameters={"a": 1}, words=("./solver", "--fast"))),
        ("command: ./solver '(a=1)' ''", Spec(words=("./solver", "(a=1)", ""))),
        ('command:"my solver" a\\(b', Spec(words=("my solver", "a(b"))),
        ("command:./solver@2", Spec(words=("./solver@2",))),
        ('command:x(files=["a b", "c"],b=2)', Spec(parameters={"b": 2}, words=("x",), files=("a b", "c"))),
        ("mine.py:careful(files=w.npz)", Spec("careful", file="mine.py", files=("w.npz",))),
        ("chain(files=3)", Spec("chain", {"files": 3})),
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
        ("my agent", "is not a valid name: expected NAME"),
        ("chain(window=6", "the closing ')' is missing"),
        ("chain(a=1", "at the comma: put it in quotes"),
        ("b=2)", "at the comma: put it in quotes"),
        ("chain(window)", "expected parameter=value, found 'window'"),
        ("chain(6)", "expected parameter=value, found '6'"),
        ("chain(a=1,)", "expected parameter=value, found nothing"),
        ("chain(a=1,a=2)", "parameter 'a' is given twice"),
        ("chain(a=)", "a has no value"),
        ("chain(a='b c')", "put text with special characters in double quotes"),
        ("chain(a=1 b=2)", "expected ',' or ')' at the end of a"),
        ("chain(a=1) more", "expected ',' or ')'"),
        ("chain@", "expected a version after '@', as in chain@1"),
        ("chain@1 more", "after the name"),
        ("mine.py:", "is not a valid name: expected FILE.py:NAME"),
        ("mine.py:Bad Name", "is not a valid name: expected FILE.py:NAME"),
        ("command:", "the program is missing"),
        ("command: '' --fast", "the program is missing"),
        ("command:./solver 'it", "has unbalanced quotes"),
        ("command:./solver \\", "has unbalanced quotes"),
        ("command:./solver 'a\tb'", "has a character that cannot be printed"),
        ("command:./solver (a=1) --fast", "expected ',' or ')' at the end of a"),
        ("command:./solver (--fast)", "expected parameter=value, found '--fast'"),
        ("command:./solver(files=3)", "files: 3: expected a list of paths"),
        ("mine.py(files=[1])", "expected a list of paths"),
        ('mine.py(files=[""])', "expected paths that can be printed"),
        (f"mine.py(files={['w'] * 101})".replace("'", '"'), "files: 101 paths: expected at most 100"),
        ("x" * 3000, "it has 3,000 characters"),
        ("chain\x1b[31m(", "is not a valid name"),
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
        ({"chain(window=6)": {"window": 7}}, "'window' is given twice"),
        ({1: {}}, "expected one name"),
        ({"command:x(a=2)": {"a": 1}}, "'a' is given twice"),
        ({"command:x(files=a)": {"files": "b"}}, "'files' is given twice"),
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
printable = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")) | st.just(" "), max_size=12)
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


@given(
    st.lists(printable, max_size=3).map(lambda words: ["./x", *words]) | st.just(["a b(c)'d\\"]),
    st.dictionaries(
        st.from_regex(r"\A[a-z][a-z0-9_]{0,6}\Z").filter(lambda key: key != "files"), json_values, max_size=3
    ),
    st.lists(printable.map(lambda path: f"w{path}"), max_size=3),
)
def test_a_program_that_is_printed_can_be_pasted_back(
    words: list[str], parameters: dict[str, Any], files: list[str]
) -> None:
    spec = Spec.program(words).adding({**parameters, "files": files})
    again = Spec.parse(str(spec))
    assert (again.words, dict(again.parameters), again.files) == (tuple(words), parameters, tuple(files))
    assert again == spec == pickle.loads(pickle.dumps(spec))
    assert not again.name + again.file + again.version


def test_on_every_machine_a_program_has_the_same_portable_spec() -> None:
    one = Spec.parse('command:/home-of-one/bots/first_c --rate 1/2 /home-of-one/w.bin(files=["/home-of-one/x"])')
    two = Spec.parse('command:/two/first_c --rate 1/2 /two/data/w.bin(files=["/two/x"])')
    assert one != two
    assert one.portable == two.portable == Spec.parse("command:./first_c --rate 1/2 w.bin(files=x)")
    assert str(Spec.parse("command:python3 bots/x.py").portable) == "command:python3 bots/x.py"
    assert one.portable.portable == one.portable


@given(
    st.text(max_size=60)
    | st.from_regex(r"[a-z(),=@:.py \"]{0,30}")
    | st.from_regex(r"command:[a-z(),=\\\[\]'\" \t]{0,30}")
)
def test_any_text_is_a_spec_or_a_mistake(text: str) -> None:
    try:
        spec = Spec.parse(text)
    except ParameterError:
        return
    assert Spec.parse(str(spec)) == spec
