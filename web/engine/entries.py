"""What the module exports: functions that take numbers and addresses, and call the kernels.

Each repeats, compiled, what a Python caller of the kernels does; `ENTRIES` lists them with their arguments. The tests
compare the answers with those of the callers. A board is addressed as bytes, row by row; lists of cells are int32.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
# Types inside kernels are the compiler's business; the callers are checked.

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.game import referee_kernels as referee
from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.inference import proofs as proofs_module
from sweepstakes.inference.deduction import guess as guess_kernels
from sweepstakes.inference.exact import marginals, order
from sweepstakes.inference.exact import scan as scan_kernels
from sweepstakes.inference.exact.layout import (
    APPROXIMATE,
    ARCS_PER_STATE,
    AROUND,
    BY_LAYOUTS,
    BY_ODDS,
    CELL_ROWS,
    CLUE_AT,
    DROPPED,
    FLAT,
    IGNORED,
    INCONSISTENT,
    LEAST_ROW,
    MINE_LIST,
    NARROW_ROWS,
    OK,
    OVER,
    SAFE_LIST,
    SCRATCH_ROWS,
    USED,
    VALUES_PER_STATE,
)
from sweepstakes.inference.exact.workspace import FIRST_CAPACITY, LEAST_BUDGET

proofs: Any = proofs_module  # with the names that it imports from the kernels of proofs
PAD = proofs.PAD
row_start: Any = marginals.row_start  # type: ignore[attr-defined]
carray = numba.carray  # type: ignore[attr-defined]  # an array at an address


def _again(kernel: Any, *, allocates: bool = False) -> Any:
    """A kernel as a function that entries call: compiled with them, and not cached."""
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

# The rule about the first click, as numbers.
ANY, SAFE, OPENING = 0, 1, 2
# A question about a position without a mine count: each cell is a mine by itself, with probability 1/2.
NO_COUNT = -1
TABLE = 810


# ---- The exact engine: `inference.posterior`, `under_rules`, `blame`, `proofs`, `flags`.


@inner
def bits_of_length(number):
    """`int.bit_length`."""
    bits = 0
    while number > 0:
        bits += 1
        number >>= 1
    return bits


@inner(allocates=True, shared=True)
def make_states(capacity):
    """The arrays of a workspace that grow, as `Workspace.grow` makes them."""
    slots = 1 << bits_of_length(2 * capacity - 1)
    room = capacity + 4
    wide = np.zeros((2, room + slots + USED), np.int64)
    narrow = np.empty((NARROW_ROWS, ARCS_PER_STATE * room), np.int32)
    real = np.empty((ARCS_PER_STATE + VALUES_PER_STATE) * room, np.float64)
    return wide, narrow, real


@inner
def write_steps(around, cols):
    """The steps from a padded cell to its neighbours, as `steps_around` has them."""
    place = 0
    for row in range(-1, 2):
        for col in range(-1, 2):
            if row != 0 or col != 0:
                around[place] = row * (cols + 2 * PAD) + col
                place += 1


@inner(allocates=True, shared=True)
def make_workspace(rows, cols):
    """The arrays of a workspace that depend on the board, as `Workspace` makes them: cells, links and scratch."""
    padded = max((rows + 2 * PAD) * (cols + 2 * PAD), LEAST_ROW)
    cells = np.zeros((CELL_ROWS, padded), np.int32)
    for p in range(padded):
        cells[CLUE_AT, p] = -1
        cells[FLAT, p] = -1
    write_steps(cells[AROUND], cols)
    for row in range(rows):
        for col in range(cols):
            cells[FLAT, row_start(row, cols) + col] = row * cols + col
    links = np.empty((2, 8 * padded), np.int32)
    coefficients = 2 * rows * cols * (bits_of_length(rows * cols) + 2)
    scratch = np.empty((SCRATCH_ROWS, max(coefficients, LEAST_ROW)), np.float64)
    return cells, links, scratch


@inner(allocates=True, shared=True)
def answer_position(shown, table, noisy, trust_flags, mines, stops, probability, certain):
    """What `posterior` and `decide` answer: (status, safe cells, mines, guess, its probability, log weight), workspace.

    `stops` is `stop_at_first_safe`. Without a mine count (`NO_COUNT`) every layout of all cells weighs the same.
    """
    rows, cols = shown.shape
    cells, links, scratch = make_workspace(rows, cols)
    unknown, known, safe, found, bad = scan(shown, table, noisy, trust_flags, cells)
    if stops and safe > 0 and bad < 0:
        return OK, safe, found, np.int64(-1), np.nan, np.nan, cells
    rest = unknown - safe - found
    mode, odds, rest_chance = np.int64(BY_LAYOUTS), 1.0, np.nan
    left = np.int64(0)
    if mines == NO_COUNT:
        mode, rest_chance = np.int64(BY_ODDS), 0.5
    else:
        left = mines - known - found
    if bad >= 0 or left < 0 or left > rest:
        return INCONSISTENT, np.int64(0), np.int64(0), np.int64(-1), np.nan, -np.inf, cells
    budget = max(LEAST_BUDGET, 4 * rows * cols)
    capacity = FIRST_CAPACITY
    bits = 1024 * (bits_of_length(budget) + 4)
    drops = False
    wide, narrow, real = make_states(capacity)
    while True:
        status, number, now_safe, now_found, guess, chance, weight, _ = sum_layouts(
            shown,
            table,
            noisy,
            (left, rest, safe, found),
            (mode, odds, rest_chance),
            budget,
            cells,
            links,
            wide,
            narrow,
            real,
            scratch,
            probability,
            certain,
        )
        if status != OVER:
            break
        if capacity < budget:
            capacity = min(budget, 4 * capacity)
            wide, narrow, real = make_states(capacity)
            continue
        drops = True
        while bits > 0 and drop_clues(cells, links, number, bits) == 0:
            bits -= 2048
        if bits <= 0:
            for p in range(cells.shape[1]):
                if cells[CLUE_AT, p] >= 0:
                    cells[DROPPED, p] = 1
        bits -= 2048
    if drops and status == OK:
        status = np.int64(APPROXIMATE)
    return status, now_safe, now_found, guess, chance, weight, cells


@inner(shared=True)
def is_first_click_safe(shown, first_click, has_start):
    """As `under_rules.is_first_click_safe`."""
    if first_click == ANY or has_start:
        return False
    for row in range(shown.shape[0]):
        for col in range(shown.shape[1]):
            if shown[row, col] >= 0 or shown[row, col] == DETONATED:
                return False
    return True


# The fields of `out` of `solve`.
GUESS_CHANCE, LOG_WEIGHT = range(2)
# What `solve` returns: the status, and for a first click that is safe by the rules:
ANY_FIRST_CLICK = 4


@inner(allocates=True)
def solve(
    rows, cols, mines, first_click, has_start, noisy, trust_flags, shown_at, table_at, chance_at, sure_at, out_at
):
    """Fill the probabilities and certainties of all cells; return 8 times the cell to guess (or -1) plus the status."""
    shown = carray(shown_at, (rows, cols))
    probability = carray(chance_at, rows * cols)
    certain = carray(sure_at, rows * cols)
    out = carray(out_at, 2)
    out[GUESS_CHANCE] = np.nan
    out[LOG_WEIGHT] = np.nan
    if is_first_click_safe(shown, first_click, has_start):
        guess = np.int64(-1)
        for cell in range(rows * cols):
            probability[cell] = 0.0
            certain[cell] = 1
            if guess < 0 and shown[cell // cols, cell % cols] == COVERED:
                guess = np.int64(cell)
                out[GUESS_CHANCE] = 0.0
        return 8 * guess + ANY_FIRST_CLICK
    for cell in range(rows * cols):
        probability[cell] = np.nan
        certain[cell] = 0
    status, _, _, guess, chance, weight, _ = answer_position(
        shown, carray(table_at, TABLE), noisy != 0, trust_flags != 0, mines, False, probability, certain
    )
    out[GUESS_CHANCE] = chance
    out[LOG_WEIGHT] = weight
    return 8 * guess + status


@inner(allocates=True, shared=True)
def is_possible(shown, part, kept, count, table, noisy, mines):
    """Whether a layout agrees with these stated cells of a position (clues and known mines), the others left out.

    `part` is a board to write the position in.
    """
    rows, cols = shown.shape
    for row in range(rows):
        for col in range(cols):
            code = shown[row, col]
            if code == FLAG or code == DETONATED:
                code = np.int8(COVERED)
            elif code >= 0:
                code = np.int8(IGNORED)
            part[row, col] = code
    for i in range(count):
        part[kept[i] // cols, kept[i] % cols] = shown[kept[i] // cols, kept[i] % cols]
    nothing, none = np.empty(0, np.float64), np.empty(0, np.int8)
    status, _, _, _, _, _, _ = answer_position(part, table, noisy, True, mines, False, nothing, none)
    return status != INCONSISTENT


@inner
def distance(cell, other, cols):
    """The distance of two cells, as a king goes."""
    return max(abs(cell // cols - other // cols), abs(cell % cols - other % cols))


@inner(allocates=True, shared=True)
def minimal_conflict(shown, items, number, table, noisy, mines, nearest, always):
    """As `blame.minimal_conflict`: items that are not possible together, moved to the front of `items`; how many.

    The first `always` of the items are no candidates: they are kept in every question.
    """
    cols = shown.shape[1]
    part = np.empty(shown.shape, np.int8)
    kept = np.empty(number, np.int32)
    for i in range(always):
        kept[i] = items[i]
    rest = items[always:number].copy()
    left = number - always
    blamed = always
    while left > 0 and is_possible(shown, part, kept, blamed, table, noisy, mines):
        fits, fails = 0, left
        while fails - fits > 1:
            middle = (fits + fails) // 2
            for i in range(middle):
                kept[blamed + i] = rest[i]
            if is_possible(shown, part, kept, blamed + middle, table, noisy, mines):
                fits = middle
            else:
                fails = middle
        kept[blamed] = rest[fails - 1]
        blamed += 1
        left = fails - 1
        if nearest and blamed - always == 1:
            for i in range(1, left):  # sorted by distance, then by number
                cell = rest[i]
                far = distance(cell, kept[always], cols)
                j = i
                while j > 0 and (
                    distance(rest[j - 1], kept[always], cols) > far
                    or (distance(rest[j - 1], kept[always], cols) == far and rest[j - 1] > cell)
                ):
                    rest[j] = rest[j - 1]
                    j -= 1
                rest[j] = cell
    for i in range(always, blamed):
        items[i] = kept[i]
    return blamed - always


@inner(shared=True)
def sort_cells(cells, count):
    """Sort the first cells of a list."""
    for i in range(1, count):
        cell = cells[i]
        j = i
        while j > 0 and cells[j - 1] > cell:
            cells[j] = cells[j - 1]
            j -= 1
        cells[j] = cell


@inner(allocates=True)
def contradict(rows, cols, mines, noisy, shown_at, table_at, list_at):
    """List clues and known mines that cannot all be true: twice their number, plus 1 if the mine count is needed.

    As `blame.contradiction`; the position must be inconsistent.
    """
    shown = carray(shown_at, (rows, cols))
    table = carray(table_at, TABLE)
    items = carray(list_at, rows * cols)
    number = 0
    for cell in range(rows * cols):
        code = shown[cell // cols, cell % cols]
        if code == FLAG or code == DETONATED or 0 <= code < IGNORED:
            items[number] = cell
            number += 1
    part = np.empty((rows, cols), np.int8)
    counted = is_possible(shown, part, items, number, table, noisy != 0, np.int64(NO_COUNT))
    count = np.int64(mines) if counted else np.int64(NO_COUNT)
    blamed = minimal_conflict(shown, items, number, table, noisy != 0, count, True, 0)
    sort_cells(items, blamed)
    return 2 * blamed + counted


@inner(allocates=True, shared=True)
def is_certain(shown, part, kept, count, cell, mine, table, noisy, trust_flags, mines):
    """Whether these clues alone make a cell certainly safe, or a mine."""
    rows, cols = shown.shape
    for row in range(rows):
        for col in range(cols):
            code = shown[row, col]
            part[row, col] = np.int8(IGNORED) if 0 <= code <= WITHHELD else code
    for i in range(count):
        part[kept[i] // cols, kept[i] % cols] = shown[kept[i] // cols, kept[i] % cols]
    nothing, none = np.empty(0, np.float64), np.empty(0, np.int8)
    status, safe, found, _, _, _, cells = answer_position(part, table, noisy, trust_flags, mines, False, nothing, none)
    if status == INCONSISTENT:
        return False
    listed = cells[MINE_LIST] if mine else cells[SAFE_LIST]
    proven = False
    for i in range(found if mine else safe):
        proven = proven or listed[i] == cell
    return proven


@inner(allocates=True, shared=True)
def thin(shown, part, clues, count, cell, mine, table, noisy, trust_flags, mines):
    """Leave out one clue after another, as long as the others make the cell certain; how many stay, at the front."""
    kept = clues[:count].copy()
    left = count
    place = 0
    step = max(1, count // 8)
    while place < left:
        # Several at once where that is possible: more clues never make a cell less certain.
        size = min(step, left - place)
        for i in range(left - place - size):
            kept[place + i] = clues[place + size + i]
        if is_certain(shown, part, kept, left - size, cell, mine, table, noisy, trust_flags, mines):
            for i in range(place, left - size):
                clues[i] = kept[i]
            left -= size
        elif size == 1:
            place += 1
            step = max(1, count // 8)
        else:
            step = max(1, size // 2)
        for i in range(left):
            kept[i] = clues[i]
    return left


@inner(allocates=True)
def explain(rows, cols, mines, noisy, trust_flags, cell, mine, shown_at, table_at, list_at):
    """List clues that prove a cell, each of them needed: twice their number, plus 1 if the mine count is needed.

    As `proofs.minimal_proof`.
    """
    shown = carray(shown_at, (rows, cols))
    table = carray(table_at, TABLE)
    listed = carray(list_at, rows * cols)
    padded = (rows + 2 * PAD) * (cols + 2 * PAD)
    grid, around = np.zeros((proofs.ROWS, padded), np.int32), np.zeros(8, np.int32)
    write_steps(around, cols)
    for p in range(padded):
        grid[proofs.NUMBER, p] = -1
        grid[proofs.GROUP, p] = -1
    system = np.zeros(proofs.SYSTEM, np.int32)
    out = np.zeros(proofs.ROOM, np.int32)
    one, nobody = np.empty(1, np.int64), np.empty(0, np.int64)
    one[0] = cell
    if mine:
        prove(shown, table, noisy != 0, trust_flags != 0, nobody, one, grid, around, system, out)
    else:
        prove(shown, table, noisy != 0, trust_flags != 0, one, nobody, grid, around, system, out)
    if out[0] >= 0:
        for i in range(1, out[0]):
            listed[i - 1] = out[i]
        return 2 * (out[0] - 1)
    count = 0
    for flat in range(rows * cols):
        if grid[proofs.MASK, row_start(flat // cols, cols) + flat % cols] != 0:
            listed[count] = flat
            count += 1
    part = np.empty((rows, cols), np.int8)
    no_count = np.int64(NO_COUNT)
    if out[0] == proofs.TOO_MUCH and is_certain(
        shown, part, listed, count, cell, mine, table, noisy != 0, trust_flags != 0, no_count
    ):
        for i in range(1, count):  # the farthest first
            flat = listed[i]
            j = i
            while j > 0 and (
                distance(listed[j - 1], cell, cols) < distance(flat, cell, cols)
                or (distance(listed[j - 1], cell, cols) == distance(flat, cell, cols) and listed[j - 1] < flat)
            ):
                listed[j] = listed[j - 1]
                j -= 1
            listed[j] = flat
        count = thin(shown, part, listed, count, cell, mine, table, noisy != 0, trust_flags != 0, no_count)
        sort_cells(listed, count)
        return 2 * count
    if is_certain(shown, part, listed, count, cell, mine, table, noisy != 0, trust_flags != 0, np.int64(mines)):
        for i in range(count // 2):
            listed[i], listed[count - 1 - i] = listed[count - 1 - i], listed[i]
        count = thin(shown, part, listed, count, cell, mine, table, noisy != 0, trust_flags != 0, np.int64(mines))
        sort_cells(listed, count)
        return 2 * count + 1
    count = 0
    for flat in range(rows * cols):
        code = shown[flat // cols, flat % cols]
        if 0 <= code < (IGNORED if noisy else WITHHELD):
            listed[count] = flat
            count += 1
    return 2 * count + 1


# What `check_flags` writes for a flag.
OPEN_QUESTION, WRONG, PROVEN, CONFLICTING = range(4)


@inner(allocates=True)
def check_flags(rows, cols, mines, first_click, has_start, noisy, shown_at, table_at, mark_at):
    """Write what the clues say of every flag; how many flags there are. As `flags.check_flags`."""
    shown = carray(shown_at, (rows, cols))
    table = carray(table_at, TABLE)
    mark = carray(mark_at, rows * cols)
    count = 0
    for cell in range(rows * cols):
        mark[cell] = OPEN_QUESTION
        count += shown[cell // cols, cell % cols] == FLAG
    if count == 0 or is_first_click_safe(shown, first_click, has_start):
        return count
    probability, certain = np.empty(rows * cols, np.float64), np.zeros(rows * cols, np.int8)
    status, _, _, _, _, _, _ = answer_position(
        shown, table, noisy != 0, False, np.int64(mines), False, probability, certain
    )
    if status == INCONSISTENT:
        return count
    # The stated cells of the questions below: everything but flags first, then the uncertain flags, likely ones first.
    items = np.empty(rows * cols, np.int32)
    always = 0
    bare = np.empty((rows, cols), np.int8)
    for cell in range(rows * cols):
        code = shown[cell // cols, cell % cols]
        bare[cell // cols, cell % cols] = code
        if code == FLAG:
            mark[cell] = certain[cell]
        elif code == DETONATED or 0 <= code < IGNORED:
            items[always] = cell
            always += 1
    number = always
    for cell in range(rows * cols):
        if shown[cell // cols, cell % cols] == FLAG and certain[cell] == 0:
            j = number
            while j > always and probability[items[j - 1]] < probability[cell]:
                items[j] = items[j - 1]
                j -= 1
            items[j] = cell
            number += 1
    if status != OK or number == always:
        return count
    part = np.empty((rows, cols), np.int8)
    if not is_possible(bare, part, items, number, table, noisy != 0, np.int64(mines)):
        blamed = minimal_conflict(bare, items, number, table, noisy != 0, np.int64(mines), False, always)
        for i in range(always, always + blamed):
            mark[items[i]] = CONFLICTING
    return count


# ---- The agent `exact`: `plugins.agents.exact`.

EXPERT = 480
PROOF, GUESS = 0, 1
# The fields of `out` of `exact_turn`.
N_OPEN, N_FLAG, N_UNFLAG, WHY, IS_FALLBACK = range(5)


@inner(allocates=True)
def exact_turn(
    rows, cols, mines, ends, first_click, noisy, threshold, shown_at, table_at, open_at, flag_at, unflag_at, out_at
):
    """The turn of `exact`: lists what it opens, flags and unflags; 1 if it states a probability, in `chance`."""
    shown = carray(shown_at, (rows, cols))
    table = carray(table_at, TABLE)
    cells_all = rows * cols
    opens, flags, unflags = carray(open_at, cells_all), carray(flag_at, cells_all), carray(unflag_at, cells_all)
    out = carray(out_at, 6)
    for i in range(6):
        out[i] = 0.0
    if first_click != ANY and is_untouched(shown):
        step = 3 if cells_all >= EXPERT else 2
        if first_click == SAFE:
            step = 0
        opens[0] = min(step, rows - 1) * cols + min(step, cols - 1)
        out[N_OPEN], out[WHY], out[5] = 1, GUESS, 0.0
        return 1
    if noisy == 0:
        nothing, none = np.empty(0, np.float64), np.empty(0, np.int8)
        status, safe, found, guess, chance, _, cells = answer_position(
            shown, table, False, True, np.int64(mines), True, nothing, none
        )
        for i in range(found):
            flags[i] = cells[MINE_LIST, i]
        out[N_FLAG] = found
        if guess < 0:
            for i in range(safe):
                opens[i] = cells[SAFE_LIST, i]
            out[N_OPEN], out[WHY] = safe, PROOF
            return 0
        opens[0] = guess
        out[N_OPEN], out[WHY], out[IS_FALLBACK], out[5] = 1, GUESS, status != OK, min(chance, 1.0)
        return 1
    probability, certain = np.empty(cells_all, np.float64), np.zeros(cells_all, np.int8)
    for cell in range(cells_all):
        probability[cell] = np.nan
    status, safe, _, _, _, _, _ = answer_position(
        shown, table, True, False, np.int64(mines), False, probability, certain
    )
    if safe > 0:
        count = 0
        mined = 0
        unflagged = 0
        for cell in range(cells_all):
            code = shown[cell // cols, cell % cols]
            if certain[cell] == 1:
                opens[count] = cell
                count += 1
            if certain[cell] == 2 and code == COVERED:
                flags[mined] = cell
                mined += 1
            if code == FLAG and not (probability[cell] >= threshold or certain[cell] == 2):
                unflags[unflagged] = cell
                unflagged += 1
        out[N_OPEN], out[N_FLAG], out[N_UNFLAG], out[WHY] = count, mined, unflagged, PROOF
        return 0
    board = np.empty((rows, cols), np.float64)
    for cell in range(cells_all):
        board[cell // cols, cell % cols] = probability[cell]
    cell, chance = least_probable(shown, board, threshold, False, True)
    spared = np.int64(-1)  # a cell that is opened though it is likely a mine
    if cell < 0 and ends != 0:
        cell, chance = least_probable(shown, board, np.inf, False, True)
        spared = np.int64(cell)
    flagged = 0
    unflagged = 0
    for other in range(cells_all):
        code = shown[other // cols, other % cols]
        sure = (probability[other] >= threshold or certain[other] == 2) and other != spared
        if code == FLAG and not sure:
            unflags[unflagged] = other
            unflagged += 1
        if code == COVERED and sure:
            flags[flagged] = other
            flagged += 1
    out[N_FLAG], out[N_UNFLAG], out[WHY], out[IS_FALLBACK] = flagged, unflagged, GUESS, status != OK
    if cell < 0:
        return 0
    opens[0] = cell
    out[N_OPEN], out[5] = 1, min(chance, 1.0)
    return 1


@inner
def is_untouched(shown):
    """Whether every cell is covered."""
    for row in range(shown.shape[0]):
        for col in range(shown.shape[1]):
            if shown[row, col] != COVERED:
                return False
    return True


# ---- Clue noise: `plugins.noise`.

EXACT_CLUES, HIDDEN, LIAR, CAUTIOUS, OPTIMISTIC = range(5)


@inner(allocates=True)
def noise_table(kind, rate, blanks, table_at):
    """Write the likelihoods of a built-in clue noise; 1 if blanks, and no other cells, show 0, so that they flood."""
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
    for n in range(9):
        for k in range(9):
            if table[n, k, 0] != (1.0 if k == 0 else 0.0):
                return 0
    return 1


# ---- The referee: `game.game`.

DEALT = referee.ENTRIES
"""One counter more than the referee has: whether the board is dealt."""
COUNTERS = DEALT + 1
NOTHING_TO_OPEN, NOT_COVERED, NO_CHORD = -1, -2, -3


@inner
def protect(rows, cols, first_click, first, protected):
    """List the cells that hold no mine when `first` is opened first, and return how many: as `Rules.protected`."""
    if first_click == ANY or first < 0 or first >= rows * cols:
        return 0
    if first_click == SAFE:
        protected[0] = first
        return 1
    count = 0
    row, col = first // cols, first % cols
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            protected[count] = r * cols + c
            count += 1
    return count


@inner(allocates=True)
def most_mines(rows, cols, first_click, start):
    """How many mines leave room for every first click: as `Rules.check`."""
    first = start
    if start < 0:
        first = min(1, rows - 1) * cols + min(1, cols - 1)
    return rows * cols - protect(rows, cols, first_click, first, np.empty(9, np.int64))


@inner(allocates=True)
def new_game(rows, cols, mines, ends, floods, planes_at, counters_at):
    """Cover all cells and set the counters of a game."""
    cells = rows * cols
    planes = carray(planes_at, 3 * cells)
    counters = carray(counters_at, COUNTERS)
    for cell in range(3 * cells):
        planes[cell] = 0
    for cell in range(cells):
        planes[cell] = COVERED
    for i in range(COUNTERS):
        counters[i] = 0
    counters[referee.ROWS], counters[referee.COLS] = rows, cols
    counters[referee.SAFE] = cells - mines
    counters[referee.FLOODS] = floods
    counters[referee.ENDS] = ends
    counters[referee.MOST_TURNS] = 4 * cells + 16
    return referee.WON if ends and mines == cells else referee.GOES_ON


@inner(allocates=True)
def deal(mines, first_click, first, high, low, planes_at, counters_at):
    """Place the mines by the seed of the board, `high` x 2^32 + `low`; `first` is the first opened cell, or -1."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    cells = rows * cols
    planes = carray(planes_at, 3 * cells)
    protected = np.empty(9, np.int64)
    count = protect(rows, cols, first_click, first, protected)
    layout = np.zeros(cells, np.uint8)
    place_mines(high & 0xFFFFFFFF, low & 0xFFFFFFFF, mines, protected[:count], layout)
    count_mines(layout, rows, cols, planes[cells : 2 * cells])
    counters[DEALT] = 1
    return 0


