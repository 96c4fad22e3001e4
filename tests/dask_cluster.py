"""A real Dask cluster on the loopback interface: a scheduler and workers, each in its own process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import IO

from marked_processes import MARK, marked


class DaskCluster:
    """Processes of `dask scheduler` and `dask worker`, which `close` kills."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mark = uuid.uuid4().hex
        self._logs: list[IO[bytes]] = []
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        scheduler, log = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        self._scheduler = scheduler
        self.address = self._wait_for(log, r"Scheduler at: *(tcp://127\.0\.0\.1:[0-9]+)", scheduler)

    def start_worker(self, name: str, python_path: str = "", *, wait: bool = True) -> None:
        """Start a worker; without `wait`, several can start at the same time."""
        words = [self.address, "--host", "127.0.0.1", "--no-nanny", "--nthreads", "1", "--memory-limit", "0"]
        local = self._folder / f"local-{name}-{len(self._logs)}"
        process, log = self._start(
            "worker", *words, "--name", name, "--local-directory", str(local), python_path=python_path
        )
        self.workers[name] = process
        if wait:
            self._wait_for(log, r"(Registered to)", process)

    def kill_worker(self, name: str) -> None:
        """Kill a worker with SIGKILL."""
        process = self.workers.pop(name)
        process.kill()
        process.wait()

    def others(self) -> list[str]:
        """Return the descendants of the workers."""
        ours = {str(process.pid) for process in (self._scheduler, *self.workers.values())}
        return [each for each in marked(self._mark) if each.partition(":")[0] not in ours]

    def close(self) -> None:
        """Kill all processes."""
        for process in (*self.workers.values(), self._scheduler):
            process.kill()
            process.wait()
        for log in self._logs:
            log.close()

    def _start(self, kind: str, *words: str, python_path: str = "") -> tuple[subprocess.Popen[bytes], Path]:
        path = self._folder / f"{kind}-{len(self._logs)}.log"
        log = path.open("wb")
        self._logs.append(log)
        paths = [path for path in (python_path, os.environ.get("PYTHONPATH", "")) if path]
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", kind, *words, "--no-dashboard"],
            stdout=log,
            stderr=log,
            env={**os.environ, MARK: self._mark, "PYTHONPATH": os.pathsep.join(paths)},
            cwd=self._folder,
        )
        return process, path

    def _wait_for(self, log: Path, pattern: str, process: subprocess.Popen[bytes]) -> str:
        for _ in range(1200):
            if found := re.search(pattern, log.read_text()):
                return found[1]
            assert process.poll() is None, log.read_text()
            time.sleep(0.05)
        raise AssertionError(log.read_text())
