"""Where things lie in the workspace arrays: the names that the kernels give to rows and codes.

A kernel call unpacks every array argument anew, so the workspace has few arrays with many rows.
"""

IGNORED = 10
"""A shown code of this package alone: open, and its clue is to be left out."""

# Rows of `cells`, indexed by padded cell.
AROUND = 0  # the eight steps to a cell's neighbours, ascending
KIND = 1
LEFT = 2  # unknown neighbours of a clue
MASK = 3  # bit v set: v mines are possible among them; 0 where there is no clue
KNOWN = 4  # known mines around a clue
STACK = 5
SAFE_LIST = 6  # flat indices of the board, as the next
MINE_LIST = 7
CLUE_AT = 8  # number of the clue that stands here, or -1
GROUP_AT = 9  # number of the group that the cell belongs to, or -1
DROPPED = 10  # 1: the clue here is left out to make the position tractable

# Rows of `cells`, indexed by clue.
CLUE_CELL = 11
CLUE_GROUPS = 12  # how many groups it sees
CLUE_LOW = 13
CLUE_HIGH = 14
CLUE_LIKELY = 15  # where in the flat likelihood table its count 0 lies
CLUE_REST = 16  # cells not yet taken up by the elimination
CLUE_TAKEN = 17  # cells taken up
CLUE_COST = 18  # what it adds to the size of a state, in 1/1024 bits
CLUE_SLOT = 19  # where its count lies in the key
CLUE_FIRST = 20  # first group that has this clue as its first

# Rows of `cells`, indexed by group.
GROUP_CLUES = 21  # how many clues see it
GROUP_SIZE = 22
GROUP_NEXT = 23
GROUP_MARK = 24
GROUP_SURE = 25
ORDER = 26  # groups by component, within a component in order of elimination
TRIAL = 27
WAITING = 28
LAYER = 29  # first state of every layer; a component has one more layer than groups

# Rows of `cells`, indexed by component or by node of the tree over components.
COMPONENT_START = 30  # first place of every component in ORDER
NODE_LOW = 31
NODE_WIDTH = 32
NODE_AT = 33
NODE_ONE = 34
NODE_TWO = 35

SCRATCH = 36
FREE_SLOTS = 37
FLAT = 38  # flat index of the board's cell, -1 beyond its edge
CELL_ROWS = 39
LEAST_ROW = 64
"""Rows are at least so long, for the sake of SCRATCH and FREE_SLOTS."""

# Rows of `links`: eight places for every clue and every group.
CLUE_TO_GROUP = 0
GROUP_TO_CLUE = 1

# Rows of `wide`: the two words of a state's key, and behind all states the hash table. The first row ends with what
# is in use: the entries of `used`. Only the stamp, which marks the taken places of the hash table, outlives a call.
N_STATES = 0
N_ARCS = 1
N_VALUES = 2
STAMP = 3
USED = 4

# Rows of `narrow`: states, then arcs.
FEWEST = 0
MOST = 1
ROW = 2
FIRST_ARC = 3
TARGET = 4
PLACED = 5
NARROW_ROWS = 6
# `real` holds the arcs' weights, then the states' values.
ARCS_PER_STATE = 4
VALUES_PER_STATE = 16

# Rows of `scratch`, of real numbers too.
PLACING = 0  # weight of so many mines in a group
BACK = 1  # a row of values
CHANCE = 2  # mine probability of every group
POLYNOMIALS = 3  # of the tree over components, node after node
OUTSIDE = 4  # the weight of all that is outside a node, laid out in the same way
SCALE = 5  # logarithm of what was taken out of a layer's values, cumulative within a component
SCRATCH_ROWS = 6

# How layouts are weighed.
BY_LAYOUTS = 0
BY_SOLUTIONS = 1
BY_ODDS = 2

# What a kernel answers.
OK = 0
APPROXIMATE = 1
INCONSISTENT = 2
OVER = 3
"""More states than there is room for, or more active clues than a key holds."""

SLOTS_PER_WORD = 15
"""Fields of four bits in a word of a key: 60 bits, so that no sum reaches the sign."""
TINY = 1e-290
"""Positive numbers are never let below this: a value is 0.0 only where there is no way at all."""
