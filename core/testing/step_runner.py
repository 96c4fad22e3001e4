"""Runs the steps of a check on the agents of a file, a name or a program, each as a tournament would play it."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from sweepstakes import os_support
from sweepstakes.agent import Agent
from sweepstakes.errors import PluginError, located
from sweepstakes.game.faults import AgentFault, FaultKind
from sweepstakes.game.result import Ending
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.describing import describer_here, end_describing, read_imports
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.limits import DEFAULT_LIMITS, Limits, limits_within
from sweepstakes.registry.agent_source import AgentSource, ReadFile, program_source
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.registry.registry import Registry
from sweepstakes.resolving import find_agents
from sweepstakes.spec import Spec
from sweepstakes.tables import join_words
from sweepstakes.testing import STEPS, programs
from sweepstakes.testing.checked_offers import check_offers
from sweepstakes.testing.checked_program import CheckedProgram
from sweepstakes.testing.conversation import Candidate
from sweepstakes.testing.scenarios import EVERYTHING, Games
from sweepstakes.testing.step_report import StepReport
from sweepstakes.testing.steps import Note, StepFailure, watch_command
from sweepstakes.untrusted.exceptions import describe_error, text_of
from sweepstakes.untrusted.files import is_file
from sweepstakes.untrusted.text import clean_lines

if TYPE_CHECKING:
    from sweepstakes.testing import Step

LOADS = "it loads"
HOOKS = "its hooks have the right names and return valid values"
_PRINTED_LINES = 20
_AT_ONCE = 8
"""Agents that live in one host: some steps play two games at the same time."""
_REFUSALS = (FaultKind.CANNOT_PLAY, FaultKind.BAD_PARAMETER, FaultKind.NO_AGENT, FaultKind.CHANGED_FILE)
_NOT_DEMANDED = "Only a tournament with clue noise needs this; `check --noise` demands it"
_SPEAKS = 3
"""The number of first steps that a program must pass before it can take any other."""
_FIX_FILE = {
    LOADS: "fix the file until `python FILE` runs without an error",
    HOOKS: "see docs/hooks.md for the names of the hooks, their arguments and what they return",
}
_FIX_FAULT = {
    Ending.ILLEGAL_MOVE: "return a Turn with lists of cells (row, col): open and flag only cells of view.covered(), "
    "unflag only cells of view.flagged(); why is proof, guess or random; an empty Turn() gives up the game",
    Ending.ERROR: "fix the line named above, or catch the exception",
    Ending.STALLED: "let every turn open, flag or unflag a cell for good; an empty Turn() gives up the game",
    Ending.TIME_OUT: "bound loops and searches by a count; in a tournament, a turn over its limit loses the game",
    Ending.CRASH: "do not call exit functions; most crashes of compiled code are indices out of bounds",
    Ending.MEMORY: "keep less in memory; in a tournament, an agent that exceeds its limit loses the game",
}
"""The advice on a fault, which does not depend on the step."""


def run_steps(
    target: str,
    plugins: tuple[str, ...] = (),
    seconds: float = 60,
    prepare: Callable[[], None] = lambda: None,
    isolation: str = "process",
    *,
    limits: Limits = DEFAULT_LIMITS,
    exit_first: bool = False,
    on_step: Callable[[str], None] = lambda name: None,
    hosts: Hosts | None = None,
    games: Games = EVERYTHING,
    noise: bool = False,
    alone: bool = False,
    on_files: Callable[[str, list[str]], None] = lambda owner, files: None,
) -> Iterator[StepReport]:
    """Run the steps and yield their reports. Each has a new host process, so a crash or a hang fails only one step.

    After a fault the remaining steps of the agent are skipped, since they would fail for the same reason. With
    `exit_first` they are skipped after any failure. Only the rules and clue noises of `games` are used. Unless `noise`
    is set, an agent that fails under noise only gets a note. All steps of an agent together may take `seconds`, or more
    on a busy machine. `prepare` is called before the first step that plays, and `on_step` before each step. `hosts` are
    used instead of new ones, for example for many checks in a row. A file that is `alone` imports nothing from its
    folder. `on_files` is called after the steps of an agent with the data files that belong to its identity.

    Raises `PluginError` if the file or agent does not exist.
    """
    spec = Spec.parse(target)
    registry = Registry(plugins, describer=describer_here(isolation, limits_within(limits, seconds)))
    registry.check()
    if spec.file:
        passed = True
        for report in _file_steps(spec, registry, on_step, alone=alone):
            yield report
            passed = report.passed
        if not passed:
            return
        plugin = registry.add_file(spec.file, only_agents=True, files=spec.files, alone=alone)
        if not plugin.offers.get("agent") and not spec.name:
            for kind, name, step, fine, message in check_offers(plugin, seconds, spec.parameters):
                yield StepReport(name, step.name, "passed" if fine else "failed", message, step.fix, kind=kind)
            return
    if spec.words:
        prepare()
        order = _Order(str(spec.portable), games, noise, exit_first, on_step)
        yield from _program_steps(spec, target, seconds, isolation, limits, order)
        return
    found = find_agents(registry, spec, check=bool(spec.parameters), alone=alone)
    offers = registry.named("agent", spec, alone=alone)
    for source in found:
        if not source.hosted and not source.repeatable:
            raise PluginError(
                f"agent '{source.spec}' is not repeatable, and a check plays hundreds of games, some of them twice; to "
                "ask it once for each of a few decisions, use `sweepstakes quiz`"
            )
    if hosts is None:
        end_describing()
    prepare()
    with nullcontext(hosts) if hosts is not None else warm_hosts() as used:
        for source, offer in zip(found, offers, strict=True):
            each = source.spec
            needs = tuple(name for name in offer.description.needs if name not in each.parameters)
            shown = target if len(found) == 1 else str(replace(each, file=spec.file))
            order = _Order(str(each), replace(games, agent=str(each)), noise, exit_first, on_step)
            opened: set[ReadFile] = set()
            if needs:
                run = functools.partial(_needy, str(each), needs=needs, shown=shown)
            elif not source.hosted:
                run = functools.partial(_run, str(each), factory=registry.agent(each), shown=shown, games=order.games)
            else:
                make = functools.partial(HostedAgents, used, source, isolation=isolation, at_once=_AT_ONCE)
                busy = _processes_per_core()
                patient = limits._replace(start_seconds=(limits.start_seconds or seconds) * busy)
                allowed = _Allowed(patient, seconds, monotonic() + seconds * busy)
                run = functools.partial(
                    _run_hosted, str(each), make=make, shown=shown, allowed=allowed, games=order.games, opened=opened
                )
            yield from order.reports(STEPS, run)
            if source.hosted:
                on_files(str(each), _data_files(source, opened))


def _data_files(source: AgentSource, opened: Collection[ReadFile]) -> list[str]:
    """Return the data files of an agent by their places in its folder, without those that it writes itself."""
    written = {file.place for file in opened if not file.digest}
    places = {file.place for file in opened} - written
    folder = source.plugin.folder if source.plugin is not None else None
    for file in map(Path, (file.path for file in source.files)):
        inside = folder is not None and file.is_relative_to(folder)
        places.add(file.relative_to(folder).as_posix() if inside and folder is not None else str(file))
    return sorted(places)


def warm_hosts() -> Hosts:
    """Hosts in which agents may use the compiled code of this package at once."""
    os_support.check_memory(DEFAULT_LIMITS.memory_mb)
    return Hosts(warm=tuple(Registry.built_in().self_contained_agents()))


def _file_steps(spec: Spec, registry: Registry, on_step: Callable[[str], None], *, alone: bool) -> Iterator[StepReport]:
    """Check that a file can be imported and offers what it says. If not, the steps of its agents are skipped."""
    if not is_file(Path(spec.file)):
        raise PluginError(f"{located(spec.file)}: there is no such file")
    on_step(LOADS)
    try:
        source = PluginSource.of_file(Path(spec.file).resolve(), read_imports, files=spec.files, alone=alone)
        registry.describer.describe(source, spec.files)
    except PluginError as broken:
        if not getattr(broken, "loaded", False):
            trace = getattr(broken, "trace", "")
            yield StepReport("", LOADS, "failed", str(broken), _FIX_FILE[LOADS], trace=trace, is_cause=True)
            for name in (HOOKS, *(step.name for step in STEPS)):
                yield StepReport("", name, "not tried", "fix 1 first", cause=LOADS)
            return
    yield StepReport("", LOADS, "passed")
    on_step(HOOKS)
    plugin = registry.add_file(spec.file, only_agents=True, files=spec.files, alone=alone)
    if plugin.error:
        yield StepReport("", HOOKS, "failed", plugin.error, _FIX_FILE[HOOKS], is_cause=True)
        for step in STEPS:
            yield StepReport("", step.name, "not tried", "fix 2 first", cause=HOOKS)
        return
    offers = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in plugin.offers.items())
    yield StepReport("", HOOKS, "passed", offers)


class _Order(NamedTuple):
    """The steps of an agent in order, and the skipped ones."""

    owner: str
    games: Games
    noise: bool
    exit_first: bool
    on_step: Callable[[str], None]

    def reports(self, steps: tuple[Step, ...], run: Callable[[Step], StepReport]) -> Iterator[StepReport]:
        """Yield the reports of the steps. Steps that an earlier failure explains are not tried."""
        stopped, failed = "", set[str]()
        for step in steps:
            if not step.applies(self.games):
                continue
            if cause := stopped or next((name for name in step.rests_on if name in failed), ""):
                yield StepReport(self.owner, step.name, "not tried", f"fix '{cause}' first", cause=cause)
                failed.add(step.name)
                continue
            self.on_step(step.name)
            report = run(step)
            if step.about_noise and not self.noise and not report.passed:
                report = report._replace(status="note", message=f"{report.message}. {_NOT_DEMANDED}", is_cause=False)
            yield report
            if not report.passed:
                failed.add(step.name)
                if report.is_cause or self.exit_first:
                    stopped = step.name


def _needy(owner: str, step: Step, needs: tuple[str, ...], shown: str) -> StepReport:
    """Return the report on an agent that cannot be made without a parameter."""
    words = ", ".join(f"{name}=..." for name in needs)
    fix = f"give {'it' if len(needs) == 1 else 'each'} a default in __init__({words}), or name a value: "
    fix += f"sweepstakes check '{shown}({words})'"
    named = join_words([f"'{name}'" for name in needs])
    what = f"its constructor needs the parameter{'s' * (len(needs) > 1)} {named}"
    return StepReport(owner, step.name, "failed", what, fix, is_cause=True)


def _program_steps(
    spec: Spec, shown: str, seconds: float, isolation: str, limits: Limits, order: _Order
) -> Iterator[StepReport]:
    """Yield the reports on a program in any language. Each step may take `seconds`."""
    source, owner = program_source(spec), order.owner
    limits = limits_within(limits, seconds)._replace(game_seconds=seconds, start_seconds=limits.start_seconds)
    with Hosts() as hosts:
        agents = HostedAgents(hosts, source, limits, isolation)
        patience = limits.turn_seconds or seconds
        start = agents.start_program
        candidate = Candidate(lambda: CheckedProgram(start(limits, patience), patience), spec.parameters)

        def run(step: Step) -> StepReport:
            try:
                return StepReport(owner, step.name, "passed", step.run(candidate, order.games) or "")
            except AssertionError as error:
                first = step in programs.STEPS[:_SPEAKS]
                report = StepReport(owner, step.name, "failed", _sentence(error), step.fix, is_cause=first)
                return _with_failure(report, step, error, shown) if isinstance(error, StepFailure) else report

        yield from order.reports(programs.STEPS, run)


def _with_failure(report: StepReport, step: Step, failure: StepFailure, shown: str) -> StepReport:
    """Add to a report the advice of a program's failure and the command that shows the game."""
    command = watch_command(shown, failure.setup) if failure.setup is not None else ""
    if failure.ending is None:
        return report._replace(command=command)
    fix = failure.fix or step.fix
    if failure.ending is not Ending.ILLEGAL_MOVE and step.error_hint and step.error_hint != fix:
        fix += f"; in this step: {step.error_hint}"
    return report._replace(fix=fix, command=command, is_cause=True)


