"""Where things lie in the workspace arrays: the names that the kernels give to rows and codes.

A kernel call unpacks every array argument anew, so the workspace has few arrays with many rows. Cells are
numbered on a board padded by one cell on every side: a cell has eight neighbours everywhere and no kernel asks
whether it stands at the edge.
"""

# What a padded cell is. The sum over eight neighbours holds both counts: unknown in the low bits, mines above.
OPEN = 0
UNKNOWN = 1
MINE = 16

IGNORED = 10
"""A shown code of this package alone: open, and its clue is to be left out."""

# Rows of `cells`, indexed by padded cell.
KIND = 0
LEFT = 1  # unknown neighbours of a clue
MASK = 2  # bit v set: v mines are possible among them; 0 where there is no clue
KNOWN = 3  # known mines around a clue
STACK = 4
SAFE_LIST = 5
MINE_LIST = 6
CLUE_AT = 7  # number of the clue that stands here, or -1
GROUP_AT = 8  # number of the group that the cell belongs to, or -1
DROPPED = 9  # 1: the clue here is left out to make the position tractable

# Rows of `cells`, indexed by clue.
CLUE_CELL = 10
CLUE_GROUPS = 11  # how many groups it sees
CLUE_LOW = 12
CLUE_HIGH = 13
CLUE_REST = 14  # cells not yet taken up by the elimination
CLUE_TAKEN = 15  # cells taken up
CLUE_COST = 16  # what it adds to the size of a state, in 1/1024 bits
CLUE_SHIFT = 17  # where its count lies in the key
CLUE_BITS = 18
CLUE_FIRST = 19  # first group that has this clue as its first

# Rows of `cells`, indexed by group.
GROUP_CLUES = 20  # how many clues see it
GROUP_SIZE = 21
GROUP_NEXT = 22
GROUP_MARK = 23
GROUP_SURE = 24
ORDER = 25  # groups by component, within a component in order of elimination
TRIAL = 26
BREADTH = 27
LAYER = 28  # first state of every layer; a component has one more layer than groups
PART_START = 29  # first place of every component in ORDER
CELL_ROWS = 30

# Rows of `links`: eight places for every clue and every group.
CLUE_TO_GROUP = 0
GROUP_TO_CLUE = 1

# Rows of `states` and of `arcs`.
FEWEST = 0
MOST = 1
ROW = 2
FIRST_ARC = 3
TARGET = 0
PLACED = 1
ARCS_PER_STATE = 4
ROOM_PER_STATE = 16

# How layouts are weighed.
BY_LAYOUTS = 0
BY_SOLUTIONS = 1
BY_ODDS = 2

# What a kernel answers.
OK = 0
APPROXIMATE = 1
INCONSISTENT = 2
GROW = 3
"""The workspace is too small for the budget: make it larger and ask again."""

WORD = 60
"""Bits used of a 64-bit word of a key: no sum of fields reaches the sign."""
TINY = 1e-290
"""Positive numbers are never let below this: a value is 0.0 only where there is no way at all."""
