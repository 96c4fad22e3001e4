"""Ask agents for their decisions, and store their answers.

Answers are lines of JSON in one file, written as they come. A quiz that was stopped continues where it stopped, and no
answer is paid for twice. A line contains the agent with its version, the seed and the number of the position, so one
file can hold the answers of many agents. Tables are a pure function of the lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

from sweepstakes.agent import Agent, RemoteAgent, start_agent
from sweepstakes.errors import IllegalMove, RunError, located
from sweepstakes.game.game import Game
from sweepstakes.game.playing import blame
from sweepstakes.game.result import ENDINGS, Ending
from sweepstakes.game.rng import derive
from sweepstakes.game.turn import REASONS, Turn, flat_cells
from sweepstakes.tournaments.quiz.positions import Position

MAX_TURNS = 10
"""Turns after which an agent that only flags and unflags counts as opening nothing."""


class Answer(NamedTuple):
    """The answer of an agent to one position: its turns up to the first that opens a cell."""

    number: int
    turns: tuple[Turn, ...]
    ending: str = ""
    """The ending of the game if the agent's turns ended it by a fault."""
    fault: str = ""
    """What the agent did wrong, in a sentence."""


def ask(position: Position, make: Callable[[], Agent], name: str, seed: int) -> Answer:
    """Let a new agent take turns until one opens a cell, gives up or is a fault."""
    game = position.game()
    game.agent = name
    turns: list[Turn] = []
    before = game.view()
    try:
        agent = start_agent(make, derive("quiz agent", seed, position.number))
        for _ in range(MAX_TURNS):
            turn = agent.act(game.view())
            turns.append(_plain(turn, before.cols))
            game.take(turn)
            if game.over or _opened(game, position):
                break
    except IllegalMove as broken:
        game.forfeit(Ending.ILLEGAL_MOVE, str(broken))
    except BaseException as error:  # noqa: BLE001 - third-party code may raise anything
        blame(game, error)
    else:
        if issubclass(type(agent), RemoteAgent):  # isinstance would run third-party code
            cast(RemoteAgent, agent).game_over(game.ending or Ending.GAVE_UP, "")
    is_fault = game.ending is not None and game.ending.is_fault
    return Answer(position.number, tuple(turns), game.ending or "" if is_fault else "", game.fault)


def _opened(game: Game, position: Position) -> bool:
    """Return whether a cell has been opened since the position was reached."""
    view = game.view()
    return view.data.translate(None, b"\xff\xfe") != position.shown.translate(None, b"\xff\xfe")


def _plain(turn: Turn, cols: int) -> Turn:
    """Return a turn with plain numbers and no evidence, or an empty one if it is unreadable and will be refused."""
    with suppress(Exception):
        lists = [tuple(divmod(cell, cols) for cell in islice(flat_cells(cells, cols), 10_000)) for cells in turn[:3]]
        chance = None if turn.probability is None else float(turn.probability)
        return Turn(lists[0], lists[1], lists[2], turn.why if turn.why in REASONS else "random", chance)
    return Turn()


def ask_all(
    positions: Iterable[Position],
    make: Callable[[], Agent],
    name: str,
    seed: int,
    workers: int = 1,
) -> Iterator[Answer]:
    """Yield the answers of an agent to positions as they arrive; `workers` at once for an agent that waits."""
    if workers == 1:
        for position in positions:
            yield ask(position, make, name, seed)
        return
    left = iter(positions)
    pool = ThreadPoolExecutor(workers)
    try:
        running: set[Future[Answer]] = {
            pool.submit(ask, position, make, name, seed) for position in islice(left, workers)
        }
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
            running |= {pool.submit(ask, position, make, name, seed) for position in islice(left, len(done))}
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class AnswerFile:
    """The file in which the answers of a quiz are kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._answers: dict[tuple[str, str, int], dict[int, Answer]] = {}
        data = path.read_bytes() if path.exists() else b""
        self._whole = data.rfind(b"\n") + 1
        """Bytes of the complete lines. The last line may be cut off if the quiz was stopped; its position is asked
        again."""
        for place, line in enumerate(data[: self._whole].splitlines(), 1):
            try:
                key, answer = _read(json.loads(line))
            except (ValueError, KeyError, TypeError, RecursionError):
                raise RunError(f"line {place} is not an answer of a quiz", where=path) from None
            self._answers.setdefault(key, {})[answer.number] = answer

    def answers(self, agent: str, version: str, seed: int) -> dict[int, Answer]:
        """Return the answers of an agent to the positions of a seed, by number."""
        return self._answers.setdefault((agent, version, seed), {})

    def add(self, agent: str, version: str, seed: int, answer: Answer) -> None:
        """Store an answer. It is in the file when this returns."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("r+b" if self.path.exists() else "wb") as file:
                file.truncate(self._whole)
                file.seek(self._whole)
                self._whole += file.write(as_line(agent, version, seed, answer).encode())
        except OSError as error:
            raise RunError(f"{located(self.path)}: cannot be written: {error.strerror or error}") from None
        self.answers(agent, version, seed)[answer.number] = answer


def as_line(agent: str, version: str, seed: int, answer: Answer) -> str:
    """Return the line of an answer in the file."""
    turns = [
        {
            "open": [*map(list, turn.open)],
            "flag": [*map(list, turn.flag)],
            "unflag": [*map(list, turn.unflag)],
            "why": turn.why,
            "probability": turn.probability,
        }
        for turn in answer.turns
    ]
    line: dict[str, Any] = {"agent": agent, "version": version, "seed": seed, "number": answer.number}
    line |= {"turns": turns, "ending": answer.ending, "fault": answer.fault}
    return json.dumps(line) + "\n"


def _read(line: Any) -> tuple[tuple[str, str, int], Answer]:
    turns = []
    for turn in line["turns"]:
        lists = [tuple((int(row), int(col)) for row, col in turn[name]) for name in ("open", "flag", "unflag")]
        if turn["why"] not in REASONS:
            raise ValueError("an unknown reason")
        chance = None if turn["probability"] is None else float(turn["probability"])
        turns.append(Turn(lists[0], lists[1], lists[2], turn["why"], chance))
    if line["ending"] not in ("", *ENDINGS):
        raise ValueError("an unknown ending")
    key = str(line["agent"]), str(line["version"]), int(line["seed"])
    return key, Answer(int(line["number"]), tuple(turns), line["ending"], str(line["fault"]))
