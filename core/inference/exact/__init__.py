"""Compiled kernels that sum over all layouts of a position and so find the mine probability of every cell.

Read the modules in this order:

1. `layout` names the rows of the arrays that all kernels share. `tables` groups these rows by subject.
2. `scan` reads a position and resolves every cell that a single clue decides.
3. `graph` numbers the remaining clues, merges cells that the same clues see into groups, and finds the components.
4. `order` chooses the order in which the groups of a component are eliminated.
5. `summing` is the dynamic programme over one component, `coupling` combines the components, and `backward` goes back
   through each of them to find the marginals.
6. `marginals` calls all of this and writes the probabilities.

The other modules answer further questions about a summed position. `base` prepares them; `conditioned`, `conditional`
and `opening` sum again under a condition; `influence`, `candidates` and `scoring` choose a guess; `layouts` and `tree`
list the layouts of a small position and find the best play.

An example: `.1..` is one row with one mine. The clue has two unknown neighbours, which no other clue sees, so they form
one group of two cells. The last cell is free: no clue sees it. The group has two solutions with one mine. Each of them
leaves no mine for the free cell, so the position has two layouts, and the probabilities are 1/2, 1/2 and 0.

Words that all modules use: A *layout* places all mines. A *solution* places only the mines of a component, or of all of
them. The *weight* of a layout or a solution says how much it counts; the weight of a mine is called its *odds*. Sums of
weights are often divided by a factor to keep them in the range of floats, and the *logarithm* of these factors is added
up on the way. A *polynomial* is an array of weights, one for each number of mines.

How the code is written: Python calls the functions marked `@kernel`, and these call the functions marked `@inner`.
numba compiles both to machine code. Kernels use arrays and loops over indices instead of objects and lists, because
numba compiles these to fast code. Arrays are allocated once and passed in, so nearly all functions write their results
into arguments. Many arrays hold 32-bit integers. `np.int64(x)` converts an entry to 64 bits, so that numba compiles
a function once and not again for each type of its arguments. A function that has several results
returns a tuple. Its docstring names them in parentheses.
"""
