"""List every layout of a small position. Backward sums show which partial solutions can be completed."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.inference._positions import UNKNOWN
from sweepstakes.inference.exact.base import list_cells, prepare, sum_again
from sweepstakes.inference.exact.conditional import backward_base, final_state
from sweepstakes.inference.exact.layout import OK
from sweepstakes.inference.exact.opening import padded

NOT_LISTED = 3
"""There is nothing to list, or there are too many layouts."""


@inner
def number_cell(p, n, column, listed):
    """Give cell p the number n. Return the next number."""
    column[p] = n
    listed[n] = p
    return n + 1


@inner
def sort_cells(n, column, listed, scratch, base):
    """Number the n cells by ascending number of covered neighbours, then row by row. Ties are decided in this order."""
    for i in range(n):
        p = listed[i]
        around = 0
        for k in range(8):
            around += base.kind[p + base.around[k]] & 1
        scratch[i] = around * column.size + p
    # Insertion sort, since there are few cells.
    for i in range(1, n):
        x = scratch[i]
        k = i
        while k > 0 and scratch[k - 1] > x:
            scratch[k] = scratch[k - 1]
            k -= 1
        scratch[k] = x
    for i in range(n):
        p = scratch[i] % column.size
        listed[i] = p
        column[p] = i


@inner
def is_closed(component, base):
    """Return whether every unknown neighbour of the component's cells belongs to the component."""
    extra = base.extra
    for at in range(base.components.start[component], base.components.start[component + 1]):
        g = base.components.order[at]
        for k in range(extra.first_cell[g], extra.first_cell[g + 1]):
            p = extra.cell_list[k]
            for i in range(8):
                q = p + base.around[i]
                if base.kind[q] == UNKNOWN and (
                    base.group_at[q] < 0 or extra.component_of[base.group_at[q]] != component
                ):
                    return False
    return True


@inner
def possible_counts(component, base):
    """Return how many different numbers of mines the component may have."""
    states = base.states
    final = final_state(component, base)
    possible = 0
    for i in range(states.max_mines[final] - states.min_mines[final] + 1):
        if base.real[states.row[final] + i] > 0.0 and base.nodes.outside[base.nodes.at[component] + i] > 0.0:
            possible += 1
    return possible


@inner(shared=True)
def list_solutions(component, limit, ways, base):
    """List a component's solutions in `ways`, layer by layer.

    Each row is a partial solution up to a layer: (row of the partial solution that it extends, which cells of the last
    group are mines as bits, state, mines so far). Only those that can be completed are kept, so no layer has more of
    them than there are solutions. Returns (number of solutions or -1 if more than `limit`, row of the first solution).
    """
    extra = base.extra
    states = base.states
    start = np.int64(base.components.start[component])
    end = np.int64(base.components.start[component + 1])
    final = final_state(component, base)
    extra.alive[final] = 1
    for i in range(states.max_mines[final] - states.min_mines[final] + 1):
        extra.back[states.row[final] + i] = base.nodes.outside[base.nodes.at[component] + i]
    backward_base(component, end, base)
    first = np.int64(0)
    stop = np.int64(1)
    ways[0, 0] = -1
    ways[0, 1] = 0
    ways[0, 2] = base.components.layer[start + component]
    ways[0, 3] = 0
    for at in range(start, end):
        g = base.components.order[at]
        size = np.int64(base.groups.size[g])
        n = stop
        for way in range(first, stop):
            s = ways[way, 2]
            mines = ways[way, 3]
            for e in range(states.first_arc[s], states.first_arc[s + 1]):
                t = base.arcs.target[e]
                j = base.arcs.placed[e]
                k = mines + j - states.min_mines[t]
                if extra.alive[t] == 0 or extra.back[states.row[t] + k] == 0.0:
                    continue
                for mask in range(1 << size):
                    bits = 0
                    for b in range(size):
                        bits += (mask >> b) & 1
                    if bits != j:
                        continue
                    if n - stop >= limit or n >= ways.shape[0]:
                        return np.int64(-1), first
                    ways[n, 0] = way
                    ways[n, 1] = mask
                    ways[n, 2] = t
                    ways[n, 3] = mines + j
                    n += 1
        first = stop
        stop = n
    return stop - first, first


@inner
def write_solution(component, way, row, mine, column, ways, base):
    """Write the mines of the solution in row `way` of `ways` to a row of the table of layouts."""
    extra = base.extra
    for at in range(base.components.start[component + 1] - 1, base.components.start[component] - 1, -1):
        g = base.components.order[at]
        k = extra.first_cell[g]
        # Certain cells are not listed. If one cell of a group is certain, all are.
        if extra.first_cell[g + 1] > k:
            for b in range(base.groups.size[g]):
                mine[row, column[extra.cell_list[k + b]]] = (ways[way, 1] >> b) & 1
        way = ways[way, 0]


@inner
def reachable(component, total, base):
    """Return whether the components from `component` on and the free cells can have `total` mines together."""
    low = 0
    high = base.free
    states = base.states
    for k in range(component, base.number):
        final = final_state(k, base)
        low += states.min_mines[final]
        high += states.max_mines[final]
    return low <= total <= high


