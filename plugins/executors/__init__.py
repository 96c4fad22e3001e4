"""The built-in executors, one file each."""
