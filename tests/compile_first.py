"""Compile every kernel that the tests use, each once: processes that begin at the same time would each compile it."""

from __future__ import annotations

import subprocess
import sys

ENGINE = "from sweepstakes.warm_up import warm_up; warm_up(quiet=True)"
"""By itself on two cores."""
BESIDE = [
    """
from sweepstakes import Cell, Registry, View, inference
from sweepstakes.warm_up import warm_up

inference.lookahead(View.parse("1 4 1\\n..1."), [Cell(0, 0)])
registry = Registry.built_in()
warm_up([registry.agent(name) for name in registry.self_contained_agents()], quiet=True, review=True)
""",
    """
from sweepstakes import View, inference
from sweepstakes.learning import MinesweeperVectorEnv

inference.endgame(View.parse("1 4 1\\n..1."))
environment = MinesweeperVectorEnv(2, "beginner")
environment.reset(seed=1)
environment.step(environment.action_space.sample())
""",
]
"""In two processes at the same time: the largest kernels first, which need the engine and not each other."""


def compile_first() -> None:
    """Compile, or find in the cache, on two cores. What fails here fails in a test too, which says why."""
    for stage in ([ENGINE], BESIDE):
        running = [subprocess.Popen([sys.executable, "-c", program]) for program in stage]
        for process in running:
            process.wait()


if __name__ == "__main__":
    compile_first()
