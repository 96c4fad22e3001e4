"""A summed position, prepared for further questions about opened cells and assumed mines."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference._positions import UNKNOWN, row_start
from sweepstakes.inference.exact.coupling import couple_components
from sweepstakes.inference.exact.layout import (
    AROUND,
    BY_LAYOUTS,
    COMPONENT_START,
    FLAT,
    GROUP_AT,
    GROUP_SIZE,
    KIND,
    N_ARCS,
    N_STATES,
    N_VALUES,
    OK,
    SAFE_LIST,
)
from sweepstakes.inference.exact.marginals import even_odds, limits_of, sum_components
from sweepstakes.inference.exact.summing import Capacities
from sweepstakes.inference.exact.tables import (
    Arcs,
    Buffers,
    Clues,
    Components,
    Groups,
    Nodes,
    States,
    arc_table,
    buffer_table,
    clue_table,
    component_table,
    group_table,
    node_table,
    state_table,
)
from sweepstakes.inference.exact.workspace import Workspace

Ints = npt.NDArray[np.int32]
Reals = npt.NDArray[np.float64]

POLYNOMIALS = 1 << 17
"""The maximum number of coefficients that the coupling of one condition may use."""
TABLES = 1 << 17
"""The maximum number of entries of all tables of marginals together (see `conditional.fill_table`)."""
STATES = 1 << 15
"""The maximum number of states of a position and one condition together.

