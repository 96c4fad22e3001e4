"""The built-in reports, one file each."""
