"""Compiled functions: their decorators, numba's compiler and cache, and compiling ahead of play."""
