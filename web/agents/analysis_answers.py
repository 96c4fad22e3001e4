"""The answers of the exact engine about probabilities and positions: every number in them is checked."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sweepstakes.inference import Status
from sweepstakes.web.agents.protocol import ProtocolError

Chance = Annotated[float, Field(ge=0, le=1)]
Flat = Annotated[int, Field(ge=0)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Odds(_Answer):
    percent: list[Annotated[int | float, Field(ge=0)] | None]
    status: str
    first_click_safe: bool


class _Contradiction(_Answer):
    text: Annotated[str, Field(max_length=20_000)]
    cells: list[Flat]


class _Solved(_Odds):
    contradiction: _Contradiction | None
    safe: list[Flat]
    mines: list[Flat]
    best: Flat | None
    layouts: str


class _Proof(_Answer):
    text: Annotated[str, Field(max_length=200_000)]
    clues: list[Flat]


class _Candidate(_Answer):
    cell: Flat
    safe: Chance
    best: float | None
    second: float | None
    influence: float | None
    score: float | None
    state: str


class _Win(_Answer):
    cell: Flat
    safe: Chance
    won: Flat


class _Advice(_Answer):
    refused: str | None
    open: list[Flat] = []
    reason: str = ""
    why: str = ""
    safe: Chance | None = None
    won: Flat | None = None
    layouts: Flat | None = None
    candidates: list[_Candidate] = []
    wins: list[_Win] = []


def checked_odds(data: Any, cells: int) -> dict[str, Any]:
    """The answer of `odds` for a board of so many cells; `ValueError` for anything else."""
    return _odds(_Odds.model_validate(data), cells)


def checked_solution(data: Any, cells: int) -> dict[str, Any]:
    """The answer of `solve_view`."""
    solved = _Solved.model_validate(data)
    best = [] if solved.best is None else [solved.best]
    _on_board(cells, solved.safe, solved.mines, best, solved.contradiction.cells if solved.contradiction else [])
    return _odds(solved, cells)


def checked_proof(data: Any, cells: int) -> dict[str, Any]:
    """The answer of `prove_cell`."""
    proof = _Proof.model_validate(data)
    _on_board(cells, proof.clues)
    return proof.model_dump()


def checked_advice(data: Any, cells: int) -> dict[str, Any]:
    """The answer of `advise_view`."""
    advice = _Advice.model_validate(data)
    _on_board(cells, advice.open, [each.cell for each in advice.candidates], [each.cell for each in advice.wins])
    return advice.model_dump()


def _odds(answer: _Odds, cells: int) -> dict[str, Any]:
    values, counts = answer.percent[::2], answer.percent[1::2]
    whole = len(values) == len(counts) and all(type(count) is int for count in counts)
    if not whole or sum(count or 0 for count in counts) != cells or answer.status not in set(Status):
        raise ProtocolError("the probabilities of another position")
    if any(value is not None and value > 100 for value in values):
        raise ProtocolError("a number out of range")
    return answer.model_dump()


def _on_board(cells: int, *lists: list[int]) -> None:
    if any(cell >= cells for each in lists for cell in each):
        raise ProtocolError("a cell that is not on the board")
