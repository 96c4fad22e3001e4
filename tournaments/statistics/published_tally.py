"""`tally.json` of a publication that has sums instead of most games (`publish --sums`).

Even packed, millions of games are too many to publish. The tables need less: who won each board, and the sums of the
other scores. The file has exactly this. The tables computed from it equal those of the run to the last digit, and any
single game can be played again and compared. The ranking score must be 0 or 1, as `win` is: it takes a bit per game.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from sweepstakes.errors import RunError
from sweepstakes.standings import FaultLine
from sweepstakes.tournaments.game_counts import COUNTS
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.tally import Tally
from sweepstakes.tournaments.storage.database import FILE as DATABASE
from sweepstakes.tournaments.storage.database import SOUND_COPY, run_errors
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.untrusted.text import clean

FILE = "tally.json"
_Count = Annotated[int, Field(ge=0, lt=1 << 40)]
_Exact = Annotated[str, Field(pattern=r"^-?[0-9]{1,400}(/[0-9]{1,400})?$")]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Sums(_Model):
    """A score of one agent: the number of known values, their sum and the sum of their squares, as exact fractions."""

    n: _Count
    total: _Exact
    squares: _Exact


class _Fault(_Model):
    """A `FaultLine` of one agent."""

    kind: Annotated[str, Field(max_length=100)]
    games: _Count
    message: Annotated[str, Field(max_length=10_000)]
    game: Annotated[str, Field(max_length=10_000)]


class _Played(_Model):
    won: Annotated[str, Field(max_length=1 << 26)]
    """A bit per board, 1 if the ranking score is 1; the first bit is the highest of its byte. In base64."""
    scores: dict[str, _Sums]
    faults: list[_Fault]


_AgentTally: Any = create_model(
    "_AgentTally",
    __base__=_Played,
    **{name: (_Count, ... if name in ("fallbacks", "missing") else 0) for name in COUNTS},  # type: ignore[call-overload]
)
"""The counts of publications of format 4 are required. These publications lack all others."""


class _TallyFile(_Model):
    boards: _Count
    """The number of boards of each condition."""
    keep: _Count
    """The maximum number of games in games.csv.gz: those on the first boards of every agent and condition."""
    conditions: dict[str, dict[str, _AgentTally]]
    """By the keys of condition and agent."""


class PublishedTally(NamedTuple):
    """What is known about all games of a publication."""

    keep: int
    tallies: dict[str, Tally]
    """By the label of the condition."""


def kept_boards(plan: Plan, keep: int) -> int:
    """Return how many boards per agent and condition give at most `keep` games in total."""
    return min(keep // (len(plan.entries) * len(plan.conditions)), plan.config.games)


def tally_text(plan: Plan, tallies: Mapping[str, Tally], boards: int) -> str:
    """Return the text of `tally.json` for a publication with the games on the first `boards` boards of each condition.

    Raise `RunError` unless the ranking score is 0 or 1 on every board.
    """
    conditions: dict[str, Any] = {}
    for condition in plan.conditions:
        tally = tallies[condition.label]
        ranking = np.concatenate(tally.ranking)
        if len(ranking) != plan.config.games or not np.isin(ranking, (0.0, 1.0)).all():
            first = plan.scores[0]
            raise RunError(f"--sums needs a first score that is 0 or 1 in each game, such as win, not {first}")
        conditions[condition.key] = {
            entry.key: {
                "won": b64encode(np.packbits(ranking[:, i] == 1).tobytes()).decode(),
                "scores": {name: _sums(tally.scores[k][i]) for k, name in enumerate(plan.scores)},
                "faults": [
                    {"kind": line.kind, "games": line.games, "message": line.message, "game": line.game}
                    for line in tally.found.values()
                    if line.agent == entry.label
                ],
                **{name: tally.counts[name][i] for name in COUNTS},
            }
            for i, entry in enumerate(plan.entries)
        }
    keep = boards * len(plan.entries) * len(plan.conditions)
    return json.dumps({"boards": plan.config.games, "keep": keep, "conditions": conditions}, indent=1) + "\n"


def _sums(moments: Moments) -> dict[str, Any]:
    return {"n": moments.n, "total": str(moments.total), "squares": str(moments.squares)}


def read_tally(run: RunReader) -> PublishedTally | None:
    """Return the tallies of a publication with sums. Return None for other publications and for runs."""
    path = run.directory / FILE
    if not path.is_file() or (run.directory / DATABASE).exists():
        return None
    return _read(path, run.plan)


def _read(path: Path, plan: Plan) -> PublishedTally:
    try:
        with run_errors(path):
            file = _TallyFile.model_validate(json.loads(path.read_text(encoding="utf-8")))
        if file.boards != plan.config.games:
            raise ValueError(f"{file.boards} boards, tournament.yaml has {plan.config.games}")
        tallies = {
            c.label: _tally([file.conditions[c.key][e.key] for e in plan.entries], plan) for c in plan.conditions
        }
        return PublishedTally(file.keep, tallies)
    except ValidationError as error:
        first = error.errors()[0]
        what = f"{clean('.'.join(map(str, first['loc'])), 100) or 'the whole'}: {clean(first['msg'], 100)}"
    except KeyError as error:
        what = f"no condition, agent or score {clean(str(error), 100)}"
    except (ValueError, ZeroDivisionError, RecursionError) as error:
        what = clean(str(error), 100)
    raise RunError(f"{path}: {what}; {SOUND_COPY}")


def _tally(agents: list[Any], plan: Plan) -> Tally:
    boards = plan.config.games
    columns = []
    for agent in agents:
        packed = np.frombuffer(b64decode(agent.won, validate=True), np.uint8)
        if len(packed) != -(-boards // 8):
            raise ValueError(f"{len(packed)} bytes of bits for {boards} boards")
        columns.append(np.unpackbits(packed, count=boards).astype(np.float64))
    scores = [[_moments(agent.scores[name]) for agent in agents] for name in plan.scores]
    for column, moments in zip(columns, scores[0], strict=True):
        if Moments.of(column) != moments:
            raise ValueError(f"the sums of {plan.scores[0]} are not those of its boards")
    return Tally(
        [np.column_stack(columns)],
        scores,
        [[np.empty(0)] for _ in agents],
        {"faults": [sum(fault.games for fault in agent.faults) for agent in agents]}
        | {name: [getattr(agent, name) for agent in agents] for name in COUNTS},
        {
            (entry.label, fault.kind): FaultLine(entry.label, fault.kind, fault.games, fault.message, fault.game)
            for entry, agent in zip(plan.entries, agents, strict=True)
            for fault in agent.faults
        },
    )


def _moments(sums: _Sums) -> Moments:
    return Moments(sums.n, Fraction(sums.total), Fraction(sums.squares))