@inner(allocates=True)
def set_layout(layout_at, planes_at, counters_at):
    """Take the mines as they are given, a byte for each cell; return how many there are."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    cells = rows * cols
    layout = carray(layout_at, cells).copy()
    planes = carray(planes_at, 3 * cells)
    count_mines(layout, rows, cols, planes[cells : 2 * cells])
    counters[DEALT] = 1
    mines = 0
    for cell in range(cells):
        mines += layout[cell]
    return mines


@inner(allocates=True)
def blur_clues(high, low, table_at, planes_at, counters_at):
    """Replace the true clues by draws from a noise, by the seed of the noise."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    cells = rows * cols
    planes = carray(planes_at, 3 * cells)
    seed = (np.uint64(high & 0xFFFFFFFF) << np.uint64(32)) | np.uint64(low & 0xFFFFFFFF)
    blur(planes[cells : 2 * cells], rows, cols, carray(table_at, (9, 9, 10)), seed)
    return 0


@inner(allocates=True, shared=True)
def take_turn(unflags, flags, opens, why, fallback, list_at, planes_at, counters_at):
    """Carry out a turn; return the verdict on it. The cells to unflag, flag and open are listed in this order."""
    counters = carray(counters_at, COUNTERS)
    planes = carray(planes_at, 3 * counters[referee.ROWS] * counters[referee.COLS])
    listed = carray(list_at, unflags + flags + opens)
    named = np.empty(unflags + flags + opens, np.int64)
    for i in range(named.size):
        named[i] = listed[i]
    head = np.int64(why + (referee.FALLBACK if fallback else 0))
    return take(
        planes,
        counters,
        np.empty(0, np.int64),
        named[:unflags],
        named[unflags : unflags + flags],
        named[unflags + flags :],
        head,
    )


