"""The evidence of an agent's proofs, found by playing a finished game a second time.

Finding evidence may take many times as long as playing, so agents never do it in the game that counts. Where evidence
is needed (by a measured score, `watch` or `replay`), a new agent with `explain` set plays the finished game a second
time, under limits ten times those of the game. For cells without evidence of the agent, the engine finds a small proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from time import monotonic

import numpy as np

from sweepstakes.agent import Agent, start_agent
from sweepstakes.errors import HostingError, IllegalMove
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import Game
from sweepstakes.game.turn import Cells, Turn
from sweepstakes.game.turn_codec import same
from sweepstakes.game.view import View
from sweepstakes.inference import evidence, posterior
from sweepstakes.limits import NO_LIMITS, Limits
from sweepstakes.untrusted.exceptions import is_ctrl_c


def explain_game(
    game: Game, agent: Callable[[], Agent], turns: Sequence[Turn], limits: Limits = NO_LIMITS, *, prove: bool = True
) -> list[Turn] | None:
    """Return the turns of a finished game with their evidence. `game` is the game before its first turn.

    Returns None if the second playing fails: the agent takes a different turn, raises an exception, or exceeds the
    `limits` of the second playing, which are checked after each turn.

    An agent may give no evidence for a cell of a turn with the reason `proof`, or for a flag set along with a guess. If
    such a cell is certain, the engine adds the smallest proof that it finds. Without `prove` it adds nothing;
    `proven_turns` can then add the proofs later, for example in another process.
    """
    begun = monotonic()
    game.turns = []
    try:
        player = start_agent(agent, game.agent_seed, explain=True)
        for place, before in enumerate(turns):
            view = game.view()
            turn_begun = monotonic()
            turn = player.act(view)
            try:
                game.take(turn)
            except IllegalMove:
                if place < len(turns) - 1:
                    return None
            if len(game.turns) <= place or not same(game.turns[place], before):
                return None
            if prove:
                game.turns[place] = _proven(view, game.turns[place])
            now = monotonic()
            if now - turn_begun > (limits.turn_seconds or inf) or now - begun > (limits.game_seconds or inf):
                return None
    except BaseException as error:
        if is_ctrl_c(error) or issubclass(type(error), HostingError):
            raise
        return None
    return game.turns


def proven_turns(game: Game, turns: Sequence[Turn], *, keep_evidence: bool = False) -> list[Turn]:
    """Return the turns with the smallest proofs that the engine finds.

    Evidence of the agent is dropped unless `keep_evidence` is set. `game` is the game before its first turn. Raises
    `IllegalMove` if a turn is not possible in it; only the last turn may be illegal.
    """
    proven = []
    for place, turn in enumerate(turns):
        proven.append(_proven(game.view(), turn if keep_evidence else turn._replace(evidence=None)))
        try:
            game.take(turn)
        except IllegalMove:
            if place < len(turns) - 1:
                raise
    return proven


def _proven(view: View, turn: Turn) -> Turn:
    """Add evidence to a turn for each cell that can be proven and has no evidence yet."""
    own: Mapping[Cell, Sequence[Cell]] = turn.evidence or {}
    opens = [flat for flat in _flat(turn.open, view) if turn.why == "proof" and _cell(flat, view) not in own]
    flags = [flat for flat in _flat(turn.flag, view) if _cell(flat, view) not in own]
    if not opens and not flags:
        return turn
    noise = None if view.noise.exact else view.noise.table
    certain = posterior(view.shown, view.mines, noise=noise, trust_flags=noise is None).certain.reshape(-1)
    safe = [flat for flat in opens if certain[flat] == 1]
    mines = [flat for flat in flags if certain[flat] == 2]
    if not safe and not mines:
        return turn
    return turn._replace(evidence={**own, **evidence(view.shown, view.mines, safe, mines, noise=noise)})


def _flat(cells: Cells, view: View) -> list[int]:
    """Return the cells that are on the board, as flat indices."""
    if isinstance(cells, np.ndarray):
        return [flat for flat in cells.tolist() if 0 <= flat < view.rows * view.cols]
    return [row * view.cols + col for row, col in cells if 0 <= row < view.rows and 0 <= col < view.cols]


def _cell(flat: int, view: View) -> Cell:
    return Cell(*divmod(flat, view.cols))
