"""The functions that the module exports. They take numbers and addresses, and call the kernels.

Each is the compiled counterpart of a Python caller of the kernels. `ENTRIES` lists them with their arguments. The tests
compare the results with those of the callers. A board is an address of bytes, row by row; lists of cells are int32.
"""

from __future__ import annotations

from typing import Any

from sweepstakes.web.engine.conflicts import check_flags, contradict
from sweepstakes.web.engine.exact_agent import exact_turn
from sweepstakes.web.engine.explanations import explain
from sweepstakes.web.engine.games import (
    blur_clues,
    board_three_bv,
    chord,
    count_result,
    deal,
    mines_at,
    most_mines,
    new_game,
    open_start,
    play_events,
    set_layout,
    take_turn,
    true_clues,
)
from sweepstakes.web.engine.noise import noise_table, table_kind
from sweepstakes.web.engine.positions import solve
from sweepstakes.web.engine.review import better_cell, review_end, review_next
from sweepstakes.web.engine.statistics import compare

# The arguments of the exported functions: i an integer of 32 bits, d a float64; b, w, q and r the addresses of int8, of
# int32, of int64 and of float64. All return an integer of 32 bits.
ENTRIES: dict[str, tuple[Any, str]] = {
    "solve": (solve, "iiiiiiibrrbr"),
    "contradict": (contradict, "iiiibrw"),
    "explain": (explain, "iiiiiiibrw"),
    "check_flags": (check_flags, "iiiiiibrb"),
    "exact_turn": (exact_turn, "iiiiiibrwwwr"),
    "noise_table": (noise_table, "idir"),
    "table_kind": (table_kind, "r"),
    "most_mines": (most_mines, "iiii"),
    "mines_at": (mines_at, "iid"),
    "new_game": (new_game, "iiiiibq"),
    "deal": (deal, "iiiiibq"),
    "set_layout": (set_layout, "bbq"),
    "blur_clues": (blur_clues, "iirbq"),
    "take_turn": (take_turn, "iiiiiwbq"),
    "open_start": (open_start, "iwbq"),
    "chord": (chord, "ibqw"),
    "count_result": (count_result, "iiidbqr"),
    "true_clues": (true_clues, "bqb"),
    "board_three_bv": (board_three_bv, "bq"),
    "compare": (compare, "iiiiddrr"),
    "play_events": (play_events, "iiqbqqqq"),
    "review_next": (review_next, "iiiiirbqqqqqqbr"),
    "review_end": (review_end, "iiiiqqqqqrrrr"),
    "better_cell": (better_cell, "iiiiibrw"),
}