@inner(allocates=True)
def open_start(start, list_at, planes_at, counters_at):
    """Open the cell that the rules open before the first turn; return the verdict."""
    counters = carray(counters_at, COUNTERS)
    listed = carray(list_at, 1)
    listed[0] = start
    verdict = take_turn(0, 0, 1, 0, 0, list_at, planes_at, counters_at)
    counters[referee.TURNS] = 0
    counters[referee.CLICKED] = 0
    return verdict


@inner(allocates=True)
def chord(cell, planes_at, counters_at, list_at):
    """List the cells that a click on a clue opens and return how many, or NO_CHORD.

    A clue opens its covered neighbours when just as many of the others are flagged or went off as it says.
    """
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    shown = carray(planes_at, rows * cols)
    listed = carray(list_at, 8)
    row, col = cell // cols, cell % cols
    known = 0
    count = 0
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            code = shown[r * cols + c]
            known += code == FLAG or code == DETONATED
            if code == COVERED and count < 8:
                listed[count] = r * cols + c
                count += 1
    if shown[cell] < 1 or shown[cell] > 8 or known != shown[cell] or count == 0:
        return NO_CHORD
    return count


# The fields of `out` of `count_result`.
RIGHT_FLAGS, THREE_BV, IDENTIFIED, SAFE_OPENED = range(4)


