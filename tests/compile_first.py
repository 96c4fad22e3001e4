"""Compile every kernel that the tests use once, because otherwise each parallel test process would compile it."""

from __future__ import annotations

import subprocess
import sys

ENGINE = "from sweepstakes.warm_up import warm_up; warm_up(quiet=True)"
"""Run alone first, since it uses two cores itself."""
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
"""Run at the same time after the engine: the largest kernels, which need the engine but not each other."""


def compile_first() -> None:
    """Compile on two cores, or load from the cache. Errors are ignored, because a test that fails later shows them."""
    for stage in ([ENGINE], BESIDE):
        running = [subprocess.Popen([sys.executable, "-c", program]) for program in stage]
        for process in running:
            process.wait()


if __name__ == "__main__":
    compile_first()
