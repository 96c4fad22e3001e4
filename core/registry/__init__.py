"""Plugins: names with parameters, discovery, loading, and the registry of all offers."""
