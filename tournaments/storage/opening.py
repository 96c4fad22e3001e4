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
    """Open a run directory, even while it is being played, or a publication. Raise `RunError` if it is neither."""
    return open_as(RunReader, directory, plugins)


def open_as(kind: type[Reader], directory: str | Path, plugins: tuple[str, ...] = ()) -> Reader:
    """Open a directory like `open_reader`, with a reader of the class `kind`.

    `plugins` are files that its board sources, noises, scores or reports may need. If a board source or a noise is not
    built in, the plugins named by the tournament are loaded. The games can be read even if these are missing.
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
    """Return the secret seed of a run or a publication, or None if the seed was never secret."""
    if isinstance(config.seed, int) and not (directory / SEED_FILE).exists():
        return None
    secret = read_seed(directory)
    if config.seed not in (SECRET, secret.seed):
        what = f"tournament.yaml has the seed {config.seed}, {SEED_FILE} another one"
        raise RunError(f"{directory}: damaged: {what}; {SOUND_COPY}")
    return secret


def _checked_seed(condition: Condition, secret: SecretSeed | None, games: Database) -> Condition:
    """Return a stored condition with its seed. Raise `RunError` if the games were played with another seed."""
    if condition.commitment:
        if secret is None or secret.sha256 != condition.commitment:
            what = f"its games were played with a secret seed, whose SHA-256 is {condition.commitment}"
            raise RunError(f"{games.file}: {what}: {SEED_FILE} has another one, or is missing; bring it back")
        return condition._replace(seed=secret.seed)
    if secret is not None and secret.seed != condition.seed:
        raise RunError(f"{games.file}: damaged: its games were not played with the seed in {SEED_FILE}; {SOUND_COPY}")
    return condition


def _with_density(condition: Condition, config: Tournament) -> Condition:
    """Return a stored condition with its density, which is not stored but read from the tournament file."""
    for boards in config.boards:
        for name, size, density in boards.sizes():
            if size == condition.size and condition.label.partition(", ")[0] == name:
                return condition._replace(density=density)
    return condition


def _as_played(condition: Condition, played: Condition | None) -> Condition:
    """Return the condition with the stored versions of its board source and noise."""
    if played is None:
        return condition
    return condition._replace(source_version=played.source_version, noise_version=played.noise_version)


def tournament_file(directory: Path) -> Path:
    """Return the tournament file of a run or a publication. Raise `RunError` if the directory is neither."""
    file = directory / "tournament.yaml"
    if not file.is_file() or not any((directory / name).is_file() for name in (database.FILE, FILE)):
        what = "expected the directory of a run or of a published leaderboard"
        why = "no tournament has been run here" if directory.is_dir() else "there is no such directory"
        why = "it is a file" if directory.is_file() else why
        raise RunError(f"{directory}: {why}: {what}")
    return file


def usual_place(directory: Path, folder: str, name: str) -> str:
    """Return the directory of a tournament for printed commands: `folder/name` if it is there, else `.`.

    A page must not contain other paths of the machine that wrote it. A command with `.` is typed in the page's folder.
    """
    place = PurePosixPath(folder, name)
    return str(place) if directory.absolute().parts[-len(place.parts) :] == place.parts else "."


def open_database(directory: Path) -> Database:
    """Return the database of a run, or of a publication."""
    file = directory / database.FILE
    if file.is_file():
        return OnDisk(file)
    return InMemory(directory / FILE, load_publication(directory))
