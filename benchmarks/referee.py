"""Measures the overhead of the framework: time per Expert game of the referee and of packing the turns.

python benchmarks/referee.py [--games N] [--agent NAME]

Times are processor times, so that a busy machine does not matter.
"""

from __future__ import annotations

import argparse
from statistics import median
from time import process_time

from sweepstakes import PRESETS, BoardRef, Game, Registry, Rules, play_game
from sweepstakes.game.turn_codec import pack

BATCHES = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--agent", default="basic")
    arguments = parser.parse_args()
    games = arguments.games // BATCHES
    registry = Registry.default()
    source = registry.make("board source", "uniform")
    expert = PRESETS["expert"]
    rules = Rules(on_mine="end", first_click="safe")
    agent = registry.agent(arguments.agent)

    def board_ref(number: int) -> BoardRef:
        return BoardRef.of(source, "uniform", expert, 1, number)

    play_game(Game(board_ref(0), rules), agent)  # compiles
    boards, inside, outside, packing, turns, size = [], [], [], [], 0, 0
    for batch in range(BATCHES):
        numbers = range(batch * games, (batch + 1) * games)
        refs = [board_ref(number) for number in numbers]
        begun = process_time()
        for each in refs:
            each.board()
        boards.append((process_time() - begun) / games)
        spent = around = packed = 0.0
        for number in numbers:
            begun = process_time()
            played = play_game(Game(board_ref(number), rules), agent, keep_turns=True)
            done = process_time()
            moves = pack(played.turns or [])
            packed += process_time() - done
            size += len(moves)
            spent += played.seconds
            around += done - begun - played.seconds
            turns += played.result.turns
        inside.append(spent / games)
        outside.append(around / games)
        packing.append(packed / games)
    length = turns / games / BATCHES
    agent, referee, writing = median(inside), median(outside), median(packing)
    whole = agent + referee + writing
    print(f"expert, on_mine=end, first_click=safe, {arguments.agent}: {games * BATCHES} games of {length:.1f} turns")
    print(f"games per second on one core    {1 / (agent + referee):7.0f}")
    print(f"the agent                       {1e6 * agent:7.1f} us per game")
    print(f"the referee, turns kept         {1e6 * referee:7.1f} us per game (target: 90)")
    print(f"packing the turns kept          {1e6 * writing:7.1f} us per game (target: 30)")
    print(f"share of the framework          {100 * (referee + writing) / whole:7.1f} % of a game's time")
    print(f"packed turns                    {size / games / BATCHES:7.0f} bytes per game")
    print(f"one board                       {1e6 * median(boards):7.1f} us (target: 5)")


main()
