"""Tournaments for Minesweeper agents."""