def _run(owner: str, step: Step, factory: Callable[[], Agent], shown: str, games: Games) -> StepReport:
    """Run a step. It fails by an `AssertionError` with a sentence, or by an exception of the agent."""
    try:
        remark = step.run(factory, games) or ""
        return StepReport(owner, step.name, "note" if isinstance(remark, Note) else "passed", remark)
    except Exception as error:  # noqa: BLE001 - agents may raise anything
        sentence = _sentence(error) if isinstance(error, AssertionError) else ""
        raised = f"it {error.what}" if isinstance(error, AgentFault) else f"it raised {describe_error(error, 1000)}"
        report = StepReport(owner, step.name, "failed", sentence or raised, step.fix)
        if not isinstance(error, StepFailure):
            return report._replace(is_cause=not sentence)
        if error.ending is not None:
            report = _faulty(report, step, error.ending)
        return report._replace(command=watch_command(shown, error.setup) if error.setup is not None else "")


def _sentence(error: AssertionError) -> str:
    """Return the message of a failed assertion, including the position in further lines if it is one of ours."""
    return clean_lines(str(error)) if type(error) is StepFailure else text_of(error, 1000)


def _faulty(report: StepReport, step: Step, ending: Ending) -> StepReport:
    """Return the report of a step that failed by a fault, with the advice for that fault."""
    fix = _FIX_FAULT[ending]
    if ending is Ending.ERROR and step.error_hint:
        fix += f"; in this step {step.error_hint}"
    return report._replace(fix=fix, is_cause=True)