@inner(shared=True)
def add_component(component, rows, limit, mine, spare, total, more, column, ways, n, base):
    """Combine the layouts so far with a component's solutions. Return their new number, or -1 if more than `limit`.

    `total` has the number of mines in each layout; `spare` and `more` are scratch for the new layouts and numbers.
    """
    solutions, first = list_solutions(component, limit, ways, base)
    if solutions < 0:
        return np.int64(-1)
    count = np.int64(0)
    for row in range(rows):
        for i in range(solutions):
            mines = total[row] + ways[first + i, 3]
            if not reachable(component + 1, base.left - mines, base):
                continue
            if count >= limit:
                return np.int64(-1)
            for k in range(n):
                spare[count, k] = mine[row, k]
            write_solution(component, first + i, count, spare, column, ways, base)
            more[count] = mines
            count += 1
    for row in range(count):
        total[row] = more[row]
        for k in range(n):
            mine[row, k] = spare[row, k]
    return count


@inner(shared=True)
def add_free_cells(rows, limit, mine, spare, total, column, choice, n, base):
    """Place the remaining mines on the free cells in every way. Return the new number of layouts, or -1 if too many."""
    extra = base.extra
    begin = extra.first_cell[base.group_count]
    free = extra.first_cell[base.group_count + 1] - begin
    count = np.int64(0)
    for row in range(rows):
        rest = base.left - total[row]
        if free < base.free:
            # The free cells are certain, hence not listed: all are mines, or all are safe.
            if rest != base.free and rest != 0:
                continue
            rest = 0
        if rest < 0 or rest > free:
            continue
        for i in range(rest):
            choice[i] = i
        while True:
            if count >= limit:
                return np.int64(-1)
            for k in range(n):
                spare[count, k] = mine[row, k]
            for i in range(rest):
                spare[count, column[extra.cell_list[begin + choice[i]]]] = 1
            count += 1
            # Go to the next combination in lexicographic order.
            i = rest - 1
            while i >= 0 and choice[i] == free - rest + i:
                i -= 1
            if i < 0:
                break
            choice[i] += 1
            for k in range(i + 1, rest):
                choice[k] = choice[k - 1] + 1
    return count


@inner(shared=True)
def write_clues(rows, n, mine, clue, listed, column, base):
    """Write the number of mines around every cell in every layout. Mines that are certain do not count."""
    for x in range(n):
        for row in range(rows):
            clue[row, x] = 0
        for i in range(8):
            y = column[listed[x] + base.around[i]]
            if y >= 0:
                for row in range(rows):
                    clue[row, x] += mine[row, y]


@kernel
def list_layouts(shape, numbers, table, arrays, known_safe, closed, limit, mine, spare, clue, ints, ways):
    """List the layouts of a position or, with `closed`, those of the first component that can be played on its own.

    Such a component has only one possible number of mines, and its cells have no unknown neighbours but each other.
    `mine` and `clue` get a row for each layout and a column for each cell that is not a certain mine. The rows of
    `ints` are: column by padded cell, padded cell by column, flat cell by column, and three rows of scratch. Returns
    (OK, OVER or NOT_LISTED; number of layouts; number of cells).
    """
    base = prepare(numbers, arrays)
    column = ints[0]
    listed = ints[1]
    list_cells(shape[0], shape[1], base)
    if closed:
        some = False
        for component in range(base.number):
            some = some or is_closed(component, base)
        if not some:
            return np.int64(NOT_LISTED), np.int64(0), np.int64(0)
    answer, _, _, _ = sum_again(base, table)
    if answer != OK:
        return np.int64(answer), np.int64(0), np.int64(0)
    for p in range(column.size):
        column[p] = -1
    for component in range(base.number if closed else 1):
        n = np.int64(0)
        if closed:
            if not is_closed(component, base) or possible_counts(component, base) != 1:
                continue
            for at in range(base.components.start[component], base.components.start[component + 1]):
                g = base.components.order[at]
                for k in range(base.extra.first_cell[g], base.extra.first_cell[g + 1]):
                    n = number_cell(base.extra.cell_list[k], n, column, listed)
        else:
            for i in range(known_safe):
                n = number_cell(padded(base.safe_list[i], base), n, column, listed)
            for k in range(base.extra.first_cell[base.group_count + 1]):
                n = number_cell(base.extra.cell_list[k], n, column, listed)
        if n == 0 or n > mine.shape[1]:
            return np.int64(NOT_LISTED), np.int64(0), n
        sort_cells(n, column, listed, ints[3], base)
        for k in range(n):
            mine[0, k] = 0
            ints[2, k] = base.flat[listed[k]]
        ints[4, 0] = 0
        rows = np.int64(1)
        if closed:
            rows, first = list_solutions(component, limit, ways, base)
            for row in range(rows):
                for k in range(n):
                    mine[row, k] = 0
                write_solution(component, first + row, row, mine, column, ways, base)
        else:
            for each in range(base.number):
                rows = add_component(each, rows, limit, mine, spare, ints[4], ints[5], column, ways, n, base)
                if rows < 0:
                    break
            if rows > 0:
                rows = add_free_cells(rows, limit, mine, spare, ints[4], column, ints[5], n, base)
            for row in range(rows):
                for k in range(n):
                    mine[row, k] = spare[row, k]
        if rows > 0:
            write_clues(rows, n, mine, clue, listed, column, base)
            return np.int64(OK), rows, n
        for k in range(n):
            column[listed[k]] = -1
    return np.int64(NOT_LISTED), np.int64(0), np.int64(0)
