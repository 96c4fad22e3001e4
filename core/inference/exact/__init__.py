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

Inside kernels, a function that has several results returns a tuple. Its docstring names them in parentheses.
"""
