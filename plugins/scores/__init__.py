"""The built-in scores, one file each."""
