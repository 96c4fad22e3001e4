"""The contract of programs that play by lines, as numbered steps. docs/protocol.md has the requirements.

The steps need a `Candidate`, which starts programs, sets deadlines and kills them.
"""

from __future__ import annotations

from collections.abc import Callable
from time import sleep
from typing import Any

from sweepstakes.game.board import Board
from sweepstakes.game.result import Ending
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import PRESETS, Size
from sweepstakes.game.turn import Turn, as_cells
from sweepstakes.hosting.lines import GREETING, QUIT, parse_ready
from sweepstakes.limits import DEFAULT_LIMITS
from sweepstakes.testing import program_games
from sweepstakes.testing.conversation import LEGAL, Candidate, converse
from sweepstakes.testing.scenarios import EVERYTHING, Games
from sweepstakes.testing.soundness import check_follows
from sweepstakes.testing.steps import Step, check
from sweepstakes.untrusted.text import clean

SLOWEST = 1.0
"""Seconds that a turn may take on these boards. The default limit of a tournament is 10."""
PATIENCE = 5.0
"""Seconds that a program has to end after `quit`."""


def answers_in_time(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """The greeting is answered by some line."""
    with converse(candidate, games, greet=False) as talk:
        talk.ask(GREETING)


def says_ready(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """The greeting is answered by `ready`, with a name and a version."""
    with converse(candidate, games, greet=False) as talk:
        ready = parse_ready(talk.ask(GREETING))
    options = ", ".join(f"{option.name}={option.default}" for option in ready.options)
    return clean(f"{ready.name}, version {ready.version}" + (f", options {options}" if options else ""))


def says_the_same_each_time(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """Two processes say the same of themselves."""
    said = []
    for _ in range(2):
        with converse(candidate, games, greet=False) as talk:
            said.append(parse_ready(talk.ask(GREETING)))
    check(said[0] == said[1], "two processes described themselves differently")


def takes_its_options(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """The options can be set, and set to their defaults they change nothing."""
    with converse(candidate, games) as talk:
        ready = talk.ready
        plays = [talk.record(setup) for setup in games.sample()[:2]]
    spelled = {option.name: option.default for option in ready.options} | dict(candidate.parameters)
    with converse(Candidate(candidate.start, spelled), games) as talk:
        again = [talk.record(setup) for setup in games.sample()[:2]]
    check(plays == again, "it plays differently when its options are set to the defaults that it names")
    return f"{len(ready.options)} options"


def ignores_unknown_keys(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """Words `key=value` that the protocol does not have yet change nothing."""

    def edit(line: str) -> list[str]:
        return [f"{line} colour=red 7=x a==b"] if line.startswith(("game ", "end ")) else [line]

    _same_with(candidate, games, edit, "it plays differently when lines have words `key=value` that it does not know")


def ignores_unknown_lines(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """Lines that the protocol does not have yet are neither answered nor do they change anything."""

    def edit(line: str) -> list[str]:
        return ["weather cloudy 7", line] if line.startswith(("game ", "turn ", "end ")) else [line]

    _same_with(candidate, games, edit, "it plays differently after lines whose first word it does not know")


def _same_with(candidate: Candidate, games: Games, edit: Callable[[str], list[str]], sentence: str) -> None:
    with converse(candidate, games) as talk:
        plays = [talk.record(setup) for setup in games.sample()]
    with converse(candidate, games, edit) as talk:
        check(plays == [talk.record(setup) for setup in games.sample()], sentence)


def repeats_itself(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """Two processes play the same games in the same way."""
    setups, played = games.sample(), []
    for _ in range(2):
        with converse(candidate, games) as talk:
            played.append([talk.record(setup) for setup in setups])
    for setup, first, second in zip(setups, *played, strict=True):
        check(first == second, f"it played the same game in two ways, in {setup}", setup)


def keeps_nothing(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """A game is played in the same way, whichever games the process played before."""
    setups = games.sample()
    orders = []
    for order in (setups, setups[::-1]):
        with converse(candidate, games) as talk:
            orders.append({str(setup): talk.record(setup) for setup in order})
    for setup in setups:
        check(
            orders[0][str(setup)] == orders[1][str(setup)],
            f"its play depends on earlier games: keep nothing between games, in {setup}",
            setup,
        )


def forgets_unfinished_games(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """A game that was broken off leaves nothing behind."""
    setup, other = games.sample()[:2]
    with converse(candidate, games) as talk:
        alone = talk.record(setup)
    with converse(candidate, games) as talk:
        game = talk.begin(other)
        talk.dialogue.act(game.view())
        talk.dialogue.end_game(Ending.TIME_OUT)
        check(talk.record(setup) == alone, "its play depends on an earlier game that was broken off")


def plays_the_same_by_changes(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """A program that wants changes answers to them as it does to whole boards."""
    with converse(candidate, games) as talk:
        if not talk.dialogue.changes:
            return "it does not want changes"
        by_changes = [talk.record(setup) for setup in games.sample()]
    with converse(candidate, games) as talk:
        talk.dialogue.changes = False
        check(
            by_changes == [talk.record(setup) for setup in games.sample()], "it answers `change` and `turn` differently"
        )
    return f"{len(by_changes)} games"


def keeps_up(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """Many lines that are not answered wait to be read while the program is busy; none is lost."""
    large = games.setup(Size(16, 30, 99), noise=(games.clues, *games.noisy)[-1])
    setup = games.sample()[0]
    with converse(candidate, games) as talk:
        alone = talk.record(setup)
        view = games.game(large).view()
        for seed in range(300):
            talk.dialogue.start_game(view, seed, DEFAULT_LIMITS)
            talk.dialogue.end_game(Ending.GAVE_UP)
        check(talk.record(setup) == alone, "it plays differently after many games that ended before its first turn")


def answers_once(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """Nothing is written that was not asked for."""
    with converse(candidate, games) as talk:
        for setup in games.sample()[:2]:
            talk.play(setup)
            sleep(0.1)  # a second line would arrive by now, and `ask` refuses what came before the question


def proves_what_is_true(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Cells that are called proven are what they are called, and follow from the clues."""
    proofs = 0
    with converse(candidate, games) as talk:
        for number in range(10):
            setup = games.setup(Size(9, 9, 14), number, Rules("continue", "safe"))
            _, turns = talk.play_on(setup)
            again = games.game(setup)
            for turn, _ in turns:
                view = again.view()
                again.take(turn)
                if turn.why == "proof":
                    proofs += 1
                    _check_truth(again.board, turn, setup)
                    check_follows(view, turn, setup)
    return f"{proofs} turns were called proven"


def _check_truth(board: Board, turn: Turn, setup: GameSetup) -> None:
    for cells, claim, mine in ((turn.open, "safe", False), (turn.flag, "a mine", True)):
        for cell in as_cells(cells, board.cols):
            check(board.is_mine(cell) == mine, f"it called {cell} proven {claim}, which is wrong, in {setup}", setup)


def is_quick(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """No turn takes longer than `SLOWEST`, twice: the machine may be busy once."""
    slowest = 0.0
    for number, size in enumerate((PRESETS["expert"], Size(30, 30, 180))):
        setup = games.setup(size, number, Rules("end", "opening"))
        seconds = []
        for _ in range(2):
            with converse(candidate, games) as talk:
                seconds.append([took for _, took in talk.play(setup)])
                if max(seconds[-1]) <= SLOWEST:
                    break
        took = max(map(min, zip(*seconds, strict=False)))
        check(took <= SLOWEST, f"a turn took {took:.1f} s, in {setup}", setup)
        slowest = max(slowest, took)
    return f"the slowest turn took {1000 * slowest:.1f} ms"


def writes_errors_freely(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """What is written to standard error neither blocks the program nor reaches the answers."""
    with converse(candidate, games) as talk:
        for setup in games.sample():
            talk.play(setup)
        said = talk.program.errors()
    return f"it wrote {len(said):,} characters to standard error" if said else "it wrote nothing to standard error"


def ends_at_quit(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """`quit` ends the program."""
    with converse(candidate, games) as talk:
        talk.play(games.sample()[0])
        talk.send([QUIT])
        check(talk.program.wait(PATIENCE), f"it was still running {PATIENCE:g} s after `quit`")


def ends_in_mid_game(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """`quit` ends the program in a game too."""
    with converse(candidate, games) as talk:
        game = talk.begin(games.sample()[0])
        talk.dialogue.act(game.view())
        talk.send([QUIT])
        check(talk.program.wait(PATIENCE), f"it was still running {PATIENCE:g} s after `quit`")


def ends_with_its_input(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """The end of standard input ends the program."""
    with converse(candidate, games) as talk:
        talk.play(games.sample()[0])
        talk.program.close()
        check(talk.program.wait(PATIENCE), f"it was still running {PATIENCE:g} s after the end of its input")


def leaves_no_child(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """No process that the program started is left after its end."""
    with converse(candidate, games) as talk:
        talk.play(games.sample()[0])
        talk.send([QUIT])
        talk.program.wait(PATIENCE)
        left = talk.program.children()
        check(not left, f"{left} processes that it started were left after `quit`")


_PLAIN = "decide by the marks, the options and the seed alone, and start from scratch at `game`"


def _hinted(name: str, run: Callable[..., str | None], fix: str, **more: Any) -> Step:
    """Return a step whose advice also explains a program that ends or does not answer in it."""
    return Step(name, run, fix, fix, **more)


_REPEATS, _KEEPS_NOTHING = "gives the same answers for the same seed", "keeps nothing from one game to another"
_STEADY = (_REPEATS, _KEEPS_NOTHING)

STEPS = (
    Step("answers the greeting in time", answers_in_time, "flush stdout after every line, and start quickly"),
    Step(
        "answers the greeting with ready",
        says_ready,
        "write `ready name=my-agent version=1` when you read `sweepstakes`",
    ),
    Step("describes itself the same way every time", says_the_same_each_time, "let `ready` depend on nothing"),
    Step("makes legal turns on beginner boards", program_games.plays_beginner, LEGAL),
    Step(
        _REPEATS,
        repeats_itself,
        "begin your random numbers with `seed` at every `game`, and do not depend on the clock or on addresses",
    ),
    Step(
        "accepts its options",
        takes_its_options,
        "read `option NAME VALUE`; use the defaults that you announce in `ready`",
        rests_on=(_REPEATS,),
    ),
    _hinted(
        "plays a board of one cell", program_games.plays_one_cell, "do not assume that there is a neighbour or a mine"
    ),
    _hinted(
        "plays boards of one row and of one column", program_games.plays_one_row, "do not assume a row above or below"
    ),
    _hinted(
        "plays boards without mines and of mines only",
        program_games.plays_no_mines_and_mines_only,
        "answer `resign` if there is nothing to open or flag",
    ),
    Step("makes legal turns on intermediate boards", program_games.plays_intermediate, LEGAL),
    Step("makes legal turns on expert boards", program_games.plays_expert, LEGAL),
    _hinted(
        "plays boards of 100 x 100",
        program_games.plays_many_cells,
        "take the size of all arrays from `game`",
    ),
    _hinted(
        "reads a line of a million characters",
        program_games.reads_long_lines,
        "read whole lines: the largest board is 1000 x 1000",
    ),
    _hinted(
        "goes on after a mine",
        program_games.goes_on_after_a_mine,
        "`*` is a mine that has detonated: leave it as it is",
        applies=program_games.if_any(program_games.goes_on),
    ),
    Step(
        "plays games that a mine ends",
        program_games.stops_at_a_mine,
        LEGAL,
        applies=program_games.if_any(program_games.ends),
    ),
    Step(
        "plays with a protected first click",
        program_games.clicks_first_in_safety,
        LEGAL,
        applies=program_games.if_any(program_games.is_protected),
    ),
    _hinted(
        "plays on from a start cell",
        program_games.begins_at_the_start_cell,
        "do not assume that all cells are covered",
        applies=program_games.if_any(program_games.has_start),
    ),
    _hinted(
        "plays without flooding",
        program_games.plays_without_flooding,
        "a `0` may have covered neighbours: open them",
        applies=program_games.if_any(program_games.has_no_flood),
    ),
    _hinted(
        "ignores words key=value that it does not know",
        ignores_unknown_keys,
        "look for the keys that you need",
        rests_on=(_REPEATS,),
    ),
    _hinted(
        "ignores lines that it does not know",
        ignores_unknown_lines,
        "answer `sweepstakes`, `turn`, `change`",
        rests_on=(_REPEATS,),
    ),
    Step(_KEEPS_NOTHING, keeps_nothing, _PLAIN, rests_on=(_REPEATS,)),
    Step("forgets a game that was broken off", forgets_unfinished_games, _PLAIN, rests_on=_STEADY),
    Step(
        "plays the same by change and by turn",
        plays_the_same_by_changes,
        "or leave out wants=changes",
        rests_on=(_REPEATS,),
    ),
    _hinted(
        "keeps up with many lines at once", keeps_up, "read all lines, also those that need no answer", rests_on=_STEADY
    ),
    Step("writes one line for each question", answers_once, "write messages to standard error"),
    Step("calls a cell proven only if that is true", proves_what_is_true, "use why=proof for certain cells only"),
    Step(f"takes at most {SLOWEST:g} s for a turn", is_quick, "bound searches by their states"),
    Step("may write to standard error", writes_errors_freely, "write answers to standard output alone"),
    Step("ends at quit", ends_at_quit, "end when you read `quit`"),
    Step("ends at quit in a game", ends_in_mid_game, "end when you read `quit`, also in a game"),
    Step("ends at the end of its input", ends_with_its_input, "end when there is nothing more to read"),
    Step("leaves no process behind", leaves_no_child, "start no other processes: a sealed program cannot"),
    _hinted(
        "makes legal turns under wrong clues",
        program_games.copes_with_wrong_clues,
        "noisy clues may contradict each other",
        about_noise=True,
        applies=lambda games: bool(program_games.under(games, withheld=False)),
    ),
    _hinted(
        "makes legal turns under withheld clues",
        program_games.copes_with_withheld_clues,
        "`?` is an open cell without a clue",
        about_noise=True,
        applies=lambda games: bool(program_games.under(games, withheld=True)),
    ),
)
"""The steps of a check of a program, in order."""
