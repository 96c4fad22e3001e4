from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from sweepstakes import Rng
from sweepstakes.game.rng import MASK, derive


@pytest.mark.parametrize(
    ("seed", "numbers"),
    [
        (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]),
        (
            1234567,
            [
                6457827717110365317,
                3203168211198807973,
                9817491932198370423,
                4593380528125082431,
                16408922859458223821,
            ],
        ),
    ],
)
def test_bits_are_the_published_numbers_of_splitmix64(seed: int, numbers: list[int]) -> None:
    rng = Rng(seed)
    assert [rng.bits() for _ in numbers] == numbers


def test_a_seed_is_taken_modulo_two_to_the_64() -> None:
    assert Rng(5).bits() == Rng(5 + 2**64).bits() == Rng(5 - 2**64).bits()


@given(st.integers(1, MASK), st.integers(0, MASK))
def test_below_stays_below(n: int, seed: int) -> None:
    rng = Rng(seed)
    assert all(0 <= rng.below(n) < n for _ in range(5))


@pytest.mark.parametrize("n", [2, 3, 7, 10])
def test_below_is_uniform(n: int) -> None:
    rng = Rng(2026)
    counts = Counter(rng.below(n) for _ in range(20_000))
    assert sorted(counts) == list(range(n))
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_below_rejects_what_would_favour_small_results() -> None:
    n = 2**63 + 1  # only half of all numbers are acceptable, so a draw without rejection differs at once
    rng, raw = Rng(1), Rng(1)
    accepted = [z for z in (raw.bits() for _ in range(200)) if z < n]
    assert 60 < len(accepted) < 140
    assert [rng.below(n) for _ in accepted] == accepted


@pytest.mark.parametrize("n", [0, -1, 2**64])
def test_below_refuses_what_has_no_numbers_below_it(n: int) -> None:
    with pytest.raises(ValueError, match=r"expected 1 to 2\*\*64 - 1"):
        Rng(0).below(n)


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64])
def test_below_takes_numpys_integers(kind: type[np.integer]) -> None:
    one, two = Rng(3), Rng(3)
    drawn = [one.below(kind(100)) for _ in range(20)]  # type: ignore[arg-type]
    assert drawn == [two.below(100) for _ in range(20)]
    assert {type(number) for number in drawn} == {int}


def test_below_refuses_a_float() -> None:
    with pytest.raises(TypeError):
        Rng(0).below(2.5)  # type: ignore[arg-type]


def test_random_is_a_float_of_53_bits_in_the_unit_interval() -> None:
    rng = Rng(9)
    numbers = [rng.random() for _ in range(2000)]
    assert all(0 <= x < 1 and (x * 2**53).is_integer() for x in numbers)
    assert chisquare(np.histogram(numbers, 10, (0, 1))[0]).pvalue > 1e-3


def test_shuffle_makes_every_order_equally_likely() -> None:
    rng = Rng(11)
    counts: Counter[str] = Counter()
    for _ in range(12_000):
        items = list("abcd")
        rng.shuffle(items)
        counts["".join(items)] += 1
    assert len(counts) == 24
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_choice_takes_each_option_by_its_place() -> None:
    rng, twin = Rng(4), Rng(4)
    assert [rng.choice("abc") for _ in range(30)] == ["abc"[twin.below(3)] for _ in range(30)]


def test_derive_is_the_beginning_of_sha256_and_stays_what_it_is() -> None:
    text = "\x1f".join(["board", "2026", "uniform", "16", "30", "99", "0"])
    expected = int(hashlib.sha256(text.encode()).hexdigest()[:16], 16)
    assert derive("board", 2026, "uniform", 16, 30, 99, 0) == expected == 1390246117344968150
    assert derive("noise", 1) == 994372315305499219


def test_derive_keeps_its_parts_apart() -> None:
    assert len({derive("a", "bc"), derive("ab", "c"), derive("a", "b", "c"), derive("abc")}) == 4
