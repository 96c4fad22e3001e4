"""The process in which `sweepstakes check` lets an agent play: whatever the agent does, the report goes on.

It is told by its argument what to check, and says on its standard output, a line of JSON for each, which step begins
and how it ended. What the agent itself prints goes to standard error.
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
    "see docs/hooks.md: @hookimpl from sweepstakes above, the hook's name and arguments as they stand there",
)


class _Noted:
    """Keeps the traceback of what an agent raised: the referee makes a sentence of it and goes on."""

    def __init__(self) -> None:
        self.trace = ""

    def note(self, error: BaseException) -> None:
        if not self.trace:
            self.trace = trace_of(error)

    def factory(self, make: Callable[[], Agent]) -> Agent:
        """What the factory makes, listened to."""
        try:
            agent = make()
        except BaseException as error:
            self.note(error)
            raise
        if isinstance(agent, Agent) and "act" not in getattr(agent, "__dict__", {"act": None}):
            act = agent.act

            def listened(view: View) -> Any:
                try:
                    return act(view)
                except BaseException as error:
                    self.note(error)
                    raise

            agent.act = listened  # type: ignore[method-assign]
        return agent


def trace_of(error: BaseException) -> str:
    """The traceback without our own lines above the agent's, or just what it says if that cannot be had."""
    try:
        trace: TracebackType | None = error.__traceback__
        while trace is not None and is_ours(trace.tb_frame.f_code.co_filename):
            trace = trace.tb_next
        return "".join(traceback.format_exception(type(error), error, trace, chain=False))
    except BaseException:  # noqa: BLE001 - an exception's text and traceback may raise anything
        return describe_error(error)


def main() -> None:
    """Run the steps from number `skip` on."""
    told = json.loads(sys.argv[1])
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)

        def say(**message: Any) -> None:
            sys.stdout.flush()
            out.write(json.dumps(message) + "\n")
            out.flush()

        say(ready=True)
        try:
            for number, (owner, step, run) in enumerate(_steps(told["target"], told["plugins"])):
                if number < told["skip"] and step not in (LOADS, HOOKS):
                    continue
                printed = os.fstat(2).st_size  # what comes after this is this step's
                say(number=number, owner=owner, name=step.name, fix=step.fix, printed=printed)
                say(number=number, **_outcome(run))
        except _Enough:
            pass
        except SweepstakesError as error:
            say(wrong=str(error))
        say(end=True)


class _Enough(Exception):  # noqa: N818 - not an error: the steps before have said it
    """What follows would only repeat what has failed."""


def _outcome(run: Callable[[_Noted], str | None]) -> dict[str, Any]:
    noted = _Noted()
    try:
        remark = run(noted)
    except BaseException as error:  # noqa: BLE001 - third-party code may raise anything
        if type(error) is AssertionError and (fault := text_of(error, 1000)):
            return {"passed": False, "message": fault, "trace": noted.trace}
        return {"passed": False, "message": f"it raised {describe_error(error, 1000)}", "trace": trace_of(error)}
    return {"passed": True, "message": remark or "", "trace": ""}


def _steps(target: str, plugins: list[str]) -> Iterator[tuple[str, Step, Callable[[_Noted], str | None]]]:
    """Owner, step, and what to run; of a file first that it loads and that its hooks are right."""
    spec = Spec.parse(target)
    if not spec.file:
        registry = Registry(plugins)
        registry.check()
        yield from _of_agent(str(spec), registry.agent(spec))
        return
    file = Path(spec.file)
    if not file.is_file():
        raise PluginError(f"{spec.file}: there is no such file")
    passed: list[Step] = []

    def load(noted: _Noted) -> None:
        found = importlib.util.spec_from_file_location("sweepstakes_checked", file.resolve())
        assert found is not None
        assert found.loader is not None
        module = sys.modules["sweepstakes_checked"] = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        passed.append(LOADS)

    yield "", LOADS, load
    if not passed:
        raise _Enough
    registry = Registry(plugins)
    plugin = registry.add_file(file)

    def hooks(noted: _Noted) -> str:
        if plugin.error:
            raise AssertionError(plugin.error)
        passed.append(HOOKS)
        return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in plugin.offers.items())

    yield "", HOOKS, hooks
    if len(passed) < 2:
        raise _Enough
    named = spec.name or spec.parameters
    for agent in registry.specs("agent", spec) if named or plugin.offers.get("agent") else ():
        made = registry.agent(agent) if spec.parameters else registry.find("agent", agent.name).factory
        yield from _of_agent(str(agent), made)


def _of_agent(name: str, factory: Callable[[], Agent]) -> Iterator[tuple[str, Step, Callable[[_Noted], str | None]]]:
    for step in STEPS:
        yield name, step, functools.partial(_run, step, factory)


def _run(step: Step, factory: Callable[[], Agent], noted: _Noted) -> str | None:
    return step.run(lambda: noted.factory(factory))


if __name__ == "__main__":
    main()
