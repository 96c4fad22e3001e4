"""The games of a run on disk: written as they finish, read back from a run or a publication."""
