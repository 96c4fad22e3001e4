"""Measures the time of calling a compiled function: by numba, and by ctypes, which code compiled ahead of time needs.

python benchmarks/foreign_calls.py

The function does nothing, and has the parameters of the referee's kernel `take`: six arrays, of which three are new in
each turn, and a number. By ctypes each array is an address and a length. If an array is used again, its
address can be stored. Times are processor times, the lowest of seven rounds.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from time import process_time

import numba
import numpy as np
from numba import types

CALLS, ROUNDS = 20_000, 7


@numba.njit
def nothing(planes, counters, log, unflag, flag, opens, head):  # type: ignore[no-untyped-def]
    """Return the last argument."""
    return head


@numba.cfunc(types.int64(*[types.voidptr, types.int64] * 6, types.int64))
def raw(a, m, b, n, c, o, d, p, e, q, f, r, head):  # type: ignore[no-untyped-def]
    """Return the last argument; the others are addresses and lengths."""
    return head


def microseconds(call: Callable[[], object]) -> float:
    """The processor time of a call."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = process_time()
        for _ in range(CALLS):
            call()
        best = min(best, process_time() - begun)
    return best / CALLS * 1e6


def main() -> None:
    planes, counters, log = np.zeros(1440, np.int8), np.zeros(20, np.int64), np.zeros(0, np.int64)
    new = np.zeros(1, np.int64)
    at = [array.ctypes.data for array in (planes, counters, log)]
    assert raw.address is not None  # it has been compiled
    call = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p, ctypes.c_int64] * 6, ctypes.c_int64)(raw.address)

    def by_numba() -> object:
        return nothing(planes, counters, log, new, new, new, 1)

    def by_ctypes() -> object:
        here = new.ctypes.data, new.ctypes.data, new.ctypes.data
        return call(at[0], 1440, at[1], 20, at[2], 0, here[0], 1, here[1], 1, here[2], 1, 1)

    def by_ctypes_with_known_addresses() -> object:
        return call(at[0], 1440, at[1], 20, at[2], 0, at[0], 1, at[0], 1, at[0], 1, 1)

    assert by_numba() == by_ctypes() == by_ctypes_with_known_addresses() == 1
    print(f"numba                               {microseconds(by_numba):6.2f} us")
    print(f"ctypes, three arrays new            {microseconds(by_ctypes):6.2f} us")
    print(f"ctypes, all addresses known before  {microseconds(by_ctypes_with_known_addresses):6.2f} us")


if __name__ == "__main__":
    main()