def _processes_per_core() -> float:
    """Return the number of running processes per core, at least 1. A check takes longer by this factor."""
    if not hasattr(os, "getloadavg"):
        return 1.0
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class _Allowed(NamedTuple):
    """The resources that an agent may use in its check."""

    limits: Limits
    """In a game."""
    seconds: float
    """In all steps."""
    deadline: float

    def now(self) -> Limits:
        """Return the limits of a game that begins now: no game lasts longer than the check."""
        left = max(self.deadline - monotonic(), 0.001)
        return limits_within(self.limits, left)


def _run_hosted(
    owner: str,
    step: Step,
    make: Callable[[], HostedAgents],
    shown: str,
    allowed: _Allowed,
    games: Games,
    opened: set[ReadFile],
) -> StepReport:
    """Run a step with agents in a host; add the data files that they open to `opened`."""
    first: list[AgentFault] = []
    agents = make()

    def factory() -> Agent:
        try:
            return agents.make(allowed.now())
        finally:
            note()

    def note() -> None:
        if agents.fault is not None and not first:
            first.append(agents.fault)

    def end() -> None:
        opened.update(agents.take_files())
        agents.end()

    report = _run(owner, step, factory, shown, replace(games, restart=end))
    note()
    end()
    lines = agents.all_output.splitlines()
    if report.passed:
        return report._replace(printed="\n".join(lines[:_PRINTED_LINES]))
    fault = first[0] if first else None
    if fault is not None:
        report = _faulty(report, step, fault.ending)
        if fault.ending is Ending.TIME_OUT and monotonic() >= allowed.deadline:
            report = report._replace(message=f"the steps of this agent took more than {allowed.seconds:g} s together")
        elif fault.fault.kind in _REFUSALS:
            subject = "it " if fault.fault.kind is FaultKind.NO_AGENT else ""
            report = report._replace(message=f"{subject}{fault.fault.detail}", fix=step.fix)
        elif fault.ending in (Ending.CRASH, Ending.TIME_OUT):
            report = report._replace(message=f"it {fault.what}")
    trace = fault.trace if fault is not None else ""
    return report._replace(trace=trace, printed="\n".join(lines[-_PRINTED_LINES:]))
