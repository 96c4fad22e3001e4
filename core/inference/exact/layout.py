"""Names for the rows of the workspace arrays, and for the codes that the kernels exchange.

The workspace consists of a few large arrays with many rows each, because a kernel call unpacks every array argument,
and that takes time. `cells[KIND]` is the row with the kind of every cell, `cells[CLUE_LOW]` the row with the lowest
count of every clue. The comment above each block of names says what its rows are indexed by.

A *padded* index numbers the cells of the board with PAD extra columns and rows on every side (see `_positions`). A
*flat* index numbers the cells of the board alone, row by row. Clues, groups and components are numbered from 0 for
each position.
"""

IGNORED = 10
"""A shown code that only this package uses: the cell is open, and its clue is ignored."""

# Rows of `cells`, indexed by padded cell. AROUND is an exception: it has eight entries, the steps from a padded index
# to those of the eight neighbours, in ascending order.
AROUND = 0
KIND = 1  # OPEN, UNKNOWN or MINE
LEFT = 2  # unknown neighbours of a clue
MASK = 3  # counts that a clue still allows: bit v is set if v of its unknown neighbours may be mines; 0 without a clue
KNOWN = 4  # known mines around a clue
STACK = 5  # the stack of decided clues that `propagate` works through
SAFE_LIST = 6  # flat indices of the cells found safe, in the order in which they were found
MINE_LIST = 7  # flat indices of the mines found
CLUE_AT = 8  # number of the clue in this cell, or -1
GROUP_AT = 9  # number of the group that this cell belongs to, or -1
DROPPED = 10  # 1: the clue in this cell is ignored, to make the position tractable

# Rows of `cells`, indexed by clue.
CLUE_CELL = 11  # padded index of its cell
CLUE_GROUPS = 12  # number of groups it sees
CLUE_LOW = 13  # fewest mines that it allows among its unknown cells
CLUE_HIGH = 14  # most mines that it allows among them
CLUE_LIKELY = 15  # with noise: index in the flat likelihood table of its likelihood if none of them is a mine
CLUE_REST = 16  # number of its cells that have not been eliminated yet
CLUE_TAKEN = 17  # number of its cells that have been eliminated
CLUE_COST = 18  # log2 of the number of possible counts of the clue, times 1024; 0 unless it is active (see `order`)
CLUE_SLOT = 19  # slot of a state's key that holds its count
CLUE_FIRST = 20  # first group in the linked list of the groups whose first clue it is, or -1

# Rows of `cells`, indexed by group.
GROUP_CLUES = 21  # number of clues that see it
GROUP_SIZE = 22  # number of cells
GROUP_NEXT = 23  # next group in the linked list that begins at CLUE_FIRST, or -1
GROUP_MARK = 24  # 1: already visited, in searches over the groups
GROUP_SURE = 25  # 1: all its cells are safe, 2: all are mines, 0: neither is certain

# Rows of `cells`, indexed by place. The groups of component 0 have the first places, those of component 1 the next.
ORDER = 26  # group at each place; within a component, groups are in the order of elimination
TRIAL = 27  # another order that is being tried
WAITING = 28  # groups that may be eliminated next
LAYER = 29  # first state of each layer; component k starts at LAYER[COMPONENT_START[k] + k], since it has one more
# layer than groups

# Rows of `cells`, indexed by component, or by node of the tree over the components.
COMPONENT_START = 30  # first place of each component in ORDER; the entry after the last one is the number of groups
NODE_LOW = 31  # power of the first coefficient of a node's polynomial
NODE_WIDTH = 32  # number of its coefficients
NODE_AT = 33  # index of the first coefficient in POLYNOMIALS and OUTSIDE
NODE_ONE = 34  # the two nodes whose product it is
NODE_TWO = 35

SCRATCH = 36  # the clues around one cell
FREE_SLOTS = 37  # a stack of the slots of a key that are not in use
FLAT = 38  # by padded cell: its flat index, or -1 beyond the edge of the board
CELL_ROWS = 39
MIN_ROW_LENGTH = 64
"""Rows have at least this length, because SCRATCH and FREE_SLOTS need it even on a tiny board."""

# Rows of `links`. Clue c has places 8c to 8c + 7 for the groups it sees, and so has each group for the clues that see
# it. A clue has at most eight unknown neighbours, hence at most eight groups.
CLUE_TO_GROUP = 0
GROUP_TO_CLUE = 1

# `wide` has two rows, the two words of a state's key. After the keys of all states, the same two rows hold the hash
# table (see `summing.index_layer`). The last USED entries of the first row are counters, in this order:
N_STATES = 0
N_ARCS = 1
N_VALUES = 2
STAMP = 3  # marks the entries of the hash table that are in use; the only counter that outlives a call
USED = 4

# Rows of `narrow`, indexed by state ...
MIN_MINES = 0  # fewest mines among the cells eliminated so far, over all ways to reach the state
MAX_MINES = 1  # most mines
ROW = 2  # index in `real` of the state's first value, which belongs to MIN_MINES mines
FIRST_ARC = 3  # its first arc; its arcs end where those of the next state begin
# ... or by arc.
TARGET = 4  # state of the next layer
PLACED = 5  # mines in the group that this arc eliminates
NARROW_ROWS = 6
# `real` holds the weights of the arcs, then the values of the states.
ARCS_PER_STATE = 4
VALUES_PER_STATE = 16

# Rows of `scratch`, which also holds real numbers.
PLACING = 0  # by number of mines: its weight in the group that is being eliminated
BACK = 1  # the backward sums of one state
CHANCE = 2  # by group: mine probability of its cells
POLYNOMIALS = 3  # polynomials of the tree over the components, one node after the other
OUTSIDE = 4  # weight of everything outside a node, with the same indices
SCALE = 5  # by layer: logarithm of the factors divided out of its values since the component's first layer
SCRATCH_ROWS = 6

# How layouts are weighed.
BY_LAYOUTS = 0  # all layouts with the right number of mines have the same weight
BY_SOLUTIONS = 1  # all solutions of the frontier have the same weight, no matter how many layouts each is part of
BY_ODDS = 2  # a mine multiplies the weight by the odds; the number of mines is unknown

# What a kernel answers.
OK = 0
APPROXIMATE = 1
INCONSISTENT = 2
OVER = 3
"""The position needs more states than the workspace holds, or more active clues than a key has slots."""

SLOTS_PER_WORD = 15
"""Slots of four bits in one word of a key. They use 60 of its 64 bits, so adding never changes the sign."""
TINY = 1e-290
"""Smaller positive numbers are rounded up to this. A value of 0.0 thus always means that something is impossible."""
