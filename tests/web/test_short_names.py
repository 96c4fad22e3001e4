"""Short names of agents on pages with many of them."""

from __future__ import annotations

import pytest

from sweepstakes.web.data.short_names import short_names


@pytest.mark.parametrize(
    ("labels", "short", "left_out"),
    [
        (
            ['chain(guess="exact",window=1)', 'chain(guess="share",window=1)'],
            ["guess=exact", "guess=share"],
            "chain(window=1)",
        ),
        (["chain(window=1)", "chain(window=2,patterns=false)"], ["window=1", "window=2, patterns=false"], "chain"),
        (["basic", "chain(a=1,b=1)", "chain(a=1,b=2)"], ["basic", "chain(b=1)", "chain(b=2)"], ""),
        (["chain", "chain(window=6)"], ["chain", "chain(window=6)"], ""),
        (["a.py:slow(n=1)", "a.py:slow(n=2)", "exact"], ["a.py:slow(n=1)", "a.py:slow(n=2)", "exact"], ""),
        (["chain(window=6)"], ["chain(window=6)"], ""),
        (["window 1", "command:./x(n=1)"], ["window 1", "command:./x(n=1)"], ""),
    ],
)
def test_names_leave_out_what_all_agents_of_one_name_share(labels: list[str], short: list[str], left_out: str) -> None:
    assert short_names(labels) == (dict(zip(labels, short, strict=True)), left_out)


def test_names_that_would_become_equal_stay_as_they_are() -> None:
    labels = ["chain(a=1,b=2)", "chain(a=1,b=3)", "chain(b=2)"]
    names, _ = short_names(labels)
    assert len(set(names.values())) == len(labels)
