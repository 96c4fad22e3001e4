"""The built-in agents, one file each."""
