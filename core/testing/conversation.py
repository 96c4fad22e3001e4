"""A conversation with a program that plays by lines, for the steps that check it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Protocol

from sweepstakes.errors import IllegalMove, ParameterError
from sweepstakes.game.game import Game
from sweepstakes.game.result import Ending
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Turn
from sweepstakes.hosting.lines import GREETING, LineDialogue, ProtocolError, Ready, ReportedError
from sweepstakes.limits import DEFAULT_LIMITS
from sweepstakes.testing.scenarios import EVERYTHING, Games
from sweepstakes.testing.steps import StepFailure, plain
from sweepstakes.untrusted.text import clean

LEGAL = "open and flag only cells marked '.', unflag only cells marked 'F'; the cell in row r, column c is r x COLS + c"
_STDERR = (
    "write everything else to standard error, as by console.error in JavaScript, print(..., file=sys.stderr) in Python "
    "or fprintf(stderr, ...) in C"
)
_READY = f"answer `sweepstakes` by `ready name=my-agent version=1` before any other line; {_STDERR}"
_ANSWERS = f"answer each `turn` and `change` by one line, and write no other line to standard output; {_STDERR}"
_IN_TIME = "answer within the limit, end every answer with a line break, and flush standard output after it"
_STAYS = "end at `quit` or at the end of the input only; standard error says what went wrong"
_PROGRESS = "let every turn open, flag or unflag a cell for good; `resign` gives up the game"


class RunningProgram(Protocol):
    """A program that was started: `sweepstakes.hosting.lines.Lines` with deadlines, and its end.

    `send` and `ask` raise `TimeoutError` if the program does not read or answer in time, `EOFError` or `OSError` if it
    has ended, and `ProtocolError` if it wrote something before it was asked.
    """

    def send(self, lines: list[str]) -> None:
        """Write lines that are not answered."""

    def ask(self, line: str) -> str:
        """Write a line and read the one that answers it."""

    def close(self) -> None:
        """Close its standard input."""

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds` for its end. Return whether it has ended."""

    def children(self) -> int:
        """Return how many processes that it started still exist or were prevented."""

    def errors(self) -> str:
        """Return the end of its standard error."""

    def kill(self) -> None:
        """Kill the program and everything that it started. This is also called if the program has ended."""


Start = Callable[[], RunningProgram]


@dataclass(frozen=True)
class Candidate:
    """A program to be checked: how it is started, and the parameters that the user gave."""

    start: Start
    parameters: Mapping[str, Any] = field(default_factory=dict)


class Conversation:
    """A conversation with a program that was started for it. `edit` changes lines before they are written."""

    def __init__(
        self, program: RunningProgram, games: Games = EVERYTHING, edit: Callable[[str], list[str]] | None = None
    ) -> None:
        self.program = program
        self.asked = ""
        self.games = games
        self.setup: GameSetup | None = None
        """The game that is being played, or was played last."""
        self._edit = edit
        self.dialogue = LineDialogue(self)
        self.ready = Ready("program", "")

    def send(self, lines: list[str]) -> None:
        """Write lines that are not answered."""
        edit = self._edit
        self.program.send(lines if edit is None else [new for line in lines for new in edit(line)])

    def ask(self, line: str) -> str:
        """Write a line and read the one that answers it."""
        self.asked = line
        *before, last = [line] if self._edit is None else self._edit(line)
        if before:
            self.program.send(before)
        return self.program.ask(last)

    def greet(self, parameters: Mapping[str, Any]) -> None:
        """Greet the program and set its parameters. Its description of itself is stored in `ready`."""
        self.ready = self.dialogue.greet(parameters)
        self.games = replace(self.games, agent=self.ready.name)

    def begin(self, setup: GameSetup) -> Game:
        """Begin a game, without asking the program for a turn."""
        self.setup = setup
        game = self.games.game(setup)
        self.dialogue.start_game(game.view(), game.agent_seed, DEFAULT_LIMITS)
        return game

    def play(self, setup: GameSetup) -> list[tuple[Turn, float]]:
        """Play a game to its end. Return the turns and their seconds. Raise `AssertionError` for a fault."""
        return self.play_on(setup)[1]

    def play_on(self, setup: GameSetup) -> tuple[Game, list[tuple[Turn, float]]]:
        """Do the same as `play`, and also return the finished game."""
        game = self.begin(setup)
        turns = []
        while not game.over:
            view, begun = game.view(), monotonic()
            turn = self.dialogue.act(view)
            turns.append((turn, monotonic() - begun))
            game.take(turn)
        assert game.ending is not None
        if game.ending == Ending.STALLED:
            raise StepFailure(f"{game.fault} on {setup}", setup, game.ending, _PROGRESS)
        self.dialogue.end_game(game.ending, game.fault)
        return game, turns

    def record(self, setup: GameSetup) -> list[Any]:
        """Play a game: its turns in a form that can be compared."""
        return [plain(turn) for turn, _ in self.play(setup)]


@contextmanager
def converse(
    candidate: Candidate,
    games: Games = EVERYTHING,
    edit: Callable[[str], list[str]] | None = None,
    greet: bool = True,
) -> Iterator[Conversation]:
    """Open a conversation with a new process, which is killed afterwards. Failures raise `AssertionError`.

    A program that does not answer a question, or gives the wrong kind of answer, has a fault. Later steps would fail
    for the same reason.
    """
    talk = Conversation(candidate.start(), games, edit)

    def failure(sentence: str, ending: Ending, fix: str = "") -> StepFailure:
        where = f", in {talk.setup}" if talk.setup is not None else ""
        return StepFailure(f"{sentence}{where}", talk.setup, ending, fix)

    try:
        if greet:
            talk.greet(candidate.parameters)
        yield talk
    except TimeoutError:
        hint = ": does it flush its output after every line?" if talk.asked == GREETING else ""
        raise failure(f"it did not answer '{clean(talk.asked, 40)}' in time{hint}", Ending.TIME_OUT, _IN_TIME) from None
    except (EOFError, OSError):
        said = clean(talk.program.errors()[-1000:], 360)
        ended = f"it exited before answering '{clean(talk.asked, 40)}'" + (f", and wrote: {said}" if said else "")
        raise failure(ended, Ending.CRASH, _STAYS) from None
    except ReportedError as error:
        raise failure(f"it {error}", Ending.ERROR) from None
    except ProtocolError as error:
        raise failure(f"it {error}", Ending.ILLEGAL_MOVE, _READY if talk.asked == GREETING else _ANSWERS) from None
    except IllegalMove as broken:
        raise failure(str(broken), Ending.ILLEGAL_MOVE, LEGAL) from None
    except ParameterError as error:
        raise AssertionError(str(error)) from None
    finally:
        talk.program.kill()
