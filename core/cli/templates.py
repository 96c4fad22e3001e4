"""What `sweepstakes new` writes: working plugins and their tests, called `my-thing`, `my_thing` and `MyThing` here."""

from __future__ import annotations

AGENT = '''"""`my-thing`: one clue at a time, else luck. Say here what the idea is, then make it better."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, Cell, Turn, View, hookimpl


class MyThing(Agent):
    """Opens and flags what a single clue proves, else opens a random covered cell."""

    def act(self, view: View) -> Turn:
        """The next turn: cells to open and to flag, and why."""
        detonated = set(view.detonated())
        safe: dict[Cell, list[Cell]] = {}
        mines: dict[Cell, list[Cell]] = {}
        for cell in view.open():
            clue = view.clue(cell)
            if clue is None:
                continue  # withheld by a clue noise
            around = view.neighbours(cell)
            covered = [near for near in around if view.is_covered(near)]
            left = clue - sum(near in detonated or view.is_flagged(near) for near in around)
            if left == 0:
                safe |= {near: [cell] for near in covered}
            elif left == len(covered):
                mines |= {near: [cell] for near in covered}
        for cell in mines:
            safe.pop(cell, None)  # noisy clues may contradict each other
        if safe or mines:
            evidence = safe | mines if self.explain else None
            return Turn(open=list(safe), flag=list(mines), why="proof", evidence=evidence)
        choice = view.covered()
        return Turn(open=[self.rng.choice(choice)], why="random") if choice else Turn()


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `my-thing`."""
    return {"my-thing": MyThing}
'''

AGENT_TEST = '''"""What must be true of `my-thing`."""

from __future__ import annotations

from sweepstakes import Cell, View
from sweepstakes.testing.steps import check_agent

from my_thing import MyThing


def test_it_keeps_the_contract_of_agents() -> None:
    check_agent(MyThing)


def test_it_flags_the_only_cell_that_can_be_the_mine() -> None:
    view = View.parse("1.\\n11", mines=1)
    turn = MyThing().act(view)
    assert (turn.flag, turn.why) == ([Cell(0, 1)], "proof")
'''

NOISE = '''"""`my-thing`: large clues are withheld now and then."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import ClueNoise, ParameterError, hookimpl
from sweepstakes.noise import Shown


class MyThing(ClueNoise):
    """With probability rate a clue of `least` or more is withheld."""

    def __init__(self, rate: float = 0.5, least: int = 3) -> None:
        if not 0 <= rate <= 1:
            raise ParameterError(f"rate {rate}: expected 0 to 1")
        self.rate = rate
        self.least = least

    def likelihood(self, count: int, neighbours: int) -> Mapping[Shown, float]:
        """How likely each shown value is for a cell with `count` mines among its `neighbours`; they sum to one."""
        if count < max(self.least, 1):
            return {count: 1.0}
        return {count: 1 - self.rate, "withheld": self.rate}


@hookimpl
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:
    """Offer `my-thing`."""
    return {"my-thing": MyThing}
'''

NOISE_TEST = '''"""What must be true of `my-thing`."""

from __future__ import annotations

from sweepstakes import Board, Game, Turn

from my_thing import MyThing


def test_its_likelihoods_are_distributions() -> None:
    MyThing().model("my-thing")  # raises unless every one sums to 1


def test_large_clues_are_withheld_and_small_ones_are_not() -> None:
    game = Game(Board.parse("***\\n...\\n..."), noise=MyThing(rate=1).model("my-thing"))
    game.take(Turn(open=[(1, 0), (1, 1)]))
    assert game.view().clue((1, 0)) == 2
    assert game.view().is_open((1, 1))
    assert game.view().clue((1, 1)) is None
'''

