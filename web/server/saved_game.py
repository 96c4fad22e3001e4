"""A game as the text that the browser keeps: after a restart of the server, the browser sends it back.

Each turn is a word: `u`, `f` and `o` with the flat indices of the cells that it unflags, flags and opens, separated by
dots; then `a` if the agent took the turn, `h` if hints and `p` if probabilities were on. `f3.4o12a` is a turn of the
agent that flags two cells and opens one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from sweepstakes.game.turn import Turn, flat_cells

_CELLS = r"\d{1,5}(?:\.\d{1,5})*"
_WORD = re.compile(rf"(?:u({_CELLS}))?(?:f({_CELLS}))?(?:o({_CELLS}))?(a?)(h?)(p?)", re.ASCII)


class SavedTurn(NamedTuple):
    """A turn of a game in the browser, and who took it with which help."""

    turn: Turn
    by_agent: bool = False
    hints: bool = False
    """Whether the page showed hints when the person clicked."""
    odds: bool = False
    """Whether the page showed mine probabilities when the person clicked."""

    def text(self, cols: int) -> str:
        """The word for this turn."""
        named = zip("ufo", (self.turn.unflag, self.turn.flag, self.turn.open), strict=True)
        cells = [(letter, flat_cells(each, cols)) for letter, each in named]
        words = [letter + ".".join(map(str, each)) for letter, each in cells if each]
        return "".join(words) + "a" * self.by_agent + "h" * self.hints + "p" * self.odds

    @classmethod
    def parse(cls, word: str) -> SavedTurn:
        """The turn of a word; `ValueError` if it is not valid. Its cells may lie outside of the board."""
        found = _WORD.fullmatch(word)
        if found is None or not any(found.groups()[:3]):
            raise ValueError(f"'{word[:40]}' is not a turn: expected a word such as o12 or f3.4o5a")
        unflag, flag, opened = (np.array(part.split(".") if part else [], np.int64) for part in found.groups()[:3])
        by_agent, hints, odds = map(bool, found.groups()[3:])
        turn = Turn(open=opened, flag=flag, unflag=unflag, why="guess" if opened.size else "proof")
        return cls(turn, by_agent, hints, odds)
