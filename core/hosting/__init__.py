"""Code that is not built in runs in a host, always; everything that is not a host is trusted.

A host is a process of its own in which one agent lives, apart from the referee.
"""
