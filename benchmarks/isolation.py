"""Measures what the boundary between referee and agent costs: wall time per turn on Expert boards, by isolation.

python benchmarks/isolation.py [--games N] [--rounds N]

Every round plays the same boards under each isolation, one after the other, in one process. Two agents are written to
a file: one opens the first covered cell (a few microseconds of Python), the other is `basic` under another name. The
time includes the agent, the referee and, except for `none`, the messages to and from the host. It does not include the
start of the host, which is printed separately. A program in C follows, if there is a compiler.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from sweepstakes import PRESETS, Agent, GameSetup, Registry, Rules, play_game
from sweepstakes.hosting import sealing
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.resolving import find_agent

AGENTS = """
from sweepstakes import Agent, Turn, hookimpl
from sweepstakes.plugins.agents.basic import Basic

class First(Agent):
    def act(self, view):
        return Turn(open=[divmod(view.data.index(255), view.cols)])

class Wrapped(Basic):
    pass

@hookimpl
def sweepstakes_agents():
    return {"first": First, "wrapped-basic": Wrapped}
"""
RULES = Rules("continue", "any")
PROGRAM = Path(__file__).parents[1] / "examples" / "languages" / "first_c.c"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    isolations = ["none", "process", *(["sealed"] if not sealing.missing() else [])]
    with tempfile.TemporaryDirectory() as folder, Hosts(warm=("basic",), core=0) as hosts:
        file = Path(folder) / "agents.py"
        file.write_text(AGENTS)
        here, there = Registry([file], import_agents=True), Registry([file])
        specs = ["first", "wrapped-basic"]
        if shutil.which("cc"):
            program = Path(folder) / "first_c"
            subprocess.run(["cc", "-O2", "-o", program, PROGRAM], check=True)
            specs.append(f"command:{program}")
        for spec in specs:
            measure(spec, isolations, hosts, here, there, arguments.games, arguments.rounds)


def measure(
    spec: str, isolations: list[str], hosts: Hosts, here: Registry, there: Registry, games: int, rounds: int
) -> None:
    """Print the time per turn of one agent under each isolation."""
    source = find_agent(there, spec)
    assert source is not None
    times: dict[str, list[float]] = {}
    starts: dict[str, list[float]] = {}
    turns = 0
    for number in range(rounds):
        for isolation in isolations:
            if isolation == "none" and source.plugin is None:
                continue
            agents: Callable[[], Agent] = (
                here.agent(spec) if isolation == "none" else HostedAgents(hosts, source, isolation=isolation)
            )
            begun = perf_counter()
            agents()  # imports the plugin
            starts.setdefault(isolation, []).append(perf_counter() - begun)
            begun, turns = perf_counter(), 0
            for board in range(number * games, (number + 1) * games):
                setup = GameSetup(PRESETS["expert"], number=board, rules=RULES)
                turns += play_game(setup.game(here), agents).result.turns
            times.setdefault(isolation, []).append((perf_counter() - begun) / turns)
            if isinstance(agents, HostedAgents):
                agents.end()
    name = Path(spec).name
    base = times.get("none")
    for isolation, each in times.items():
        extra = ""
        if base is not None and isolation != "none":
            more = median(a - b for a, b in zip(each, base, strict=True))
            extra = f"  {1e6 * more:+6.1f} us more than in one process"
        start = f"  start {1e3 * median(starts[isolation]):5.1f} ms" if isolation != "none" else ""
        print(f"{name:14} {isolation:8} {1e6 * median(each):7.1f} us per turn{extra}{start}")


if __name__ == "__main__":
    main()
