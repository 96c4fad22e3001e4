"""The exact sum over all layouts, compiled: from the position to the probability of every cell."""
