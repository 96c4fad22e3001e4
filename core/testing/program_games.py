"""The steps of the contract of programs that play whole games: every size, rule and noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sweepstakes.game.result import Ending
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import PRESETS, Size
from sweepstakes.testing.conversation import Candidate, converse
from sweepstakes.testing.scenarios import EVERYTHING, Games


def _play_all(candidate: Candidate, games: Games, setups: Iterable[GameSetup]) -> str:
    with converse(candidate, games) as talk:
        played = [talk.play(setup) for setup in setups]
    return f"{len(played)} games"


def plays_one_cell(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Return a board of one cell, with and without a mine."""
    return _play_all(candidate, games, [setup for setup in games.odd_boards() if setup.size.cells == 1])


def plays_one_row(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Boards of one row and of one column."""
    longer = [games.setup(Size(1, 60, 9)), games.setup(Size(60, 1, 9), rules=Rules("end", "safe"))]
    narrow = [setup for setup in games.odd_boards() if 1 in setup.size[:2] and setup.size.cells > 1]
    return _play_all(candidate, games, narrow + longer)


def plays_no_mines_and_mines_only(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Boards with no mine, and boards of mines only."""
    extreme = [setup for setup in games.odd_boards() if setup.size.mines in (0, setup.size.cells)]
    return _play_all(candidate, games, [setup for setup in extreme if min(setup.size[:2]) > 1])


def plays_beginner(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Whole games on the smallest standard size."""
    return _play_standard(candidate, games, "beginner")


def plays_intermediate(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Whole games on the middle standard size."""
    return _play_standard(candidate, games, "intermediate")


def plays_expert(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Whole games on the largest standard size."""
    return _play_standard(candidate, games, "expert")


def _play_standard(candidate: Candidate, games: Games, name: str) -> str:
    size = PRESETS[name]
    rules = [Rules("end", "safe"), Rules("end", "opening"), Rules("continue", "safe")]
    setups = [games.setup(size, number, rule) for number, rule in enumerate(rules * 2)]
    won = 0
    with converse(candidate, games) as talk:
        for setup in setups:
            won += talk.play_on(setup)[0].ending == Ending.WON
    return f"{won} of {len(setups)} games won"


def plays_many_cells(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Boards of 100 x 100 cells."""
    rules = Rules("end", "opening")
    return _play_all(candidate, games, [games.setup(Size(100, 100, 1000), number, rules) for number in range(2)])


def reads_long_lines(candidate: Candidate, games: Games = EVERYTHING) -> None:
    """The first turn on the largest board, whose line has a million characters."""
    setup = games.setup(Size(1000, 1000, 200_000), rules=Rules("end", "any"))
    with converse(candidate, games) as talk:
        game = talk.begin(setup)
        game.take(talk.dialogue.act(game.view()))
        talk.dialogue.end_game("gave up")
        talk.play(games.sample()[0])


def goes_on_after_a_mine(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Games that go on after a mine, up to the last cell."""
    return _play_all(candidate, games, games.every_rule(goes_on))


def stops_at_a_mine(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Games that end with the first mine."""
    return _play_all(candidate, games, games.every_rule(ends))


def clicks_first_in_safety(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Games whose first cell is safe, or a blank. The first click loses none of them."""
    setups = [games.setup(Size(5, 5, 12), number, Rules("end", click)) for click in _CLICKS for number in range(8)]
    return _play_all(candidate, games, setups)


_CLICKS: tuple[Any, ...] = ("safe", "opening")


def begins_at_the_start_cell(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Games in which the referee has opened a cell before the first turn."""
    return _play_all(candidate, games, games.every_rule(has_start))


def plays_without_flooding(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Games in which a blank does not open its neighbours."""
    return _play_all(candidate, games, games.every_rule(has_no_flood))


def under(games: Games, *, withheld: bool) -> list[GameSetup]:
    """Return the games under noises that withhold clues, or under the others."""
    setups = [*games.every_noise(), *games.noisy_sample()]
    return [setup for setup in setups if (setup.noise.name == "hidden") == withheld]


def copes_with_wrong_clues(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Games under noises that change clues."""
    return _play_all(candidate, games, under(games, withheld=False))


def copes_with_withheld_clues(candidate: Candidate, games: Games = EVERYTHING) -> str:
    """Games under noise that withholds clues."""
    return _play_all(candidate, games, under(games, withheld=True))


def goes_on(rules: Rules) -> bool:
    """Return whether games go on after a mine."""
    return rules.last_mine == 0


def ends(rules: Rules) -> bool:
    """Return whether games end with the first mine."""
    return rules.last_mine == 1


def is_protected(rules: Rules) -> bool:
    """Return whether the first cell is safe."""
    return rules.first_click != "any"


def has_start(rules: Rules) -> bool:
    """Return whether the referee opens a start cell."""
    return rules.start is not None


def has_no_flood(rules: Rules) -> bool:
    """Return whether opening a blank leaves its neighbours covered."""
    return not rules.flood


def if_any(what: Callable[[Rules], bool]) -> Callable[[Games], bool]:
    """Return a function that says whether `what` holds for any of the rules of the games."""
    return lambda games: any(map(what, games.rules))
