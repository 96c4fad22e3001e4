"""The commands that show results; there are none yet."""

COMMANDS: list[object] = []
