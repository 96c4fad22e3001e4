"""Which clues prove what an agent called proven: found after the game, never while it is played.

An explanation may take many times as long as the play, so nobody is asked for one on the clock. Whoever wants to know
(a score that looks at evidence, `watch`, `replay`) has the finished game played a second time, by a fresh agent that is
asked to `explain`, under limits ten times those of the game. What the agent leaves unexplained the engine proves by as
few clues as it can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from time import monotonic

import numpy as np

from sweepstakes.agent import Agent, start_agent
from sweepstakes.errors import IllegalMove
from sweepstakes.executor import Limits
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import Game
from sweepstakes.game.turn import Cells, Turn
from sweepstakes.game.turn_codec import same
from sweepstakes.game.view import View
from sweepstakes.inference import evidence, posterior
from sweepstakes.untrusted.exceptions import is_ctrl_c

NO_LIMITS = Limits()
TIMES = 10
"""How many times the seconds of a game, and of a turn, its second playing may take."""


def second_limits(limits: Limits) -> Limits:
    """What the second playing of a game may cost that was played under these limits."""
    turn, game, memory = limits
    return Limits(None if turn is None else TIMES * turn, None if game is None else TIMES * game, memory)


def explain_game(
    game: Game, agent: Callable[[], Agent], turns: Sequence[Turn], limits: Limits = NO_LIMITS
) -> list[Turn] | None:
    """The turns of a finished game with their evidence, from a second playing on the `game` set up afresh.

    None if the agent takes another turn than before, or breaks off, or if it is seen after a turn that this took longer
    than the `limits` of the second playing. Each cell of a turn with the reason `proof`, and each flag beside a guess,
    that the agent gives no evidence for has the smallest proof that the engine finds; it has none if it is not certain.
    """
    begun = monotonic()
    game.turns = []
    try:
        player = start_agent(agent, game.agent_seed, explain=True)
        for place, before in enumerate(turns):
            view = game.view()
            asked = monotonic()
            turn = player.act(view)
            try:
                game.take(turn)
            except IllegalMove:
                if place < len(turns) - 1:
                    return None
            if len(game.turns) <= place or not same(game.turns[place], before):
                return None
            game.turns[place] = _proven(view, game.turns[place])
            now = monotonic()
            if now - asked > (limits.turn_seconds or inf) or now - begun > (limits.game_seconds or inf):
                return None
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        return None
    return game.turns


def proven_turns(game: Game, turns: Sequence[Turn]) -> list[Turn]:
    """The turns with the smallest proofs that the engine finds, and no word of the agent's; on the game set up afresh.

    `IllegalMove` if the turns do not fit the game; the last one may be illegal.
    """
    proven = []
    for place, turn in enumerate(turns):
        proven.append(_proven(game.view(), turn._replace(evidence=None)))
        try:
            game.take(turn)
        except IllegalMove:
            if place < len(turns) - 1:
                raise
    return proven


def _proven(view: View, turn: Turn) -> Turn:
    """The turn with a proof for each cell that can be proven and has none."""
    given: Mapping[Cell, Sequence[Cell]] = turn.evidence or {}
    opens = [flat for flat in _flat(turn.open, view) if turn.why == "proof" and _cell(flat, view) not in given]
    flags = [flat for flat in _flat(turn.flag, view) if _cell(flat, view) not in given]
    if not opens and not flags:
        return turn
    noise = None if view.noise.exact else view.noise.table
    certain = posterior(view.shown, view.mines, noise=noise, trust_flags=noise is None).certain.reshape(-1)
    safe = [flat for flat in opens if certain[flat] == 1]
    mines = [flat for flat in flags if certain[flat] == 2]
    if not safe and not mines:
        return turn
    return turn._replace(evidence={**given, **evidence(view.shown, view.mines, safe, mines, noise=noise)})


def _flat(cells: Cells, view: View) -> list[int]:
    """Those of the cells that are on the board, as flat indices."""
    if isinstance(cells, np.ndarray):
        return [flat for flat in cells.tolist() if 0 <= flat < view.rows * view.cols]
    return [row * view.cols + col for row, col in cells if 0 <= row < view.rows and 0 <= col < view.cols]


def _cell(flat: int, view: View) -> Cell:
    return Cell(*divmod(flat, view.cols))
