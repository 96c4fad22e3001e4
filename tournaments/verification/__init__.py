"""Checks the stored rows of a run or of a publication against their games."""
