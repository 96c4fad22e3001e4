"""Agents of the arena, in processes of their own."""
