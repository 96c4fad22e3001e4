"""Measures the calibration of `exact`: of the cells to which it gives mine probability p, a share p should be mines.

    python benchmarks/calibration.py [--guesses N] [--plot FILE.svg]

Games on 16x16 boards with density 0.15 under every clue noise; guesses decided by an approximation are left out. For
each bin of probabilities it prints the guesses, the mines expected and found, and z, which has a standard normal
distribution if the probabilities are right.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from textwrap import fill

import numpy as np
import numpy.typing as npt

from sweepstakes import BoardRef, Cell, Game, Registry, Rules, Size
from sweepstakes.agent import start_agent
from sweepstakes.drawing.agent_looks import COLOURS
from sweepstakes.leaderboards.plots.style import GREY, add_title, new_figure, save, style
from sweepstakes.spec import Spec
from sweepstakes.tournaments.condition_words import noise_kind

NOISES = [
    "exact-clues",
    "hidden(rate=0.25)",
    "hidden(rate=0.25,blanks=true)",
    "optimistic(rate=0.25)",
    "cautious(rate=0.25)",
    "liar(rate=0.25)",
    "liar(rate=0.25,blanks=true)",
]
BINS = 12
Sample = npt.NDArray[np.float64]


def guesses(noise: str, wanted: int, seed: int = 1) -> Sample:
    """Pairs (probability, mine or not) of the guesses."""
    registry = Registry.default()
    source = registry.make("board source", "uniform")
    model = registry.noise(noise)
    factory = registry.agent("exact")
    size = Size.of(16, 16, density=0.15)
    found: list[tuple[float, bool]] = []
    number = 0
    while len(found) < wanted:
        game = Game(BoardRef.of(source, "uniform", size, seed, number), Rules(), model)
        agent = start_agent(factory, game.agent_seed)
        number += 1
        while not game.over:
            turn = agent.act(game.view())
            game.take(turn)
            if turn.why == "guess" and turn.probability is not None and len(turn.open) and not turn.fallback:
                cell = Cell(*divmod(int(np.asarray(turn.open)[0]), size.cols))
                found.append((turn.probability, game.board.is_mine(cell)))
    return np.array(found[:wanted], np.float64)


def bins(sample: Sample) -> list[tuple[float, float, int, float]]:
    """Mean probability, share of mines, guesses and z of each bin; bins hold about the same number of guesses."""
    order = sample[np.argsort(sample[:, 0], kind="stable")]
    rows = []
    for part in np.array_split(order, BINS):
        p, mine = part[:, 0], part[:, 1]
        spread = float(np.sqrt((p * (1 - p)).sum()))
        z = float((mine.sum() - p.sum()) / spread) if spread > 0 else 0.0
        rows.append((float(p.mean()), float(mine.mean()), len(part), z))
    return rows


def plot(samples: dict[str, list[tuple[float, float, int, float]]], path: Path) -> None:
    """Write the plot as FILE.svg and, for dark pages, as FILE-dark.svg."""
    with style():
        figure = new_figure(8.8, 5.2)
        panels = figure.subplots(2, 4, sharex=True, sharey=True, gridspec_kw={"wspace": 0.12, "hspace": 0.42})
        for axes, (noise, rows) in zip(panels.flat, samples.items(), strict=False):
            p, share, count, _ = (np.array(column) for column in zip(*rows, strict=True))
            error = 1.96 * np.sqrt(np.maximum(share * (1 - share), 1e-9) / count)
            axes.plot([0, 1], [0, 1], color=GREY, linewidth=1)
            axes.errorbar(p, share, error, fmt="o", color=COLOURS[0], markersize=3, capsize=3)
            axes.set_title(fill(noise_kind(Spec.parse(noise)).rstrip(","), 22), fontsize=9)
            axes.set(xlim=(-0.02, 0.62), ylim=(-0.02, 0.62), xticks=[0, 0.2, 0.4, 0.6], yticks=[0, 0.2, 0.4, 0.6])
        for axes in panels.flat[len(samples) :]:
            axes.set_visible(False)
        figure.supxlabel("mine probability that exact gives its guess", fontsize=10)
        figure.supylabel("share of guesses that were mines, 95 % interval", fontsize=10)
        title = "exact: stated mine probabilities against the share of mines"
        add_title(figure, title, "16x16, mine density 0.15, a noise on one clue in four; on the line, both are equal")
        save(figure, path.parent, path.stem)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guesses", type=int, default=50_000)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    samples = {}
    for noise in NOISES:
        samples[noise] = rows = bins(guesses(noise, arguments.guesses))
        print(f"{noise}: largest |z| of {BINS} bins {max(abs(row[3]) for row in rows):.2f}")
        for p, share, count, z in rows:
            print(f"  {count:6d} guesses at {p:.4f}: {share:.4f} were mines, z {z:+.2f}")
    if arguments.plot:
        plot(samples, arguments.plot)


if __name__ == "__main__":
    main()
