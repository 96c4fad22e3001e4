"""Compiled functions: their decorators, numba's compiler and its cache."""
