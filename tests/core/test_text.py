"""Third-party text, whatever it contains, is stored and printed as one harmless line."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from sweepstakes.untrusted.text import clean


def test_terminal_escapes_go_as_whole_sequences() -> None:
    assert clean("\x1b[31mred\x1b[0m \x1b]0;title\x07done") == "red done"


def test_lines_become_one_line() -> None:
    assert clean("one\n two\r\n\tthree") == "one two three"


def test_what_cannot_be_printed_is_replaced() -> None:
    assert clean("a\ud800b\u202ec\x00d") == "a�b�c�d"


def test_the_place_in_memory_is_left_out() -> None:
    assert clean("<thing at 0x7f3a00>") == "<thing>"


def test_long_text_is_cut_and_says_so() -> None:
    assert clean("x" * 5000, 50) == "x" * 47 + "..."


def test_a_subclass_of_str_runs_none_of_its_code() -> None:
    class Liar(str):
        def __str__(self) -> str:
            raise AssertionError("called")

        def __len__(self) -> int:
            raise AssertionError("called")

        def __getitem__(self, key: object) -> str:
            raise AssertionError("called")

    found = clean(Liar("words"))
    assert type(found) is str
    assert found == "words"


@given(st.text(st.characters()), st.integers(10, 300))
def test_whatever_comes_in_a_line_that_can_be_encoded_comes_out(text: str, longest: int) -> None:
    found = clean(text, longest)
    found.encode()
    assert len(found) <= longest
    assert found == found.strip()
    assert all(unicodedata.category(mark) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for mark in found)
    assert clean(found, longest) == found
