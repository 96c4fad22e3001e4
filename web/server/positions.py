"""The API for positions: turns of agents, boards of slow sources, other formats. The engine in the page does the rest.

The server keeps no game: the page plays it, and sends the position with each question.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from sweepstakes.errors import PositionError
from sweepstakes.game.board import Board
from sweepstakes.game.board_formats import decode
from sweepstakes.game.board_urls import board_from_url, view_from_url, view_url
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import agent_seed
from sweepstakes.game.rules import RULES
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.view import View
from sweepstakes.registry.registry import Registry
from sweepstakes.untrusted.files import is_url
from sweepstakes.web.agents.agent_service import BUILT_IN, AgentService
from sweepstakes.web.data.serialize import layout_text, position_text, serialize_turn
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.queues import QueuedWork
from sweepstakes.web.server.requests import MAX_SIDE, BoardSetup, StrictRequest, parse_body, spec_by_name


class Position(BoardSetup):
    """A position that the page shows: one mark for each cell, as `View.parse` reads them."""

    shown: Annotated[str, Field(max_length=MAX_SIDE * MAX_SIDE)]

    def view(self, registry: Registry) -> View:
        """Return the view. Raise `SweepstakesError` if there is no such position."""
        if len(self.shown) != self.rows * self.cols:
            raise ApiError(422, f"shown: {len(self.shown)} cells, expected {self.rows * self.cols}")
        setup = self.setup()
        lines = [self.shown[i : i + self.cols] for i in range(0, len(self.shown), self.cols)]
        noise = registry.noise(setup.noise)
        return View.parse("\n".join(lines), mines=setup.size.mines, noise=noise)._replace(rules=setup.rules)


class NoiseName(StrictRequest):
    """A clue noise, by name and parameters."""

    noise: Annotated[str, Field(max_length=80)]


class PositionAndAgent(Position):
    """A position and an agent."""

    agent: Annotated[str, Field(max_length=80)]
    game: Annotated[str, Field(max_length=80)] | None = None
    """The name of the game. The agent may remember the positions that it saw under this name."""


class NewBoard(BoardSetup):
    """A board to deal."""

    first: Annotated[int, Field(ge=0, lt=MAX_SIDE * MAX_SIDE)] | None = None
    """The cell that is opened first, which the rules may protect, as a flat index."""


class Pasted(StrictRequest):
    """A position or board to read: a text or address, or the bytes of an .mbf file in base64."""

    text: str | None = None
    mbf: str | None = None
    mines: Annotated[int, Field(ge=0)] | None = None
    """The number of mines, for a text that does not state it."""


class Positions:
    """One method for each action: it takes the JSON of a request, and returns that of the response, or `QueuedWork`."""

    def __init__(self, registry: Registry, agent_service: AgentService) -> None:
        self._registry = registry
        self._agent_service = agent_service
        self.actions: dict[str, Callable[[Any], Any]] = {
            "read": self.read,
            "write": self.write,
            "noise": self.noise,
            "advise": self.advise,
            "turn": self.turn,
            "deal": self.deal,
        }

    def read(self, data: Any) -> Any:
        """Return the position in a text, an address or a file, with the rules that it states and no others.

        A whole board has its `layout`, and all its cells covered.
        """
        pasted = parse_body(Pasted, data)
        found = _read(pasted)
        rows, cols = found.rows, found.cols
        if max(rows, cols) > MAX_SIDE:
            raise ApiError(422, f"a board of {rows} x {cols}: expected at most {MAX_SIDE} rows and columns")
        if isinstance(found, Board):
            rest = {"mines": found.size.mines, "shown": "." * (rows * cols), "layout": layout_text(found.layout)}
            return {"rows": rows, "cols": cols} | rest
        stated = _stated_rules(pasted.text or "", found)
        return {"rows": rows, "cols": cols, "mines": found.mines, "shown": position_text(found)} | stated

    def write(self, data: Any) -> Any:
        """Return the position as text, and as an address of JSMinesweeper if it has one."""
        view = parse_body(Position, data).view(self._registry)
        try:
            return {"text": f"{view}\n", "url": view_url(view), "why": ""}
        except PositionError as error:
            return {"text": f"{view}\n", "url": None, "why": str(error)}

    def noise(self, data: Any) -> Any:
        """Return the likelihoods of a clue noise: the engine in the page knows those that are built in."""
        noise = self._registry.noise(spec_by_name(parse_body(NoiseName, data).noise, "noise"))
        return {"likelihoods": noise.table.reshape(-1).tolist()}

    def advise(self, data: Any) -> Any:
        """Return what `champion` would open, and its candidates."""
        view = parse_body(Position, data).view(self._registry)
        return QueuedWork(BUILT_IN, lambda: self._agent_service.advise(view))

    def turn(self, data: Any) -> Any:
        """Return the turn that an agent would take in the position, with its seed in a tournament."""
        asked = parse_body(PositionAndAgent, data)
        view, setup = asked.view(self._registry), self._checked(asked)
        agent = self._agent_service.find(asked.agent)
        seed = agent_seed(setup.board_ref(self._registry), view.rules, view.noise)
        key = asked.game or secrets.token_hex(8)

        def work() -> Any:
            return serialize_turn(self._agent_service.act(key, agent, seed, view), view.cols)

        return QueuedWork(self._agent_service.queue_name(agent), work)

    def deal(self, data: Any) -> Any:
        """Return the mines of a board, for sources that the engine in the page does not know."""
        asked = parse_body(NewBoard, data)
        setup = self._checked(asked)
        first = None if asked.first is None else Cell(*divmod(asked.first, asked.cols))
        if first is not None and first.row >= asked.rows:
            raise ApiError(422, f"first: cell {asked.first} is not on a board of {asked.rows} x {asked.cols}")
        protected = () if first is None else setup.rules.protected(setup.size, first)
        return QueuedWork(BUILT_IN, lambda: {"layout": layout_text(self._agent_service.deal(setup, protected).layout)})

    def _checked(self, asked: BoardSetup) -> GameSetup:
        """Return the setup. Raise `SweepstakesError` if there is no such game. A source that needs a parameter may read
        a file."""
        setup = asked.setup()
        if self._registry.find("board source", setup.source.name).description.needs:
            raise ApiError(422, f"board source '{setup.source}': expected one without parameters, such as uniform")
        setup.check(self._registry)
        return setup


def _read(pasted: Pasted) -> View | Board:
    if pasted.mbf is not None:
        try:
            return decode(base64.b64decode(pasted.mbf, validate=True), "mbf")
        except binascii.Error:
            raise ApiError(422, "mbf: expected base64") from None
    text = (pasted.text or "").strip()
    if not text:
        raise ApiError(422, "there is nothing to read: expected rows of a position, or an address with a board")
    if is_url(text):
        return board_from_url(text) if "b=" in text.partition("?")[2].split("&")[0] else view_from_url(text)
    if text.startswith("{"):
        return decode(text.encode(), "json")
    if not set(text) - set("*.\r\n\t "):
        return Board.parse(text)
    return View.parse(text, mines=None if _has_head(text) else pasted.mines)


def _stated_rules(text: str, view: View) -> dict[str, str]:
    """Return the rules and the noise that the first line of a position's text states.

    A line that states rules, as `str(view)` writes it, also states the noise, because exact clues have no name.
    """
    if is_url(text) or not _has_head(text.strip()):
        return {}
    words = {word.partition("=")[0] for word in text.strip().splitlines()[0].split() if "=" in word}
    noise = {"noise": "exact-clues" if view.noise.exact else view.noise.name} if words else {}
    options = view.rules.options()
    return {key: word for key, word in options.items() if key in words and RULES[key].kind == "word"} | noise


def _has_head(text: str) -> bool:
    return len(text.splitlines()[0].split()) > 1