BOARD = '''"""`my-thing`: mines keep off the border."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Board, BoardSource, Rng, Size, hookimpl


class MyThing(BoardSource):
    """Mines lie inside; on the border only when there is no room left."""

    version = 1

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """All inner cells in a random order, then all border cells; the first free ones are mined."""
        rng = Rng(seed)
        inside: list[int] = []
        border: list[int] = []
        for cell in range(size.cells):
            row, col = divmod(cell, size.cols)
            on_border = row in (0, size.rows - 1) or col in (0, size.cols - 1)
            (border if on_border else inside).append(cell)
        rng.shuffle(inside)
        rng.shuffle(border)
        free = [cell for cell in inside + border if cell not in protected]
        return Board.of(size.rows, size.cols, [divmod(cell, size.cols) for cell in free[: size.mines]])


@hookimpl
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:
    """Offer `my-thing`."""
    return {"my-thing": MyThing}
'''

BOARD_TEST = '''"""What must be true of `my-thing`."""

from __future__ import annotations

from sweepstakes import PRESETS, Deal, Size

from my_thing import MyThing


def test_the_same_seed_gives_the_same_board() -> None:
    deal = Deal.of(MyThing(), "my-thing", PRESETS["beginner"], 1, 0)
    assert deal.board() == deal.board()
    assert deal.board() != deal._replace(seed=deal.seed + 1).board()


def test_it_lays_every_mine_and_none_on_protected_cells() -> None:
    for mines in (0, 1, 40, 80):
        Deal.of(MyThing(), "my-thing", Size(9, 9, mines), 1, 0).board(protected=(40,))  # the deal checks


def test_the_border_stays_free_while_there_is_room() -> None:
    board = Deal.of(MyThing(), "my-thing", Size(9, 9, 49), 1, 0).board()
    assert not board.mines[0].any()
'''

SCORE = '''"""`my-thing`: how much a turn is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import GameResult, Score, hookimpl


class MyThing(Score):
    """Safe cells opened per turn."""

    more_is_better = True

    def of(self, result: GameResult) -> float:
        """The score of a game that ended without a fault."""
        return result.opened / result.turns if result.turns else 0.0

    def worst(self, result: GameResult) -> float:
        """The score of a game that the agent broke off by a fault."""
        return 0.0


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer `my-thing`."""
    return {"my-thing": MyThing}
'''

SCORE_TEST = '''"""What must be true of `my-thing`."""

from __future__ import annotations

from sweepstakes import Board, Ending, Game, Turn

from my_thing import MyThing


def test_a_finished_game_is_worth_its_cells_per_turn() -> None:
    game = Game(Board.parse("*..\\n..."))
    game.take(Turn(open=[(1, 0)]))
    game.take(Turn(open=[(0, 2)]))
    game.take(Turn())
    assert MyThing()(game.result()) == 5 / 2


def test_a_fault_is_worth_nothing() -> None:
    game = Game(Board.parse("*..\\n..."))
    game.take(Turn(open=[(1, 0)]))
    game.forfeit(Ending.ERROR, "it raised")
    assert MyThing()(game.result()) == 0
'''

REPORT = '''"""`my-thing`: the standings in a few plain lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import hookimpl
from sweepstakes.report import Report
from sweepstakes.standings import Standings


class MyThing(Report):
    """One line for each agent: its rank, its name, its score."""

    def text(self, standings: Standings) -> str:
        """The whole report; the same standings give the same bytes."""
        lines = [standings.name]
        for table in standings.tables:
            lines.append(f"{table.condition}, {table.boards} boards")
            lines += [f"{line.rank:>3} {line.agent:<24} {line.scores[0].mean:.3f}" for line in table.standings]
        return "\\n".join(lines) + "\\n"


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `my-thing`."""
    return {"my-thing": MyThing}
'''

REPORT_TEST = '''"""What must be true of `my-thing`."""

from __future__ import annotations

from sweepstakes.tournaments import run_tournament

from my_thing import MyThing


def test_every_agent_has_a_line() -> None:
    standings = run_tournament({"boards": "beginner", "games": 2, "agents": ["random", "basic"], "workers": 1})
    text = MyThing().text(standings)
    assert "basic" in text
    assert text == MyThing().text(standings)
'''

KINDS = {
    "agent": (AGENT, AGENT_TEST),
    "noise": (NOISE, NOISE_TEST),
    "board": (BOARD, BOARD_TEST),
    "score": (SCORE, SCORE_TEST),
    "report": (REPORT, REPORT_TEST),
}
"""The plugin and its test, for each kind."""
