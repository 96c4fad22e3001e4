"""Makes the executor of a run, and takes the rows that it yields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sweepstakes.errors import ConfigError, PluginError, SweepstakesError, brief
from sweepstakes.executor import Chunk, Executor, Fixture, Limits, Row
from sweepstakes.registry.parameters import parameters
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.tournaments.resolve.planning import with_workers
from sweepstakes.tournaments.running.workload import PlanWorkload
from sweepstakes.untrusted.exceptions import describe_error

LOCAL = Spec("local")
"""The executor that enforces limits. Games that are played again are played by it."""


def pick_executor(
    registry: Registry, spec: Spec, workers: int | None = None, start_method: str | None = None
) -> Executor:
    """Return the executor; `workers` (by default one for each core) is passed on if it is a parameter of the executor.

    `start_method`, if it is given, is passed on as the parameter `start`: `fork` or `spawn`. `ConfigError` if `workers`
    or `start_method` is something that the executor cannot use.
    """
    full_spec = with_workers(registry, spec, workers)
    if workers is not None and full_spec.parameters.get("workers") != workers:
        raise ConfigError(f"{workers} workers: {_refusal(spec, full_spec, 'workers')}")
    if start_method is not None and full_spec.parameters.get("start") != start_method:
        factory = registry.find("executor", full_spec.name).factory
        if "start" in full_spec.parameters or factory is None or "start" not in (parameters(factory) or {}):
            raise ConfigError(f"start {start_method}: {_refusal(spec, full_spec, 'start')}")
        full_spec = registry.checked("executor", full_spec.adding({"start": start_method}))
    executor: Executor = registry.make("executor", full_spec)
    return executor


def _refusal(spec: Spec, full_spec: Spec, name: str) -> str:
    """Return the reason why an executor does not accept a parameter."""
    fixed = full_spec.parameters.get(name)
    return f"executor '{spec}' " + (f"has no parameter '{name}'" if fixed is None else f"has {name}={fixed} already")


@contextmanager
def run_executor(executor: Executor, workload: PlanWorkload, chunks: Iterable[Chunk]) -> Iterator[Iterator[Any]]:
    """The batches of rows that the executor yields. It is closed at the end, also after an exception."""
    limits = workload.plan.config.limits
    if type(executor).__module__.startswith("sweepstakes.plugins.executors."):
        batches = executor.run(workload, chunks, limits)
    else:
        batches = _checked_batches(executor, workload, chunks, limits)
    close: Callable[[], None] = getattr(batches, "close", lambda: None)
    try:
        yield batches
    finally:
        close()


def _checked_batches(
    executor: Executor, workload: PlanWorkload, chunks: Iterable[Chunk], limits: Limits
) -> Iterator[list[Row]]:
    """Yield the batches of an executor that is not built in. Raise `PluginError` with its name if it fails or yields
    anything else."""
    name = f"executor '{Spec.of(workload.plan.config.executor).portable}'"
    chunks = iter(chunks)
    asked: set[Fixture] = set()

    def noted() -> Iterator[Chunk]:
        for chunk in chunks:
            asked.update(chunk.fixtures())
            yield chunk

    try:
        batches = iter(executor.run(workload, noted(), limits))
        try:
            for batch in batches:
                rows: list[Row] = []
                for row in batch:
                    if not isinstance(row, Row) or row.fixture not in asked:
                        found = f"game {workload.title(row.fixture)}" if isinstance(row, Row) else brief(row)
                        raise PluginError(f"{name} yielded {found}: expected rows of the games that it was given")
                    asked.remove(row.fixture)
                    rows.append(row)
                yield rows
        finally:
            getattr(batches, "close", lambda: None)()
    except (SweepstakesError, GeneratorExit, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - third-party code may raise anything
        raise PluginError(f"{name} raised {describe_error(error)}") from None
    if asked or next(chunks, None) is not None:
        raise PluginError(f"{name} ended before all games were played")