@inner(allocates=True)
def count_result(mines, won, planes_at, counters_at, out_at):
    """Count the flags on mines, the 3BV of a won game that floods, and two scores: as `game.count_result`."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    planes = carray(planes_at, 3 * rows * cols)
    out = carray(out_at, 4)
    right = standing_flags(planes, rows * cols) if counters[referee.FLAGS] else 0
    out[RIGHT_FLAGS] = right
    out[THREE_BV] = 0
    if won and counters[referee.OPENED] and counters[referee.FLOODS]:
        out[THREE_BV] = three_bv(planes, rows, cols)
    safe = counters[referee.SAFE]
    wrong = counters[referee.FLAGS] - right
    if mines == 0:
        out[IDENTIFIED] = 1.0 if wrong == 0 else -float(wrong)
    else:
        weight = max(1.0, mines / safe) if safe else 0.0
        out[IDENTIFIED] = (right - weight * wrong) / mines
    out[SAFE_OPENED] = counters[referee.OPENED] / safe if safe else 1.0
    return 0


@inner(allocates=True)
def true_clues(planes_at, counters_at, out_at):
    """Write what each cell truly is: the number of mines around it, or the code of a mine."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    planes = carray(planes_at, 3 * rows * cols)
    out = carray(out_at, rows * cols)
    layout = np.zeros(rows * cols, np.uint8)
    for cell in range(rows * cols):
        layout[cell] = planes[rows * cols + cell] == DETONATED
    count_mines(layout, rows, cols, out)
    return 0