This limit is fixed. It does not depend on how far the workspace has grown, so that a question has the same answer
whatever was computed before."""


class Extra(NamedTuple):
    """Arrays for questions about a position, in addition to its workspace.

    A question adds a condition to the position: a mark for some cells (`conditioned` lists the marks) and perhaps one
    more clue. The free cells, which no clue sees, are treated as one more group, which has the highest number.
    """

    mark: Ints
    """By padded cell: its mark under the condition."""
    marked: Ints
    """Padded indices of the marked cells."""
    part: Ints
    """`part[4 * g + mark]` is the number of cells of group g that have a mark."""
    component_of: Ints
    """By group: its component."""
    place_of: Ints
    """By group: its place in the order of elimination."""
    first_cell: Ints
    """By group: index in `cell_list` of its first cell. Its cells end where those of the next group begin."""
    cell_list: Ints
    """Padded indices of the unknown cells, group by group."""
    touched: Ints
    """By component: the first place in the order of elimination whose group has a marked cell, or -1."""
    steps: Ints
    """Four numbers for each step under a condition: index in `chance` or -1, number of eliminated cells, first state of
    the layer before it, unused."""
    parts: Ints
    """Three numbers for each untouched component: lowest power, width and first index of its polynomials."""
    table_at: Ints
    """By component: first index of its table of marginals in `table`, or -1 if it has not been tabulated."""
    alive: Ints
    """By state: 1 if some of its backward sums are not 0."""
    sure: Ints
    """Certainty, indexed as `chance`: 1 if the cells are safe, 2 if they are mines, else 0."""
    back: Reals
    """Backward sums, with the same indices as the forward sums in `real`."""
    chance: Reals
    """Mine probabilities under the condition. Group g has two: entry 2g is for its cells that the added clue does not
    see, entry 2g + 1 for those that it sees."""
    polynomial: Reals
    """Polynomials of the untouched components under the condition (see `conditional.couple_under`)."""
    table: Reals
    """Marginals of components for each of their numbers of mines (see `conditional.fill_table`)."""
    value: Reals
    """Eight numbers for each value of the added clue, named in `opening`."""
    fifty: Reals
    """`fifty[3 * p + form]` is the probability of the 50/50 of this form that begins at p, or -1 until computed."""
    counters: npt.NDArray[np.int64]
    """Numbers of states, arcs and values of the position itself, and the numbers named below `Base`."""


class Base(NamedTuple):
    """Everything that a kernel needs to know about a summed position."""

    clues: Clues
    groups: Groups
    components: Components
    states: States
    arcs: Arcs
    nodes: Nodes
    buffers: Buffers
    limits: Capacities
    extra: Extra
    real: Reals
    around: Ints
    kind: Ints
    group_at: Ints
    flat: Ints
    safe_list: Ints
    number: int
    """Number of components."""
    group_count: int
    """Number of groups. As the index of a group it denotes the free cells, which no clue sees."""
    free: int
    """Number of free cells."""
    left: int
    """Number of mines that have not been found."""
    odds: float
    """Weight of a mine (see `marginals.even_odds`)."""


# Further indices of `Extra.counters`, after N_STATES, N_ARCS and N_VALUES.
WORK = 3  # states visited so far, to limit the work
SLOT = 4  # slot of a state's key that holds the count of the added clue
TABLE_END = 5  # entries of `table` in use
N_COUNTERS = 6


def extra_of(space: Workspace) -> Extra:
    """Return the arrays for questions about the position in a workspace. After it has grown, they are new."""
    if space.extra is None:
        space.extra = _make_extra(space)
    found: Extra = space.extra
    return found


def _make_extra(space: Workspace) -> Extra:
    padded = space.cells.shape[1]
    states = space.wide.shape[1]
    return Extra(
        mark=np.zeros(padded, np.int32),
        marked=np.zeros(64, np.int32),
        part=np.zeros(4 * padded + 8, np.int32),
        component_of=np.zeros(padded, np.int32),
        place_of=np.zeros(padded, np.int32),
        first_cell=np.zeros(padded + 3, np.int32),
        cell_list=np.zeros(padded, np.int32),
        touched=np.zeros(padded, np.int32),
        steps=np.zeros(4 * (padded + 64), np.int32),
        parts=np.zeros(3 * (padded + 2), np.int32),
        table_at=np.zeros(padded, np.int32),
        alive=np.zeros(states, np.int32),
        sure=np.zeros(2 * padded + 8, np.int32),
        back=np.zeros(space.real.size),
        chance=np.zeros(2 * padded + 8),
        polynomial=np.zeros(POLYNOMIALS),
        table=np.zeros(TABLES),
        value=np.zeros(8 * 9),
        fifty=np.zeros(3 * padded + 16),
        counters=np.zeros(N_COUNTERS, np.int64),
    )


def arrays_of(space: Workspace) -> tuple[Any, ...]:
    """Return the arrays of a workspace as the tuple that kernels take."""
    return space.cells, space.links, space.wide, space.narrow, space.real, space.scratch, extra_of(space)


@inner(allocates=True)
def base_of(arrays, number, count, free, left, odds):
    """Return the position in the workspace as a `Base`."""
    cells, links, wide, narrow, real, scratch, extra = arrays
    return Base(
        clue_table(cells, links),
        group_table(cells, links),
        component_table(cells),
        state_table(wide, narrow),
        arc_table(narrow),
        node_table(cells, scratch),
        buffer_table(cells, scratch),
        limits_of(STATES, wide, narrow),
        extra,
        real,
        cells[AROUND],
        cells[KIND],
        cells[GROUP_AT],
        cells[FLAT],
        cells[SAFE_LIST],
        number,
        count,
        free,
        left,
        odds,
    )


@inner
def count_groups(number, cells):
    """Return (number of groups, number of their cells) of the `number` components."""
    count = np.int64(cells[COMPONENT_START, number])
    seen = np.int64(0)
    for g in range(count):
        seen += cells[GROUP_SIZE, g]
    return count, seen


@inner(allocates=True)
def prepare(numbers, arrays):
    """Return the position that `sum_layouts` left in the workspace.

    `numbers` are (mines left, unknown cells, components).
    """
    left, rest, number = numbers
    count, seen = count_groups(number, arrays[0])
    return base_of(arrays, number, count, rest - seen, left, even_odds(left, rest))


@inner(shared=True)
def sum_again(base, table):
    """Sum the components again and couple them. `sum_layouts` has overwritten the forward sums with backward sums.

    Returns (OK, INCONSISTENT or OVER; logarithm of the number of layouts; weight of free mines; weight of free safe
    cells).
    """
    answer, logarithm, _ = sum_components(
        base.number,
        0.0,
        base.odds,
        False,
        table,
        False,
        base.clues,
        base.groups,
        base.components,
        base.states,
        base.arcs,
        base.real,
        base.buffers,
        base.limits,
    )
    if answer != OK:
        return answer, 0.0, 0.0, 0.0
    total, mine, safe = couple_components(
        base.number,
        base.components,
        base.states,
        base.nodes,
        base.real,
        np.int64(BY_LAYOUTS),
        base.odds,
        base.free,
        base.left,
    )
    keep = base.extra.counters
    used = base.states.used
    keep[N_STATES] = used[N_STATES]
    keep[N_ARCS] = used[N_ARCS]
    keep[N_VALUES] = used[N_VALUES]
    return OK, logarithm + total, mine, safe


@inner(shared=True)
def list_cells(rows, cols, base):
    """List the unknown cells group by group, each group row by row, and the free cells at the end."""
    first = base.extra.first_cell
    listed = base.extra.cell_list
    for g in range(base.group_count + 2):
        first[g] = 0
    for r in range(rows):
        start = row_start(r, cols)
        for p in range(start, start + cols):
            if base.kind[p] == UNKNOWN:
                first[group_of(p, base)] += 1
    for g in range(base.group_count + 1):
        first[g + 1] += first[g]
    # Entry g is now the end of group g. Each cell that is filled in, from the last to the first, moves it back by one,
    # so that in the end it is the beginning of the group.
    for r in range(rows - 1, -1, -1):
        start = row_start(r, cols)
        for p in range(start + cols - 1, start - 1, -1):
            if base.kind[p] == UNKNOWN:
                g = group_of(p, base)
                first[g] -= 1
                listed[first[g]] = p
    base.extra.counters[TABLE_END] = 0
    base.extra.counters[WORK] = 0
    for component in range(base.number):
        base.extra.table_at[component] = -1
        for at in range(base.components.start[component], base.components.start[component + 1]):
            g = base.components.order[at]
            base.extra.component_of[g] = component
            base.extra.place_of[g] = at


@inner
def group_of(p, base):
    """Return the group of an unknown cell, or `group_count` for a free cell."""
    g = np.int64(base.group_at[p])
    return g if g >= 0 else np.int64(base.group_count)
