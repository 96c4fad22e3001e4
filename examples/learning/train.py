"""Train the network of the agent `learned` from scratch: python train.py --out learned.npz

The script collects positions that the agent `exact` meets, labelled with the exact mine probability of every cell. It
trains a small convolutional network to predict these probabilities from what the cells show, with cross-entropy as the
loss. Needs the extra `train` (torch). The defaults took eleven minutes on one of two shared cores.

Most cells of a board are settled or touch no clue, so only the active ones are computed. A position is a list of some
forty rows, one per active cell, with the indices of the 3 x 3 cells around it. A symmetry of the square is then a
permutation of these nine indices.
"""

from __future__ import annotations

import argparse
import math
from time import monotonic
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.inference import forced
from sweepstakes.learning import Positions, positions
from sweepstakes.plugins.agents.learned import COUNTS, COVERED_CELL, KINDS, read

SIZES = {"expert": 10, "intermediate": 2, "beginner": 1}
"""Relative number of positions of each size."""
EASY = 0.25
"""Share of easy positions to keep, in which a single clue proves a cell safe. They are common and easy to learn."""
_GRID = np.arange(9).reshape(3, 3)
SYMMETRIES = [np.rot90(grid, turns).reshape(-1).copy() for grid in (_GRID, _GRID.T) for turns in range(4)]


class Examples:
    """Positions in the form of network inputs: the active cells of all positions, one position after another."""

    def __init__(self, found: Positions, rng: np.random.Generator) -> None:
        """Read the positions and flag all, some or none of the certain mines at random, because players differ."""
        n, rows, cols = found.shown.shape
        index, cells = np.empty(rows * cols, np.int32), np.empty(rows * cols, np.int32)
        kinds, near = np.empty(rows * cols, np.int8), np.empty((rows * cols, 9), np.int32)
        self.starts = np.zeros(n + 1, np.int64)
        self.whole = np.empty((n, 3), np.float32)
        parts = []
        for i in range(n):
            shown = found.shown[i].copy()
            share = rng.choice([0.0, 1.0, rng.random()])
            shown[(found.certain[i] == 2) & (shown == COVERED) & (rng.random(shown.shape) < share)] = FLAG
            active, unknown, frontier, left = read(shown, found.mines, index, cells, kinds, near)
            self.starts[i + 1] = self.starts[i] + active
            self.whole[i] = min(left, COUNTS - 1), min(unknown - frontier, COUNTS - 1), left / max(unknown, 1)
            target = np.nan_to_num(found.probability[i].reshape(-1)[cells[:active]])
            parts.append((kinds[:active].copy(), near[:active].astype(np.int16), target))
        self.kinds, self.near, self.target = (np.concatenate(part) for part in zip(*parts, strict=True))

    def __len__(self) -> int:
        return len(self.whole)

    def extend(self, other: Examples) -> None:
        """Append the positions of `other`."""
        self.starts = np.concatenate([self.starts, other.starts[1:] + self.starts[-1]])
        for name in ("whole", "kinds", "near", "target"):
            setattr(self, name, np.concatenate([getattr(self, name), getattr(other, name)]))

    def batch(self, which: npt.NDArray[np.int64], symmetry: int = 0) -> list[Any]:
        """Return tensors: kinds, neighbours, features of whole boards, the board of each cell, and targets."""
        begin, sizes = self.starts[which], self.starts[which + 1] - self.starts[which]
        first = np.cumsum(sizes) - sizes
        rows = np.repeat(begin - first, sizes) + np.arange(sizes.sum())
        near = self.near[rows].astype(np.int64)
        near = np.where(near < 0, len(rows), near + np.repeat(first, sizes)[:, None])[:, SYMMETRIES[symmetry]]
        owner = np.repeat(np.arange(len(which)), sizes)
        arrays = (self.kinds[rows].astype(np.int64), near, self.whole[which], owner, self.target[rows])
        return [torch.from_numpy(np.ascontiguousarray(array)) for array in arrays]


