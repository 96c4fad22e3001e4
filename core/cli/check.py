"""`sweepstakes check`: test an agent, step by step, as a tournament will use it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import click

from sweepstakes.cli.options import Decimal, plugin_option
from sweepstakes.errors import PluginError, located
from sweepstakes.untrusted.exceptions import describe_error, text_of
from sweepstakes.untrusted.text import clean, clean_lines

if TYPE_CHECKING:
    from sweepstakes.agent import Agent
    from sweepstakes.game.faults import AgentFault
    from sweepstakes.hosting.hosted_agent import HostedAgents
    from sweepstakes.registry.spec import Spec
    from sweepstakes.testing import Step

_LINES = 20
"""Lines that are shown of what an agent printed."""
_MOST_LINES = 60
"""Lines that are shown of any message, traceback or output."""
_AT_ONCE = 8
"""Agents that live in one host: some steps play two games at the same time."""
_MEMORY_MB = 4096
_PROGRAM_SECONDS = 10.0
"""Seconds in which a program that is checked has to answer a line."""
_CANNOT_PLAY = "cannot play: "
LOADS = "it loads"
HOOKS = "its hooks are spelt right and return what they must"
_FIX = {
    LOADS: "mend the file until `python FILE` runs without an error",
    HOOKS: "see docs/hooks.md: mark it with @hookimpl from sweepstakes, with the name and the arguments listed there",
    "slow": "bound loops and searches by a count; a tournament stops a turn after its limit, and the game is lost",
    "crash": "do not call exit functions; a crash inside compiled code is an index out of bounds most of the time",
}


class StepReport(NamedTuple):
    """The outcome of one step."""

    owner: str
    name: str
    passed: bool
    message: str = ""
    fix: str = ""
    trace: str = ""
    printed: str = ""


@click.command("check")
@click.argument("target", metavar="AGENT", required=False)
@click.option("--limit", type=Decimal(1, 1_000_000), default=60, show_default=True, help="Seconds a step may take.")
@click.option("--sealed", is_flag=True, help="Try what a sealed process is refused; check AGENT in sealed hosts.")
@plugin_option
def check(target: str | None, limit: float, plugins: tuple[str, ...], sealed: bool) -> None:
    """Check an agent (a file, a name, command:PROGRAM, each with or without parameters) as a tournament will use it.

    The report says for each failed step how to mend the agent. The exit code is 1 if any step failed.
    """
    from sweepstakes.compiling.warm_up import warm_up

    if sealed and not _check_sealing():
        sys.exit(1)
    if target is None:
        if sealed:
            return
        raise click.UsageError("Missing argument 'AGENT'.")
    steps = run_steps(target, plugins, limit, warm_up, "sealed" if sealed else "process")
    failed = done = 0
    owner, printed_traces = "", set()
    for done, step in enumerate(steps, 1):
        if step.owner != owner:
            owner = step.owner
            click.echo(f"agent {owner}")
        word = click.style("ok  ", fg="green") if step.passed else click.style("FAIL", fg="red", bold=True)
        remark = f" ({clean(step.message)})" if step.passed and step.message else ""
        click.echo(f"{done:>3} {word}  {step.name}{remark}")
        if step.passed:
            continue
        failed += 1
        _block(step.message)
        if step.fix:
            _block(f"to do: {step.fix}")
        if step.trace and step.trace not in printed_traces:
            printed_traces.add(step.trace)
            _block(step.trace.rstrip())
        if step.printed:
            _block("it printed:\n" + step.printed)
    click.echo(f"{done - failed} of {done} steps passed")
    if failed:
        sys.exit(1)


def _check_sealing() -> bool:
    """Print what this machine offers for sealing, and what came of every attempt; whether all is as it must be."""
    from sweepstakes.hosting.sealing.attempts import offered, try_all

    for what, there in offered():
        click.echo(f"{what}: {there}")
    wrong = done = 0
    for done, outcome in enumerate(try_all(), 1):
        right = outcome.worked == outcome.must_work
        wrong += not right
        word = (
            ("works" if outcome.worked else "FAILS")
            if outcome.must_work
            else "ALLOWED"
            if outcome.worked
            else "refused"
        )
        styled = click.style(f"{word:<7}", fg="green") if right else click.style(f"{word:<7}", fg="red", bold=True)
        click.echo(f"{done:>3} {styled}  {outcome.name}")
        if not right and outcome.why:
            _block(outcome.why)
    click.echo(f"{done - wrong} of {done} attempts ended as they must")
    return not wrong


def _block(text: str) -> None:
    """Print a text, indented; only its last lines if there are too many."""
    for line in clean_lines(text, _MOST_LINES).splitlines():
        click.echo(" " * 10 + line)


def run_steps(
    target: str,
    plugins: tuple[str, ...],
    limit: float,
    prepare: Callable[[], None] = lambda: None,
    isolation: str = "process",
) -> Iterator[StepReport]:
    """The reports, step by step. Every step gets a new host process: one that is killed or hangs fails its step only.

    `prepare` is called before the first step that plays. `PluginError` if there is no such file or agent.
    """
    from sweepstakes.hosting.describing import describe_plugin, describe_under, end_describing
    from sweepstakes.hosting.hosted_agent import HostedAgents
    from sweepstakes.hosting.hosts import Hosts
    from sweepstakes.registry.plugin_source import PluginSource
    from sweepstakes.registry.registry import Registry
    from sweepstakes.registry.spec import Spec
    from sweepstakes.testing import STEPS
    from sweepstakes.untrusted.files import is_file

    spec = Spec.parse(target)
    describe_under(isolation, limit)
    registry = Registry(plugins)
    registry.check()
    if spec.file:
        if not is_file(Path(spec.file)):
            raise PluginError(f"{located(spec.file)}: there is no such file")
        error, loaded = None, True
        try:
            describe_plugin(PluginSource.of_file(Path(spec.file).resolve(), files=spec.files), spec.files)
        except PluginError as broken:
            error, loaded = broken, getattr(broken, "loaded", False)
        if error is not None and not loaded:
            trace = getattr(error, "trace", "")
            yield StepReport("", LOADS, False, str(error), _FIX[LOADS], trace)
            return
        yield StepReport("", LOADS, True)
        plugin = registry.add_file(spec.file, only_agents=True, files=spec.files)
        if plugin.error:
            yield StepReport("", HOOKS, False, plugin.error, _FIX[HOOKS])
            return
        offers = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in plugin.offers.items())
        yield StepReport("", HOOKS, True, offers)
        if not plugin.offers.get("agent") and not spec.name and not spec.parameters:
            return
    if spec.words:
        prepare()
        yield from _program_steps(spec, limit, isolation)
        return
    agents_found = registry.agents(spec, check=bool(spec.parameters))
    end_describing()
    prepare()
    with Hosts(warm=tuple(Registry.built_in().offers("agent"))) as hosts:
        for each, _, source in agents_found:
            for step in STEPS:
                if source is None:
                    yield _run(str(each), step, registry.agent(each))
                else:
                    agents = HostedAgents(hosts, source, isolation=isolation, at_once=_AT_ONCE)
                    yield _run_hosted(str(each), step, agents, limit)


def _program_steps(spec: Spec, limit: float, isolation: str) -> Iterator[StepReport]:
    """The reports on a program in any language."""
    from sweepstakes.executor import Limits
    from sweepstakes.hosting.describing import program_source
    from sweepstakes.hosting.hosted_agent import HostedAgents
    from sweepstakes.hosting.hosts import Hosts
    from sweepstakes.testing.programs import STEPS, Candidate

    source, owner = program_source(spec), str(spec.portable)
    limits = Limits(min(limit, _PROGRAM_SECONDS), limit, _MEMORY_MB, limit)
    with Hosts() as hosts:
        agents = HostedAgents(hosts, source, limits, isolation)
        candidate = Candidate(lambda: agents.start_program(limits), spec.parameters)
        for step in STEPS:
            try:
                yield StepReport(owner, step.name, True, step.run(candidate) or "")
            except AssertionError as error:
                yield StepReport(owner, step.name, False, text_of(error, 1000), step.fix)


def _run(owner: str, step: Step, factory: Callable[[], Agent]) -> StepReport:
    """Run a step; a failure is an `AssertionError` with a sentence, or an exception of the agent."""
    try:
        return StepReport(owner, step.name, True, step.run(factory) or "")
    except Exception as error:  # noqa: BLE001 - agents may raise anything
        sentence = text_of(error, 1000) if type(error) is AssertionError else ""
        return StepReport(owner, step.name, False, sentence or f"it raised {describe_error(error, 1000)}", step.fix)


def _run_hosted(owner: str, step: Step, agents: HostedAgents, limit: float) -> StepReport:
    """Run a step with agents in a host; the step may take `limit` seconds."""
    from sweepstakes.executor import Limits
    from sweepstakes.game.result import Ending

    deadline = monotonic() + limit
    first: list[AgentFault] = []

    def factory() -> Agent:
        left = max(deadline - monotonic(), 0.001)
        try:
            return agents.make(Limits(None, left, _MEMORY_MB, left))
        finally:
            note()

    def note() -> None:
        if agents.fault is not None and not first:
            first.append(agents.fault)

    report = _run(owner, step, factory)
    note()
    printed = agents.printed()
    agents.end()
    if report.passed:
        return report
    fault = first[0] if first else None
    if fault is not None and fault.ending is Ending.TIME_OUT:
        report = report._replace(message=f"it did not finish within {limit:g} s", fix=_FIX["slow"])
    elif fault is not None and fault.ending is Ending.CRASH:
        report = report._replace(message=f"it {fault.what}", fix=_FIX["crash"])
    elif fault is not None and fault.what.startswith(_CANNOT_PLAY):
        report = report._replace(message=fault.what.removeprefix(_CANNOT_PLAY))
    trace = fault.trace if fault is not None else ""
    return report._replace(trace=trace, printed="\n".join(printed.splitlines()[-_LINES:]))
