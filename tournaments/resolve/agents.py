"""The agents of a tournament: from the items of its list `agents` to entries of the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from sweepstakes.errors import ConfigError, PluginError, RunError, SweepstakesError, located
from sweepstakes.registry.own_modules import MAX_BYTES
from sweepstakes.registry.registry import Registry
from sweepstakes.resolving import find_agent, find_agents
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.model import AgentItem, Tournament
from sweepstakes.tournaments.config.yaml_lines import Location, YamlFile
from sweepstakes.tournaments.plan import Entry
from sweepstakes.untrusted.files import read_file
from sweepstakes.untrusted.look_alikes import look_alike
from sweepstakes.untrusted.text import clean

LONGEST_LABEL = 60
"""The maximum length of an agent's label. If the spec is longer, the label is the agent's name alone."""


class _Named(NamedTuple):
    """An agent as an item of the list `agents` names it."""

    place: int
    item: AgentItem
    entry: Entry


def make_entries(
    config: Tournament,
    registry: Registry,
    file: YamlFile | None = None,
    on_error: Callable[[AgentItem, SweepstakesError], None] | None = None,
    labels: Collection[str] | None = None,
) -> tuple[Entry, ...]:
    """Return the agents of the tournament.

    `file` gives the line of an error. With `on_error`, an item with an error is left out, and the error is passed to
    `on_error`. With `labels`, items with other labels are left out.
    """
    at = Location(file)
    named: list[_Named] = []
    for i, item in enumerate(config.agents):
        if labels is not None and item.as_ is not None and item.as_ not in labels:
            continue
        try:
            with at("agents", i):
                named += [_Named(i, item, entry) for entry in _entries(item, registry, config)]
        except SweepstakesError as error:
            if on_error is None:
                raise
            on_error(item, error)
    entries = _labelled_by_file(named)
    taken: set[str] = set()
    for (i, *_), entry in zip(named, entries, strict=True):
        if on_error is None:
            with at("agents", i):
                _check_label(entry, taken)
        taken.add(entry.label)
    return tuple(_with_copies(named, entries))


def _check_label(entry: Entry, taken: Collection[str]) -> None:
    """Raise `ConfigError` if another agent has the same or a similar label, or a built-in agent has a similar name."""
    if entry.label in taken:
        raise ConfigError(f"two agents have the label '{entry.label}': give one of them another label with `as`")
    alike = look_alike(entry.label, Registry.built_in().offers("agent"))
    kind = "built-in agent"
    if not alike:
        alike = look_alike(entry.label, [other for other in taken if not (other + entry.label).isascii()])
        kind = "agent"
    if alike:
        raise ConfigError(
            f"'{entry.label}' looks like the {kind} '{alike}' but is a different one: choose another name"
        )


def _with_copies(named: Sequence[_Named], entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the agents, and give submissions that are copies of another a version of their own, made from their label.

    Two agents of a run must differ in name, parameters or version, but two identical submissions must not stop a class.
    """
    keys: set[str] = set()
    for each, entry in zip(named, entries, strict=True):
        copied = (each.item.submission or entry.forfeit) and entry.key in keys
        found = entry.as_copy() if copied else entry
        keys.add(found.key)
        yield found


def _entries(item: AgentItem, registry: Registry, config: Tournament) -> Iterator[Entry]:
    """Yield the agents of one item of the list `agents`: for a file without a name, all agents that it offers.

    A submission that cannot be made, or any agent if the tournament says so, is an entry that forfeits its games.
    """
    one = item.as_ or item.spec.parameters or item.spec.files
    try:
        alone = item.is_alone(config.agents)
        found = [find_agent(registry, item.spec, alone=alone)] if one else find_agents(registry, item.spec, alone=alone)
    except SweepstakesError as error:
        refused = not isinstance(error, RunError)  # otherwise this machine cannot start hosts: no fault of the agent
        if not refused or not (item.submission or config.on_refused == "forfeit"):
            raise
        spec = item.spec.portable
        named = Spec(spec.name or Path(spec.file).stem, spec.parameters) if not spec.words else spec
        name = clean(item.as_ or str(named), LONGEST_LABEL)
        own = error.where and located(error.where) == located(item.spec.file or "".join(item.spec.words[:1]))
        why = error.reason if own else str(error)
        yield Entry(name, Spec(name), f"forfeit {_digest_of(item.spec.file)}", forfeit=why)
        return
    for agent in found:
        text = str(agent.spec.portable)
        label = clean(item.as_ or (text if len(text) <= LONGEST_LABEL else agent.name), LONGEST_LABEL)
        if not label.strip("\ufffd "):
            raise ConfigError("`as`: expected a name that can be printed")
        own = not agent.hosted and registry.find("agent", agent.name).plugin.origin == "built in"
        yield Entry(label, agent.spec, agent.version, agent if agent.hosted else None, built_in=own)


def _digest_of(file: str) -> str:
    """Return a short hash of a file that cannot play, or the hash of nothing if it is unreadable or too long."""
    try:
        return sha256(read_file(Path(file), MAX_BYTES, PluginError, Path(file).parent)).hexdigest()[:12]
    except PluginError:
        return "unreadable"


def _labelled_by_file(named: Sequence[_Named]) -> list[Entry]:
    """Return the agents. Those of files are named by their files if another agent has the same label and `as` is not
    given."""
    labels = Counter(each.entry.label for each in named)
    origins = Counter(label for label, _ in {(each.entry.label, each.item.spec.file) for each in named})
    clashing = [n for n in named if origins[n.entry.label] > 1 and n.item.spec.file and not n.item.as_]
    files = {Path(each.item.spec.file).resolve() for each in clashing}
    stems = Counter(file.stem for file in files) + Counter(labels)

    def by_file(each: _Named) -> Entry:
        if each not in clashing:
            return each.entry
        file = Path(each.item.spec.file).resolve()
        name = file.stem if stems[file.stem] == 1 else f"{file.parent.name}/{file.stem}"
        parameters = each.entry.spec.portable.parameters
        text = str(Spec(name, parameters))
        return each.entry._replace(label=clean(text if len(text) <= LONGEST_LABEL else name, LONGEST_LABEL))

    return [by_file(each) for each in named]
