"""The kernels as functions that the entries of the module call, and numbers that several entries use."""

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
# Types inside kernels are the compiler's business; the callers are checked.

from __future__ import annotations

from typing import Any

import numba

from sweepstakes.compiling.decorators import inner
from sweepstakes.game import mouse_kernels, result
from sweepstakes.game import referee_kernels as referee
from sweepstakes.inference import proofs as proofs_module
from sweepstakes.inference.deduction import guess as guess_kernels
from sweepstakes.inference.exact import marginals, order
from sweepstakes.inference.exact import scan as scan_kernels
from sweepstakes.plugins.agents import exact
from sweepstakes.review import arithmetic
from sweepstakes.review import review_kernels as walking

proofs: Any = proofs_module  # with the names that it imports from the kernels of proofs
PAD = proofs.PAD
row_start: Any = marginals.row_start  # type: ignore[attr-defined]
carray = numba.carray  # type: ignore[attr-defined]  # an array at an address


def _again(kernel: Any, *, allocates: bool = False) -> Any:
    """Return a kernel as a function that entries call: compiled with them, and not cached."""
    return inner(allocates=allocates)(getattr(kernel, "py_func", kernel))


scan = _again(scan_kernels.scan)
sum_layouts = _again(marginals.sum_layouts)
drop_clues = _again(order.drop_clues)
prove = _again(proofs.prove)
least_probable = _again(guess_kernels.least_probable)
place_mines = _again(referee.place_mines, allocates=True)
count_mines = _again(referee.count_mines, allocates=True)
blur = _again(referee.blur)
take = _again(referee.take, allocates=True)
three_bv = _again(referee.three_bv, allocates=True)
standing_flags = _again(referee.standing_flags)
max_turns = _again(result.max_turns)
opening_cell = _again(exact.opening_cell)
play_mouse = _again(mouse_kernels.play_mouse, allocates=True)
go_on = _again(walking.go_on, allocates=True)
possible_clues = _again(walking.possible_clues)
sum_up = _again(arithmetic.sum_up, allocates=True)

# Marks a position without a mine count: each cell is a mine independently, with probability 1/2.
NO_COUNT = -1
TABLE = 810
