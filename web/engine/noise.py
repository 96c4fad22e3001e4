"""The likelihoods of built-in clue noises: the compiled counterpart of `plugins.noise`."""

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
# Types inside kernels are the compiler's business; the callers are checked.

from __future__ import annotations

from sweepstakes.compiling.decorators import inner
from sweepstakes.web.engine.compiled import carray

EXACT_CLUES, HIDDEN, LIAR, CAUTIOUS, OPTIMISTIC = range(5)


@inner(allocates=True, shared=True)
def table_kind(table_at):
    """Return 1 if exactly the blanks show 0, so that they flood, plus 2 if a clue may be wrong or withheld."""
    table = carray(table_at, (9, 9, 10))
    floods, noisy = 1, 0
    for n in range(9):
        for k in range(9):
            if table[n, k, 0] != (1.0 if k == 0 else 0.0):
                floods = 0
            for s in range(10):
                if table[n, k, s] != (1.0 if s == k else 0.0):
                    noisy = 2
    return floods + noisy


@inner(allocates=True)
def noise_table(kind, rate, blanks, table_at):
    """Write the likelihoods of a built-in clue noise. Return their `table_kind`."""
    table = carray(table_at, (9, 9, 10))
    for n in range(9):
        for k in range(9):
            for s in range(10):
                table[n, k, s] = 0.0
            table[n, k, k] = 1.0
            if k > n or kind == EXACT_CLUES or (k == 0 and not blanks):
                continue
            least = 0 if blanks else 1
            first, last = 9, 9
            if kind == LIAR:
                first, last = k - 1, k + 1
                least_shown, most_shown = least, n
            elif kind == CAUTIOUS:
                first, last = k + 1, n
                least_shown, most_shown = k + 1, n
            elif kind == OPTIMISTIC:
                first, last = least, k - 1
                least_shown, most_shown = least, k - 1
            else:
                least_shown, most_shown = 9, 9
            others = 0
            for s in range(first, last + 1):
                others += s != k and least_shown <= s <= most_shown
            if others == 0:
                continue
            table[n, k, k] = 1.0 - rate
            for s in range(first, last + 1):
                if s != k and least_shown <= s <= most_shown:
                    table[n, k, s] += rate / others
    return table_kind(table_at)
