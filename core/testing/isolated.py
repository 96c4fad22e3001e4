"""The process in which `sweepstakes check` runs an agent, so that no agent can stop the report.

The argument is JSON that says what to check. The process prints a line of JSON when a step begins and when it ends. The
agent's own output goes to standard error.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from sweepstakes.agent import Agent
from sweepstakes.errors import PluginError, SweepstakesError
from sweepstakes.game.view import View
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.testing import STEPS, Step
from sweepstakes.untrusted.exceptions import describe_error, is_ours, text_of

LOADS = Step("it loads", lambda factory: None, "mend the file until `python FILE` runs without an error")
HOOKS = Step(
    "its hooks are spelt right and return what they must",
    lambda factory: None,
    "see docs/hooks.md: mark it with @hookimpl from sweepstakes, with the name and the arguments listed there",
)


class _FirstError:
    """The traceback of the first exception that an agent raised; the referee keeps only a sentence of it."""

    def __init__(self) -> None:
        self.trace = ""

    def record(self, error: BaseException) -> None:
        if not self.trace:
            self.trace = trace_of(error)

    def make_agent(self, factory: Callable[[], Agent]) -> Agent:
        """An agent of the factory whose exceptions are recorded here."""
        try:
            agent = factory()
        except BaseException as error:
            self.record(error)
            raise
        if isinstance(agent, Agent) and "act" not in getattr(agent, "__dict__", {"act": None}):
            act = agent.act

            def recorded_act(view: View) -> Any:
                try:
                    return act(view)
                except BaseException as error:
                    self.record(error)
                    raise

            agent.act = recorded_act  # type: ignore[method-assign]
        return agent


def trace_of(error: BaseException) -> str:
    """The traceback from the agent's first frame on; only the error's text if there is no readable traceback."""
    try:
        trace: TracebackType | None = error.__traceback__
        while trace is not None and is_ours(trace.tb_frame.f_code.co_filename):
            trace = trace.tb_next
        return "".join(traceback.format_exception(type(error), error, trace, chain=False))
    except BaseException:  # noqa: BLE001 - an exception's text and traceback may raise anything
        return describe_error(error)


def main() -> None:
    """Run the requested steps, from number `skip` on."""
    request = json.loads(sys.argv[1])
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)

        def send(**message: Any) -> None:
            sys.stdout.flush()
            out.write(json.dumps(message) + "\n")
            out.flush()

        send(ready=True)
        try:
            for number, (owner, step, run) in enumerate(_steps(request["target"], request["plugins"])):
                if number < request["skip"] and step not in (LOADS, HOOKS):
                    continue
                printed = os.fstat(2).st_size  # output after this position belongs to this step
                send(number=number, owner=owner, name=step.name, fix=step.fix, printed=printed)
                send(number=number, **_outcome(run))
        except _StopChecking:
            pass
        except SweepstakesError as error:
            send(wrong=str(error))
        send(end=True)


class _StopChecking(Exception):  # noqa: N818 - not an error: the failed step has been reported
    """Raised after a failed step without which no later step can run."""


def _outcome(run: Callable[[_FirstError], str | None]) -> dict[str, Any]:
    first_error = _FirstError()
    try:
        remark = run(first_error)
    except BaseException as error:  # noqa: BLE001 - third-party code may raise anything
        if type(error) is AssertionError and (fault := text_of(error, 1000)):
            return {"passed": False, "message": fault, "trace": first_error.trace}
        return {"passed": False, "message": f"it raised {describe_error(error, 1000)}", "trace": trace_of(error)}
    return {"passed": True, "message": remark or "", "trace": ""}


def _steps(target: str, plugins: list[str]) -> Iterator[tuple[str, Step, Callable[[_FirstError], str | None]]]:
    """Owner, step, and the function to run; a file is first checked for loading and for correct hooks."""
    spec = Spec.parse(target)
    if not spec.file:
        registry = Registry(plugins)
        registry.check()
        yield from _agent_steps(str(spec), registry.agent(spec))
        return
    file = Path(spec.file)
    if not file.is_file():
        raise PluginError(f"{spec.file}: there is no such file")
    passed: list[Step] = []

    def load(first_error: _FirstError) -> None:
        module_spec = importlib.util.spec_from_file_location("sweepstakes_checked", file.resolve())
        assert module_spec is not None
        assert module_spec.loader is not None
        module = sys.modules["sweepstakes_checked"] = importlib.util.module_from_spec(module_spec)
        module_spec.loader.exec_module(module)
        passed.append(LOADS)

    yield "", LOADS, load
    if not passed:
        raise _StopChecking
    registry = Registry(plugins)
    plugin = registry.add_file(file)

    def hooks(first_error: _FirstError) -> str:
        if plugin.error:
            raise AssertionError(plugin.error)
        passed.append(HOOKS)
        return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in plugin.offers.items())

    yield "", HOOKS, hooks
    if len(passed) < 2:
        raise _StopChecking
    named = spec.name or spec.parameters
    for agent in registry.specs("agent", spec) if named or plugin.offers.get("agent") else ():
        factory = registry.agent(agent) if spec.parameters else registry.find("agent", agent.name).factory
        yield from _agent_steps(str(agent), factory)


def _agent_steps(
    name: str, factory: Callable[[], Agent]
) -> Iterator[tuple[str, Step, Callable[[_FirstError], str | None]]]:
    for step in STEPS:
        yield name, step, functools.partial(_run, step, factory)


def _run(step: Step, factory: Callable[[], Agent], first_error: _FirstError) -> str | None:
    return step.run(lambda: first_error.make_agent(factory))


if __name__ == "__main__":
    main()
