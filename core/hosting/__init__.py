"""Agents in processes of their own: files and programs that others wrote."""
