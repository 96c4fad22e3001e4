"""Named tuples of workspace rows: one each for clues, groups, components, states, arcs, tree nodes and buffers.

A kernel makes these tuples once and passes them on, so that the functions it calls have few parameters. `layout` lists
all rows and says what they are indexed by.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference.exact.layout import (
    BACK,
    CHANCE,
    CLUE_COST,
    CLUE_FIRST,
    CLUE_GROUPS,
    CLUE_HIGH,
    CLUE_LIKELY,
    CLUE_LOW,
    CLUE_REST,
    CLUE_SLOT,
    CLUE_TAKEN,
    CLUE_TO_GROUP,
    COMPONENT_START,
    FIRST_ARC,
    FREE_SLOTS,
    GROUP_CLUES,
    GROUP_MARK,
    GROUP_NEXT,
    GROUP_SIZE,
    GROUP_SURE,
    GROUP_TO_CLUE,
    LAYER,
    MAX_MINES,
    MIN_MINES,
    NODE_AT,
    NODE_LOW,
    NODE_ONE,
    NODE_TWO,
    NODE_WIDTH,
    ORDER,
    OUTSIDE,
    PLACED,
    PLACING,
    POLYNOMIALS,
    ROW,
    SCALE,
    TARGET,
    USED,
)

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


class Clues(NamedTuple):
    """Arrays indexed by clue."""

    low: Ints
    """Fewest mines that the clue allows among its unknown cells."""
    high: Ints
    """Most mines that it allows among them."""
    likely: Ints
    """With noise: index in the flat likelihood table of its likelihood if none of them is a mine. The likelihood for v
    mines is 10 * v entries further on."""
    rest: Ints
    """Number of its cells that have not been eliminated yet."""
    taken: Ints
    """Number of its cells that have been eliminated."""
    cost: Ints
    """log2 of the number of possible counts of the clue, times 1024; 0 unless the clue is active (see `order`)."""
    slot: Ints
    """Slot of a state's key that holds its count."""
    first: Ints
    """First group in the linked list of the groups whose first clue it is, or -1."""
    degree: Ints
    """Number of groups that it sees. For clue c these are `groups[8 * c : 8 * c + degree[c]]`."""
    groups: Ints


class Groups(NamedTuple):
    """Arrays indexed by group. A group is a set of unknown cells that exactly the same clues see."""

    size: Ints
    """Number of cells."""
    next: Ints
    """Next group with the same first clue, or -1."""
    mark: Ints
    """1 if a search has visited the group."""
    sure: Ints
    """1: all its cells are safe, 2: all are mines, 0: neither is certain."""
    degree: Ints
    """Number of clues that see it. For group g these are `clues[8 * g : 8 * g + degree[g]]`."""
    clues: Ints


class Components(NamedTuple):
    """The components, and the order in which the groups of each are eliminated."""

    start: Ints
    """By component: its first place in `order`. The entry after the last component is the number of groups."""
    order: Ints
    """By place: the group that is eliminated there."""
    layer: Ints
    """First states of the layers. A component of n groups has n + 1 layers: one before each of its places, at index
    place + component, and a final one after them."""


class States(NamedTuple):
    """Arrays indexed by state of the dynamic programme. After the keys of all states comes the hash table."""

    key0: Longs
    """The key says how many mines each active clue has so far: 15 slots of four bits in each of its two words."""
    key1: Longs
    min_mines: Ints
    """Fewest mines among the cells eliminated so far, over all ways to reach the state."""
    max_mines: Ints
    """Most mines among them."""
    row: Ints
    """Index of its first value. It has one value for each number of mines from `min_mines` to `max_mines`."""
    first_arc: Ints
    """Its first arc. Its arcs end where those of the next state begin."""
    used: Longs
    """Numbers of states, arcs and values in use, and the stamp of the hash table."""


class Arcs(NamedTuple):
    """Arrays indexed by arc. An arc leads from a state to one of the next layer; its weight is `real[arc]`."""

    target: Ints
    """The state it leads to."""
    placed: Ints
    """Number of mines that it places in the eliminated group."""


class Nodes(NamedTuple):
    """The tree over the components. The leaves are the components, and each inner node is the product of two nodes."""

    polynomials: Reals
    """The polynomials of all nodes. The coefficient of x**t is the weight of all ways to place t mines in the node."""
    outside: Reals
    """With the same indices: the weight of everything outside a node if the node has t mines."""
    low: Ints
    """By node: power of the first coefficient."""
    width: Ints
    """By node: number of coefficients."""
    at: Ints
    """By node: index of the first coefficient in `polynomials` and `outside`."""
    one: Ints
    """By inner node: the two nodes below it."""
    two: Ints


class Buffers(NamedTuple):
    """Arrays that the summation uses for intermediate and final results."""

    free_slots: Ints
    """A stack of the slots of a state's key that are not in use."""
    placing: Reals
    """By number of mines: its weight in the group that is being eliminated."""
    back: Reals
    """The backward sums of one state."""
    chance: Reals
    """By group: mine probability of each of its cells."""
    scale: Reals
    """By layer: logarithm of the factors divided out of its values since the component's first layer."""


@inner(pasted=True)
def clue_table(cells, links):
    """Return the rows about clues."""
    return Clues(
        cells[CLUE_LOW],
        cells[CLUE_HIGH],
        cells[CLUE_LIKELY],
        cells[CLUE_REST],
        cells[CLUE_TAKEN],
        cells[CLUE_COST],
        cells[CLUE_SLOT],
        cells[CLUE_FIRST],
        cells[CLUE_GROUPS],
        links[CLUE_TO_GROUP],
    )


@inner(pasted=True)
def group_table(cells, links):
    """Return the rows about groups."""
    return Groups(
        cells[GROUP_SIZE],
        cells[GROUP_NEXT],
        cells[GROUP_MARK],
        cells[GROUP_SURE],
        cells[GROUP_CLUES],
        links[GROUP_TO_CLUE],
    )


@inner(pasted=True)
def component_table(cells):
    """Return the rows about components."""
    return Components(cells[COMPONENT_START], cells[ORDER], cells[LAYER])


@inner(pasted=True)
def state_table(wide, narrow):
    """Return the rows about states."""
    key0 = wide[0]
    used = key0[key0.size - USED :]
    return States(key0, wide[1], narrow[MIN_MINES], narrow[MAX_MINES], narrow[ROW], narrow[FIRST_ARC], used)


@inner(pasted=True)
def arc_table(narrow):
    """Return the rows about arcs."""
    return Arcs(narrow[TARGET], narrow[PLACED])


@inner(pasted=True)
def node_table(cells, scratch):
    """Return the rows about the tree over the components."""
    return Nodes(
        scratch[POLYNOMIALS],
        scratch[OUTSIDE],
        cells[NODE_LOW],
        cells[NODE_WIDTH],
        cells[NODE_AT],
        cells[NODE_ONE],
        cells[NODE_TWO],
    )


@inner(pasted=True)
def buffer_table(cells, scratch):
    """Return the rows for intermediate and final results."""
    return Buffers(cells[FREE_SLOTS], scratch[PLACING], scratch[BACK], scratch[CHANCE], scratch[SCALE])
