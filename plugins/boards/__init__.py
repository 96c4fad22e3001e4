"""The built-in board sources, one file each."""
