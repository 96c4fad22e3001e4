"""Plugins: how a name with parameters is written, where plugins are found, and what they offer."""
