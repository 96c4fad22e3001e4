"""What `sweepstakes quiz` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sweepstakes.errors import ConfigError, located
from sweepstakes.hosting.describing import describer_here
from sweepstakes.leaderboards.publish import USUAL_PLACE
from sweepstakes.leaderboards.quiz_page import ANSWERS, publish, write_plot
from sweepstakes.limits import DEFAULT_LIMITS
from sweepstakes.registry.registry import Registry
from sweepstakes.resolving import find_agent, playing_agent
from sweepstakes.spec import Spec
from sweepstakes.tournaments.quiz.asking import Answer, AnswerFile, as_line, ask_all
from sweepstakes.tournaments.quiz.judging import judge_all, summarise
from sweepstakes.tournaments.quiz.positions import Position, positions
from sweepstakes.tournaments.quiz.report import table, write
from sweepstakes.tournaments.resolve.machine import isolation_here
from sweepstakes.tournaments.storage.opening import usual_place
from sweepstakes.warm_up import warm_up


def quiz(
    agents: tuple[str, ...],
    count: int,
    seed: int,
    out: Path,
    workers: int,
    isolation: str | None,
    plugins: tuple[str, ...],
    target: Path | None,
) -> None:
    """Ask the agents, then print and write the results."""
    where = isolation_here(isolation or "process")
    registry = Registry(plugins, import_agents=isolation == "none", describer=describer_here(where))
    registry.check()
    specs = [Spec.parse(agent) for agent in agents]
    labels = [str((registry.spec("agent", spec) if not spec.words else spec).portable) for spec in specs]
    for label in labels:
        if labels.count(label) > 1:
            raise ConfigError(f"two agents are called '{label}': expected different agents")
    if out.exists() and not out.is_dir():
        raise ConfigError(f"--out {located(out)}: expected a folder")
    warm_up()
    asked = positions(count, seed)
    file = AnswerFile(out / ANSWERS)
    lines, texts = [], []
    for label, spec in zip(labels, specs, strict=True):
        version, answers = _ask(registry, label, spec, asked, seed, file, workers, where)
        lines += summarise(label, judge_all(asked, answers))
        texts += [as_line(label, version, seed, answers[position.number]) for position in asked]
    click.echo(table(lines))
    files = [*write(lines, out), *write_plot(lines, out)]
    if target is not None:
        command = [
            "sweepstakes",
            "quiz",
            *labels,
            *(word for file in plugins for word in ("--plugin", Path(file).name)),
        ]
        command += ["--positions", str(count), "--seed", str(seed), "--to", usual_place(target, USUAL_PLACE, "quiz")]
        files += publish(lines, "".join(texts), command, count, target)
    click.echo(f"\n{', '.join(map(str, files))} written", err=True)


def _ask(
    registry: Registry,
    label: str,
    spec: Spec,
    asked: Sequence[Position],
    seed: int,
    file: AnswerFile,
    workers: int,
    isolation: str,
) -> tuple[str, dict[int, Answer]]:
    """Return an agent's version and its answers: those in the file, and those that it lacks."""
    found = find_agent(registry, spec)
    answers = file.answers(label, found.version, seed)
    left = [position for position in asked if position.number not in answers]
    if left:
        # Only agents that wait for an endpoint can be asked at once: the others compute, in one process or host.
        waits = not found.hosted and not found.repeatable
        with playing_agent(registry, spec, DEFAULT_LIMITS, isolation) as factory:
            for done, answer in enumerate(ask_all(left, factory, label, seed, workers if waits else 1), 1):
                file.add(label, found.version, seed, answer)
                if waits:
                    click.echo(f"\r{label}: {done} of {len(left)} positions", nl=done == len(left), err=True)
    return found.version, answers
