"""The built-in clue noises, one file each."""
