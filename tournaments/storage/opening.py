"""Opens a run directory or a published leaderboard for reading."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TypeVar

from sweepstakes.errors import RunError, SweepstakesError
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.config.loading import load
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.tournaments.plan import SECRET, Condition, Plan
from sweepstakes.tournaments.resolve.conditions import make_conditions
from sweepstakes.tournaments.resolve.planning import scores_of
from sweepstakes.tournaments.resolve.plugins import is_known, load_plugins, required_specs
from sweepstakes.tournaments.storage import database
from sweepstakes.tournaments.storage.database import SOUND_COPY, Database, InMemory, OnDisk
from sweepstakes.tournaments.storage.published_database import load_publication
from sweepstakes.tournaments.storage.published_games import FILE
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.tournaments.storage.secret_seed import SEED_FILE, SecretSeed, read_seed
from sweepstakes.tournaments.storage.stored_plan import stored_agents, stored_conditions

Reader = TypeVar("Reader", bound=RunReader)


def open_reader(directory: str | Path, plugins: tuple[str, ...] = ()) -> RunReader:
    """Open a run directory, also while it is being played, or a published leaderboard; `RunError` if it is neither."""
    return open_as(RunReader, directory, plugins)


def open_as(kind: type[Reader], directory: str | Path, plugins: tuple[str, ...] = ()) -> Reader:
    """As `open_reader`, with a reader of this class.

    `plugins` are files that its board sources, noises, scores or reports may need. If a board source or a noise is not
    built in, the plugins that the tournament names are loaded; if those are missing, the games can still be read.
    """
    directory = Path(directory)
    config, yaml = load(tournament_file(directory))
    secret = _secret_seed(directory, config)
    registry = Registry(third_party=False)
    if not all(is_known(registry, kind, spec) for kind, spec in required_specs(config)):
        registry = load_plugins(config, plugins)
    games = open_database(directory)
    stored = {label: _checked_seed(condition, secret, games) for label, condition in stored_conditions(games).items()}
    try:
        conditions = list(make_conditions(config, registry, yaml))
    except SweepstakesError:  # a plugin, or a file that it reads, is missing: the stored games can still be read
        conditions = [_with_density(condition, config) for condition in stored.values()]
        changed = frozenset(range(len(stored)))
    else:
        if secret is not None:
            conditions = [c._replace(seed=secret.seed, commitment="") for c in conditions]
        as_played = [_as_played(condition, stored.get(condition.label)) for condition in conditions]
        changed = frozenset(i for i, (a, b) in enumerate(zip(conditions, as_played, strict=True)) if a.key != b.key)
        conditions = as_played
    scores = scores_of(config, registry, strict=False)
    plan = Plan(config, stored_agents(games), tuple(conditions), *scores)
    if secret is not None:
        plan = plan.with_seed(secret.seed, secret=not secret.revealed)
    return kind(directory, plan, registry, games, changed, plugins, secret)


def _secret_seed(directory: Path, config: Tournament) -> SecretSeed | None:
    """The secret seed of a run or a publication; None if it has none."""
    if isinstance(config.seed, int) and not (directory / SEED_FILE).exists():
        return None
    secret = read_seed(directory)
    if config.seed not in (SECRET, secret.seed):
        what = f"tournament.yaml has the seed {config.seed}, {SEED_FILE} another one"
        raise RunError(f"{directory}: damaged: {what}; {SOUND_COPY}")
    return secret


def _checked_seed(condition: Condition, secret: SecretSeed | None, games: Database) -> Condition:
    """A stored condition with its seed; `RunError` if the games were not played with the seed of the directory."""
    if condition.commitment:
        if secret is None or secret.sha256 != condition.commitment:
            what = f"its games were played with a secret seed, whose SHA-256 is {condition.commitment}"
            raise RunError(f"{games.file}: {what}: {SEED_FILE} has another one, or is missing; bring it back")
        return condition._replace(seed=secret.seed)
    if secret is not None and secret.seed != condition.seed:
        raise RunError(f"{games.file}: damaged: its games were not played with the seed in {SEED_FILE}; {SOUND_COPY}")
    return condition


def _with_density(condition: Condition, config: Tournament) -> Condition:
    """A stored condition with the density that the tournament file gives its boards, which is not stored."""
    for boards in config.boards:
        for name, size, density in boards.sizes():
            if size == condition.size and condition.label.partition(", ")[0] == name:
                return condition._replace(density=density)
    return condition


def _as_played(condition: Condition, played: Condition | None) -> Condition:
    """The condition with the stored versions of its board source and noise."""
    if played is None:
        return condition
    return condition._replace(source_version=played.source_version, noise_version=played.noise_version)


def tournament_file(directory: Path) -> Path:
    """The tournament file of a run or a publication; `RunError` if the directory is neither."""
    file = directory / "tournament.yaml"
    if not file.is_file() or not any((directory / name).is_file() for name in (database.FILE, FILE)):
        what = "expected the directory of a run or of a published leaderboard"
        why = "no tournament has been run here" if directory.is_dir() else "there is no such directory"
        raise RunError(f"{directory}: {why}: {what}")
    return file


def usual_place(directory: Path, folder: str, name: str) -> str:
    """The directory of a tournament as printed commands name it: `folder/name` if it is there, else `.`.

    A page does not name other paths of the machine that wrote it. With `.` a command is typed beside the page.
    """
    place = PurePosixPath(folder, name)
    return str(place) if directory.absolute().parts[-len(place.parts) :] == place.parts else "."


def open_database(directory: Path) -> Database:
    """The database of a run, or of a publication."""
    file = directory / database.FILE
    if file.is_file():
        return OnDisk(file)
    return InMemory(directory / FILE, load_publication(directory))
