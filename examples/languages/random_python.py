"""Opens a random covered cell, determined by the seed of the game. Needs only Python: python3 random_python.py"""

import random
import sys

for line in sys.stdin:
    word, *rest = line.split() or [""]
    if word == "sweepstakes":
        print("ready name=random-python version=1 wants=changes", flush=True)
    elif word == "game":
        values = dict(pair.split("=", 1) for pair in rest if "=" in pair)
        rng = random.Random(int(values["seed"]))
    elif word in ("turn", "change"):
        if word == "turn":
            marks = list(rest[0])
        for change in rest if word == "change" else []:
            cell, mark = change.split("=")
            marks[int(cell)] = mark
        covered = [cell for cell, mark in enumerate(marks) if mark == "."]
        print(f"open {rng.choice(covered)}" if covered else "resign", flush=True)
    elif word == "quit":
        break