def make_examples(count: int, seed: int) -> Examples:
    """Make examples from `count` positions of all sizes, without most easy ones and those the engine could not sum."""
    rng = np.random.default_rng(seed)
    examples = None
    for size, part in SIZES.items():
        found = positions(count * part // sum(SIZES.values()), size, seed)
        use = found.exact & np.array([rng.random() < EASY or not forced(shown).safe.size for shown in found.shown])
        fields = {name: part if name == "mines" else part[use] for name, part in found._asdict().items()}
        more = Examples(Positions(**fields), rng)
        if examples is None:
            examples = more
        else:
            examples.extend(more)
    assert examples is not None
    return examples


class Convolution(torch.autograd.Function):
    """A 3 x 3 convolution over listed cells. `near` holds the rows of the nine cells, or one past the end if none."""

    @staticmethod
    def forward(ctx: Any, x: Any, near: Any, weight: Any) -> Any:
        """Return the weighted sums, [cell, channel]."""
        around = functional.pad(x, (0, 0, 0, 1)).index_select(0, near.view(-1)).view(len(x), -1)
        ctx.save_for_backward(near, around, weight)
        return around @ weight.view(-1, weight.shape[2])

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Return the gradients. That of the input is a convolution with the rotated weights."""
        near, around, weight = ctx.saved_tensors
        back = functional.pad(grad, (0, 0, 0, 1)).index_select(0, near.view(-1)).view(len(grad), -1)
        turned = weight.flip(0).transpose(1, 2).reshape(-1, weight.shape[1])
        return back @ turned, None, (around.t() @ grad).view_as(weight)


class Trained(nn.Module):
    """The network, with the names and shapes of `Network` in `sweepstakes.plugins.agents.learned`."""

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        self.kind = nn.Parameter(torch.randn(KINDS, channels))
        self.left = nn.Parameter(torch.randn(COUNTS, channels))
        self.rest = nn.Parameter(torch.randn(COUNTS, channels))
        self.density = nn.Parameter(torch.zeros(channels))
        weights = torch.randn(2 * blocks, 9, channels, channels) * math.sqrt(2 / (4.5 * channels))
        weights[1::2] *= 0.1  # each block starts close to the identity, so that deep networks train
        self.weights = nn.Parameter(weights)
        self.biases = nn.Parameter(torch.zeros(2 * blocks, channels))
        self.out = nn.Parameter(torch.cat([torch.randn(channels) / math.sqrt(channels), torch.zeros(1)]))

    def forward(self, kinds: Any, near: Any, whole: Any, owner: Any) -> Any:
        """Return the logit of the mine probability of every active cell."""
        board = self.left[whole[:, 0].long()] + self.rest[whole[:, 1].long()] + whole[:, 2:] * self.density
        covered = (kinds == COVERED_CELL).float().unsqueeze(1)
        state = functional.relu(self.kind[kinds] + covered * board.index_select(0, owner))
        for i in range(0, len(self.weights), 2):
            inside = functional.relu(Convolution.apply(state, near, self.weights[i]) + self.biases[i])
            state = functional.relu(state + Convolution.apply(inside, near, self.weights[i + 1]) + self.biases[i + 1])
        return state @ self.out[:-1] + self.out[-1]


def losses(model: Trained, batch: list[Any]) -> Any:
    """Return the cross-entropy of every covered cell and its lower bound, the entropy of the target."""
    kinds, near, whole, owner, target = batch
    covered = kinds == COVERED_CELL
    target = target[covered]
    logits = model(kinds, near, whole, owner)[covered]
    loss = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
    return loss, torch.special.entr(target) + torch.special.entr(1 - target)


def divergence(model: Trained, examples: Examples) -> float:
    """Return the mean Kullback-Leibler divergence of the predicted from the exact probabilities."""
    total, count = 0.0, 0
    with torch.no_grad():
        for begin in range(0, len(examples), 256):
            loss, best = losses(model, examples.batch(np.arange(begin, min(begin + 256, len(examples)))))
            total, count = total + float((loss - best).sum()), count + len(loss)
    return total / count


def train(examples: Examples, test: Examples, options: argparse.Namespace) -> None:
    """Train with a learning rate that follows a cosine down to 0, and write the mean weights of the last steps."""
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    model = Trained(options.channels, options.blocks)
    mean = Trained(options.channels, options.blocks)
    mean.load_state_dict(model.state_dict())
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=1e-4)
    begun = monotonic()
    for step in range(options.steps):
        rate = options.rate * min(1.0, (step + 1) / 200) * (1 + math.cos(math.pi * step / options.steps)) / 2
        for group in optimizer.param_groups:
            group["lr"] = rate
        batch = examples.batch(rng.integers(len(examples), size=options.batch), int(rng.integers(8)))
        optimizer.zero_grad()
        losses(model, batch)[0].mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        with torch.no_grad():
            keep = min(0.998, step / (step + 50))
            for old, new in zip(mean.parameters(), model.parameters(), strict=True):
                old.lerp_(new, 1 - keep)
        if (step + 1) % 1000 == 0 or step + 1 == options.steps:
            at = divergence(mean, test)
            print(f"step {step + 1} of {options.steps}, {monotonic() - begun:.0f} s: divergence {at:.5f}", flush=True)
            save(mean, options.out)


def save(model: Trained, path: str) -> None:
    """Write the weights in single precision."""
    np.savez_compressed(path, **{name: value.numpy() for name, value in model.state_dict().items()})


def main() -> None:
    """Make the examples, train, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="learned.npz", help="file to write the weights to")
    parser.add_argument("--positions", type=int, default=260_000, help="positions to collect; about half are used")
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=32, help="positions per step")
    parser.add_argument("--rate", type=float, default=0.002, help="maximum learning rate")
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=5, help="blocks of two layers each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    begun = monotonic()
    examples, test = make_examples(options.positions, options.seed), make_examples(6_000, options.seed + 1_000_000)
    print(f"{len(examples)} positions, {len(examples.kinds)} active cells, {monotonic() - begun:.0f} s", flush=True)
    train(examples, test, options)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
