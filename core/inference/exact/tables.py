"""The workspace's rows by subject: what the kernels know of clues, groups, states, arcs and the tree of components.

A kernel has them made once and hands them on: the functions it calls take a few subjects instead of many arrays.
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
    FEWEST,
    FIRST_ARC,
    FREE_SLOTS,
    GROUP_CLUES,
    GROUP_MARK,
    GROUP_NEXT,
    GROUP_SIZE,
    GROUP_SURE,
    GROUP_TO_CLUE,
    LAYER,
    MOST,
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
    """Arrays with one entry for each clue."""

    low: Ints
    """The fewest mines that it allows among its unknown cells."""
    high: Ints
    likely: Ints
    """Where in the flat likelihood table its count 0 lies."""
    rest: Ints
    """Cells that the elimination has not taken up yet."""
    taken: Ints
    cost: Ints
    """What it adds to the size of a state, in 1/1024 bits."""
    slot: Ints
    """Where its count lies in the key of a state."""
    first: Ints
    """The first group that has this clue as its first."""
    degree: Ints
    """How many groups it sees; the groups themselves are 8 places each."""
    groups: Ints


class Groups(NamedTuple):
    """By group: cells that the same clues see."""

    size: Ints
    next: Ints
    """The next group with the same first clue."""
    mark: Ints
    sure: Ints
    """1: all its cells are safe, 2: all are mines."""
    degree: Ints
    """How many clues see it; the clues themselves are 8 places each."""
    clues: Ints


class Components(NamedTuple):
    """Which groups hang together, and in which order they are eliminated."""

    start: Ints
    """By component: its first place in `order`."""
    order: Ints
    layer: Ints
    """The first state of every layer; a component has one more layer than groups."""


class States(NamedTuple):
    """By state of the dynamic programme; behind all keys lies the hash table."""

    key0: Longs
    key1: Longs
    fewest: Ints
    """The fewest mines placed on a way to the state."""
    most: Ints
    row: Ints
    """Where its values lie, one for each number of mines."""
    first_arc: Ints
    used: Longs
    """States, arcs and values in use, and the stamp of the hash table."""


class Arcs(NamedTuple):
    """By arc from a state to one of the next layer; the weights are the first of the real numbers."""

    target: Ints
    placed: Ints
    """The mines placed."""


class Nodes(NamedTuple):
    """By node of the tree over the components: its polynomial, and what it is the product of."""

    polynomials: Reals
    outside: Reals
    """The weight of all that is outside the node, as its polynomial lies."""
    low: Ints
    """The power of the first coefficient."""
    width: Ints
    at: Ints
    one: Ints
    two: Ints


class Scratch(NamedTuple):
    """Scratch arrays of the summation."""

    free_slots: Ints
    """A stack of the unused slots of a state's key."""
    placing: Reals
    """The weight of so many mines in a group."""
    back: Reals
    """Backward sums of a state."""
    chance: Reals
    """The mine probability of every group."""
    scale: Reals
    """By layer: the logarithm of what was taken out of its values since the component's first layer."""


@inner(pasted=True)
def clue_table(cells, links):
    """The rows that tell of clues."""
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
    """The rows that tell of groups."""
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
    """The rows that tell of components."""
    return Components(cells[COMPONENT_START], cells[ORDER], cells[LAYER])


@inner(pasted=True)
def state_table(wide, narrow):
    """The rows that tell of states."""
    key0 = wide[0]
    used = key0[key0.size - USED :]
    return States(key0, wide[1], narrow[FEWEST], narrow[MOST], narrow[ROW], narrow[FIRST_ARC], used)


@inner(pasted=True)
def arc_table(narrow):
    """The rows that tell of arcs."""
    return Arcs(narrow[TARGET], narrow[PLACED])


@inner(pasted=True)
def node_table(cells, scratch):
    """The rows that tell of the tree's nodes."""
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
def room_table(cells, scratch):
    """The rows to work in."""
    return Scratch(cells[FREE_SLOTS], scratch[PLACING], scratch[BACK], scratch[CHANCE], scratch[SCALE])
