"""Storage: writes the games of a run as they finish, reads them back from a run or a publication."""
