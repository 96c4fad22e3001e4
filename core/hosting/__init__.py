"""Processes that agents live in, apart from the referee."""
