"""Code that is not built in always runs in a host. Every process that is not a host is trusted.

A host is a process of its own in which one agent lives, separate from the referee.
"""
