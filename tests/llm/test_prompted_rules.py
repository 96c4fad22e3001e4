"""A referee written from the sentences of the prompt alone, against the referee: random games under all rules."""

from __future__ import annotations

import itertools

import pytest

from sweepstakes import Cell, Game, Registry, Rng, Rules, Size, Turn
from sweepstakes.boards import BoardRef, FixedBoard
from sweepstakes.game.cell import neighbours
from sweepstakes.game.rules import FirstClick, OnMine
from sweepstakes.noise import EXACT, Noise
from sweepstakes.plugins.agents.llm.answers import BadAnswer, check_legal
from sweepstakes.plugins.agents.llm.prompts import rules as prompted

ROWS, COLS, MINES = 4, 5, 4
NOISES = ["exact-clues", "hidden(rate=0.3)", "liar(rate=0.3, blanks=true)"]


class Prompted:
    """A game as a reader of the prompt would referee it. The board and what cells show come from the real game."""

    def __init__(self, text: str, mines: set[Cell], clues: dict[Cell, str], start: Cell | None) -> None:
        self.text = text
        self.mines, self.clues = mines, clues
        self.flags: set[Cell] = set()
        self.open: set[Cell] = set()
        self.detonated: set[Cell] = set()
        self.over = self.given_up = False
        if self.says("was opened for you") and start is not None:
            self.turn(Turn(open=[start]))

    def says(self, words: str) -> bool:
        return words in self.text

    @property
    def cells(self) -> set[Cell]:
        return {Cell(row, col) for row in range(ROWS) for col in range(COLS)}

    @property
    def won(self) -> bool:
        """You win if every cell without a mine is open, and no mine was opened or detonated."""
        return self.open == self.cells - self.mines and not self.detonated

    @property
    def marks(self) -> str:
        shown = {**dict.fromkeys(self.flags, "F"), **dict.fromkeys(self.detonated, "*")}
        shown |= {cell: self.clues[cell] for cell in self.open}
        return "".join(shown.get(cell, ".") for cell in sorted(self.cells))

    def turn(self, turn: Turn) -> None:
        if not (turn.open or turn.flag or turn.unflag):
            self.over = self.says("A turn that names no cell gives the game up, which ends it.")
            return
        self.flags -= {Cell(*cell) for cell in turn.unflag}
        self.flags |= {Cell(*cell) for cell in turn.flag}
        for named in turn.open:
            cell = Cell(*named)
            if cell in self.open:  # opened by the same turn: skipped
                continue
            if cell in self.mines:
                self.detonated.add(cell)
                self.over = self.says("Opening a cell with a mine ends the game.")
                break  # the cells named after it are not opened
            self.uncover(cell)
            if self.says("as soon as every cell without a mine is open") and self.open == self.cells - self.mines:
                self.over = True
                break
        if self.says("The game ends after a turn when every cell is open, flagged or detonated."):
            self.over |= self.open | self.flags | self.detonated == self.cells

    def uncover(self, cell: Cell) -> None:
        self.open.add(cell)
        around = neighbours(ROWS, COLS, *cell)
        if self.says("its covered neighbours are opened too, except flagged ones") and not self.mines & set(around):
            for other in around:
                if other not in self.open | self.flags | self.detonated:
                    self.uncover(other)


def random_turn(rng: Rng, game: Game) -> Turn:
    """Return a turn that is usually legal, with a few cells in each list."""
    view = game.view()
    lists = []
    for cells, most in ((view.covered(), 4), (view.covered(), 3), (view.flagged(), 3)):
        named = [rng.choice(cells) for _ in range(rng.below(most))] if cells else []
        lists.append([cell for cell in named if cell is not None])
    opens, flags, unflags = lists
    if rng.below(3):
        flags = []
    opens += [cell for cell in unflags if rng.below(2)]
    return Turn(opens, flags, unflags, "guess")


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(
    ("on_mine", "first_click", "start", "flood"),
    list(itertools.product(["continue", "end"], ["any", "safe", "opening"], [None, Cell(1, 2)], [False, True])),
)
def test_games_go_as_the_prompt_says(
    on_mine: OnMine, first_click: FirstClick, start: Cell | None, flood: bool, noise: str
) -> None:
    rules = Rules(on_mine, first_click, start, flood)
    model: Noise = Registry.default().noise(noise) if noise != "exact-clues" else EXACT
    endings = set()
    for seed in range(30):
        rng = Rng(seed)
        ref = BoardRef(Registry.built_in().source("uniform"), Size(ROWS, COLS, MINES), seed)
        first = rng.choice([Cell(row, col) for row in range(ROWS) for col in range(COLS)])
        board = ref.board(rules.protected(ref.size, start or first) if first_click != "any" else ())
        game = Game(ref._replace(source=FixedBoard(board)), rules, model)
        text = prompted(game.view(), 2)
        shown = Game(ref._replace(source=FixedBoard(board)), rules, model).revealed(None)
        mines = {Cell(*divmod(cell, COLS)) for cell, mine in enumerate(board.layout) if mine}
        clues = {Cell(*divmod(cell, COLS)): "012345678?"[code] for cell, code in enumerate(shown.tolist()) if code >= 0}
        expected = Prompted(text, mines, clues, start)
        turn = Turn(open=[first]) if start is None else random_turn(rng, game)
        for _ in range(60):
            assert game.view().marks == expected.marks
            assert game.over == expected.over
            if game.over:
                break
            try:
                check_legal(turn, game.view())
            except BadAnswer:
                turn = random_turn(rng, game)
                continue
            game.take(turn)
            expected.turn(turn)
            turn = random_turn(rng, game)
        if game.over:
            assert game.result().won == expected.won
            endings.add(str(game.ending))
    assert "lost" in endings if on_mine == "end" else "finished" in endings