@inner(allocates=True)
def board_three_bv(planes_at, counters_at):
    """The 3BV of the board."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    return three_bv(carray(planes_at, 3 * rows * cols), rows, cols)


# The arguments of the exported functions: i an integer of 32 bits, d a float64; b, w, q and r the addresses of int8, of
# int32, of int64 and of float64. All return an integer of 32 bits.
ENTRIES: dict[str, tuple[Any, str]] = {
    "solve": (solve, "iiiiiiibrrbr"),
    "contradict": (contradict, "iiiibrw"),
    "explain": (explain, "iiiiiiibrw"),
    "check_flags": (check_flags, "iiiiiibrb"),
    "exact_turn": (exact_turn, "iiiiiidbrwwwr"),
    "noise_table": (noise_table, "idir"),
    "most_mines": (most_mines, "iiii"),
    "new_game": (new_game, "iiiiibq"),
    "deal": (deal, "iiiiibq"),
    "set_layout": (set_layout, "bbq"),
    "blur_clues": (blur_clues, "iirbq"),
    "take_turn": (take_turn, "iiiiiwbq"),
    "open_start": (open_start, "iwbq"),
    "chord": (chord, "ibqw"),
    "count_result": (count_result, "iibqr"),
    "true_clues": (true_clues, "bqb"),
    "board_three_bv": (board_three_bv, "bq"),
}
