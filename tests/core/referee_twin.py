"""A second referee in plain Python, written from the specification and deliberately slow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sweepstakes import Board, Cell, Rules


class IllegalError(Exception):
    """A cell that breaks a rule, and the action on it."""


@dataclass
class Twin:
    """A game on a known board. Safe cells show their entry in `revealed`, a clue or 9."""

    board: Board
    rules: Rules
    revealed: dict[Cell, int]
    open: set[Cell] = field(default_factory=set)
    detonated: set[Cell] = field(default_factory=set)
    flags: set[Cell] = field(default_factory=set)
    turns: int = 0
    cells_clicked: int = 0
    flag_clicks: int = 0
    guesses: int = 0
    ending: str = ""

    def __post_init__(self) -> None:
        if self.rules.start is not None:
            self._open(self.rules.start)
        self._judge()

    @property
    def cells(self) -> list[Cell]:
        return [Cell(row, col) for row in range(self.board.rows) for col in range(self.board.cols)]

    @property
    def safe(self) -> set[Cell]:
        return {cell for cell in self.cells if not self.board.is_mine(cell)}

    def around(self, cell: Cell) -> list[Cell]:
        return [other for other in self.cells if max(abs(other.row - cell.row), abs(other.col - cell.col)) == 1]

    def covered(self, cell: Cell) -> bool:
        return cell not in self.open | self.detonated | self.flags

    def take(self, unflag: Sequence[Cell], flag: Sequence[Cell], opens: Sequence[Cell], why: str) -> None:
        """Unflag, flag and open, in that order. An action that breaks a rule raises; earlier actions are not undone."""
        if not unflag and not flag and not opens:
            self.ending = "gave up"
            return
        if self.turns == 4 * len(self.cells) + 16:
            self.ending = "stalled"
            return
        self.turns += 1
        unflagged: set[Cell] = set()
        for cell in unflag:
            if cell in unflagged:
                continue
            if cell not in self.flags:
                raise IllegalError(f"unflagged {cell}")
            self.flags.remove(cell)
            unflagged.add(cell)
            self.flag_clicks += 1
        flagged: set[Cell] = set()
        for cell in flag:
            if cell in flagged:
                continue
            if cell not in self.cells or not self.covered(cell):
                raise IllegalError(f"flagged {cell}")
            self.flags.add(cell)
            flagged.add(cell)
            self.flag_clicks += 1
        before = set(self.open)
        guessed = False
        try:
            for cell in opens:
                if cell in self.open - before:
                    continue
                if cell not in self.cells or not self.covered(cell):
                    raise IllegalError(f"opened {cell}")
                self.cells_clicked += 1
                guessed = why != "proof"
                self._open(cell)
                if self.board.is_mine(cell):
                    break
                if self.rules.on_mine == "end" and self.open == self.safe:
                    break
        finally:
            self.guesses += guessed
        self._judge()

    def _open(self, first: Cell) -> None:
        if self.board.is_mine(first):
            self.detonated.add(first)
            return
        waiting = [first]
        while waiting:
            cell = waiting.pop()
            self.open.add(cell)
            if self.rules.flood and self.revealed[cell] == 0:
                waiting += [other for other in self.around(cell) if self.covered(other)]

    def _judge(self) -> None:
        if self.rules.on_mine == "end":
            if self.detonated:
                self.ending = "lost"
            elif self.open == self.safe:
                self.ending = "won"
        elif len(self.open | self.detonated | self.flags) == len(self.cells):
            self.ending = "won" if self.open == self.safe and not self.detonated else "finished"

    @property
    def clicks(self) -> int:
        return self.cells_clicked + self.flag_clicks

    @property
    def three_bv(self) -> int:
        """Count openings, and clues that touch no blank, in a won game."""
        if self.ending != "won" or not self.rules.flood or not self.open:
            return 0
        blank = {cell for cell in self.safe if not any(self.board.is_mine(other) for other in self.around(cell))}
        alone = {cell for cell in self.safe - blank if not blank & set(self.around(cell))}
        openings = 0
        while blank:
            openings += 1
            waiting = [blank.pop()]
            while waiting:
                touching = blank & set(self.around(waiting.pop()))
                blank -= touching
                waiting += touching
        return openings + len(alone)

    def rows(self) -> list[str]:
        """Return what is shown, as the rows of a view's text."""

        def mark(cell: Cell) -> str:
            if cell in self.flags:
                return "F"
            if cell in self.detonated:
                return "*"
            if cell in self.open:
                return "?" if self.revealed[cell] == 9 else str(self.revealed[cell])
            return "."

        text = "".join(mark(cell) for cell in self.cells)
        return [text[i : i + self.board.cols] for i in range(0, len(text), self.board.cols)]

    @property
    def right(self) -> int:
        return sum(self.board.is_mine(cell) for cell in self.flags)
