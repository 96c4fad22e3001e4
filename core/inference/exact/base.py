"""A position whose layouts have been summed, kept for further questions about it."""

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
from sweepstakes.inference.exact.summing import Limits
from sweepstakes.inference.exact.tables import (
    Arcs,
    Clues,
    Components,
    Groups,
    Nodes,
    Scratch,
    States,
    arc_table,
    clue_table,
    component_table,
    group_table,
    node_table,
    room_table,
    state_table,
)
from sweepstakes.inference.exact.workspace import Workspace

Ints = npt.NDArray[np.int32]
Reals = npt.NDArray[np.float64]

POLYNOMIALS = 1 << 17
"""Coefficients that the coupling of one condition may use."""
TABLES = 1 << 17
"""Entries of the tables of marginals by a component's mine count."""
STATES = 1 << 15
"""States that a position and one condition may have together.

It is fixed: what is too much must not depend on how far the workspace happens to have grown."""


class Extra(NamedTuple):
    """Arrays for questions about a position, beside its workspace."""

    mark: Ints
    """By padded cell: what a condition says of it."""
    marked: Ints
    """The marked cells."""
    part: Ints
    """Four places by group: how many of its cells have each mark. Behind all groups the cells that no clue sees."""
    component_of: Ints
    """By group."""
    place_of: Ints
    """By group: its place in the order of elimination."""
    first_cell: Ints
    """By group: where its cells begin in `cell_list`."""
    cell_list: Ints
    touched: Ints
    """By component: the first place that the condition touches, or -1."""
    steps: Ints
    """Four rows by step that a condition adds: entry in `chance` or -1, cells, first state before it, spare."""
    parts: Ints
    """Three rows by untouched component: lowest power, width, where its polynomials lie."""
    table_at: Ints
    """By component: where its table of marginals lies, or -1."""
    alive: Ints
    """By state: whether its backward sums are not all 0."""
    sure: Ints
    """Two places by group, as `chance`."""
    back: Reals
    """Backward sums, laid out as the forward sums are."""
    chance: Reals
    """Mine probabilities under a condition, two places by group: of cells outside and inside the added clue."""
    polynomial: Reals
    table: Reals
    value: Reals
    """Eight places by value of the added clue: what follows from it, see `lookahead`."""
    fifty: Reals
    """Three places by padded cell: the weight of the 50/50s that begin there, or -1 if it is not known yet."""
    kept: npt.NDArray[np.int64]
    """States, arcs and values of the position itself, and other single numbers."""


class Base(NamedTuple):
    """A summed position, for the functions that kernels call."""

    clues: Clues
    groups: Groups
    components: Components
    states: States
    arcs: Arcs
    nodes: Nodes
    room: Scratch
    limits: Limits
    extra: Extra
    real: Reals
    around: Ints
    kind: Ints
    group_at: Ints
    flat: Ints
    safe_list: Ints
    number: int
    """Components."""
    group_count: int
    """Groups; as an index of a group it stands for the cells that no clue sees."""
    free: int
    """Cells that no clue sees."""
    left: int
    """Mines left."""
    odds: float


WORK = 3
"""Where `kept` has the work done so far: states visited."""
SLOT = 4
"""Where `kept` has the place of the added clue's count in a key."""
ROOM = 5
"""Where `kept` has the used room of the tables of marginals."""
KEPT = 6


def extra_of(space: Workspace) -> Extra:
    """The arrays for questions about positions in a workspace; made again whenever it has grown."""
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
        kept=np.zeros(KEPT, np.int64),
    )


def arrays_of(space: Workspace) -> tuple[Any, ...]:
    """What the kernels take of a workspace."""
    return space.cells, space.links, space.wide, space.narrow, space.real, space.scratch, extra_of(space)


@inner(allocates=True)
def base_of(arrays, number, count, free, left, odds):
    """The position in the workspace by subject."""
    cells, links, wide, narrow, real, scratch, extra = arrays
    return Base(
        clue_table(cells, links),
        group_table(cells, links),
        component_table(cells),
        state_table(wide, narrow),
        arc_table(narrow),
        node_table(cells, scratch),
        room_table(cells, scratch),
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
    """How many groups there are, and how many cells they have: they are listed component by component."""
    count = np.int64(cells[COMPONENT_START, number])
    seen = np.int64(0)
    for g in range(count):
        seen += cells[GROUP_SIZE, g]
    return count, seen


@inner(allocates=True)
def prepare(numbers, arrays):
    """The position that `sum_layouts` left in the workspace; `numbers` are (mines left, cells unknown, components)."""
    left, rest, number = numbers
    count, seen = count_groups(number, arrays[0])
    return base_of(arrays, number, count, rest - seen, left, even_odds(left, rest))


@inner(shared=True)
def sum_again(base, table):
    """Make the forward sums of all components and couple them.

    Returns (OK or not, logarithm of the number of layouts, weight of a mine and of none on a cell that no clue sees).
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
        base.room,
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
    keep = base.extra.kept
    used = base.states.used
    keep[N_STATES] = used[N_STATES]
    keep[N_ARCS] = used[N_ARCS]
    keep[N_VALUES] = used[N_VALUES]
    return OK, logarithm + total, mine, safe


@inner(shared=True)
def list_cells(rows, cols, base):
    """List the unknown cells of every group, row by row, and behind all groups those that no clue sees."""
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
    # Each entry is now the end of its group; filled backwards it becomes the beginning.
    for r in range(rows - 1, -1, -1):
        start = row_start(r, cols)
        for p in range(start + cols - 1, start - 1, -1):
            if base.kind[p] == UNKNOWN:
                g = group_of(p, base)
                first[g] -= 1
                listed[first[g]] = p
    base.extra.kept[ROOM] = 0
    base.extra.kept[WORK] = 0
    for component in range(base.number):
        base.extra.table_at[component] = -1
        for at in range(base.components.start[component], base.components.start[component + 1]):
            g = base.components.order[at]
            base.extra.component_of[g] = component
            base.extra.place_of[g] = at


@inner
def group_of(p, base):
    """The group of an unknown cell; the number of groups for a cell that no clue sees."""
    g = np.int64(base.group_at[p])
    return g if g >= 0 else np.int64(base.group_count)
