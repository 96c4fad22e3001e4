"""Train the network of the agent `learned` from scratch."""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from sweepstakes.inference import forced
from sweepstakes.learning.positions import Positions, positions
from sweepstakes.plugins.agents.learned import COVERED_CELL, KINDS, MOST, read


class Convolution(torch.autograd.Function):
    """A 3 x 3 convolution over the active cells only: `near` has the rows of the nine cells, the last row is zero."""

    @staticmethod
    def forward(ctx, x, near, weight):
        n, c = x.shape
        gathered = functional.pad(x, (0, 0, 0, 1)).index_select(0, near.view(-1)).view(n, -1)
        ctx.save_for_backward(near, gathered, weight)
        return gathered @ weight.view(-1, weight.shape[2])

    @staticmethod
    def backward(ctx, grad):
        near, gathered, weight = ctx.saved_tensors
        n = len(grad)
        back = functional.pad(grad, (0, 0, 0, 1)).index_select(0, near.view(-1)).view(n, -1)
        flipped = weight.flip(0).transpose(1, 2).reshape(-1, weight.shape[1])
        return back @ flipped, None, (gathered.t() @ grad).view_as(weight)


class Network(nn.Module):
    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        self.kind = nn.Embedding(KINDS, channels)
        self.left = nn.Embedding(MOST, channels)
        self.rest = nn.Embedding(MOST, channels)
        self.density = nn.Parameter(torch.zeros(channels))
        scale = (2 / (4.5 * channels)) ** 0.5  # about half of the cells around an active one are active
        weights = torch.randn(2 * blocks, 9, channels, channels) * scale
        weights[1::2] *= 0.1
        self.weights = nn.Parameter(weights)
        self.biases = nn.Parameter(torch.zeros(2 * blocks, channels))
        self.out = nn.Linear(channels, 1)

    def forward(self, kinds, near, whole, owner):
        about = self.left(whole[:, 0].long()) + self.rest(whole[:, 1].long()) + whole[:, 2:] * self.density
        covered = (kinds == COVERED_CELL).float().unsqueeze(1)
        h = functional.relu(self.kind(kinds) + covered * about.index_select(0, owner))
        for i in range(0, len(self.weights), 2):
            r = functional.relu(Convolution.apply(h, near, self.weights[i]) + self.biases[i])
            h = functional.relu(h + Convolution.apply(r, near, self.weights[i + 1]) + self.biases[i + 1])
        return self.out(h).squeeze(1)


class Data:
    """Active cells of many positions, one after the other."""

    def __init__(self, found: Positions, rng):
        n, rows, cols = found.shown.shape
        index, cells = np.empty(rows * cols, np.int32), np.empty(rows * cols, np.int32)
        kinds, near = np.empty(rows * cols, np.int8), np.empty((rows * cols, 9), np.int32)
        parts = []
        self.whole = np.empty((n, 3), np.float32)
        self.starts = np.zeros(n + 1, np.int64)
        for i in range(n):
            shown = found.shown[i].copy()
            how = rng.integers(3)
            if how:
                share = 1.0 if how == 1 else rng.random()
                shown[(found.certain[i] == 2) & (shown == -1) & (rng.random(shown.shape) < share)] = -2
            active, unknown, frontier, left = read(shown, found.mines, index, cells, kinds, near)
            self.whole[i] = (min(max(left, 0), MOST - 1), min(unknown - frontier, MOST - 1), left / max(unknown, 1))
            self.starts[i + 1] = self.starts[i] + active
            target = np.nan_to_num(found.probability[i].reshape(-1)[cells[:active]])
            parts.append((kinds[:active].copy(), near[:active].astype(np.int16), target))
        self.kinds, self.near, self.target = (np.concatenate(p) for p in zip(*parts))

    def __len__(self):
        return len(self.whole)

    def batch(self, pick, turn):
        begin, end = self.starts[pick], self.starts[pick + 1]
        sizes = end - begin
        first = np.cumsum(sizes) - sizes
        rows = np.repeat(begin - first, sizes) + np.arange(sizes.sum())
        near = self.near[rows].astype(np.int64)
        near = np.where(near < 0, len(rows), near + np.repeat(first, sizes)[:, None])
        near = near[:, SYMMETRIES[turn]]
        owner = np.repeat(np.arange(len(pick)), sizes)
        return tuple(torch.from_numpy(np.ascontiguousarray(a)) for a in (self.kinds[rows].astype(np.int64), near, self.whole[pick], owner, self.target[rows]))


GRID = np.arange(9).reshape(3, 3)
SYMMETRIES = [np.rot90(grid, turns).reshape(-1).copy() for grid in (GRID, GRID.T) for turns in range(4)]


def data(count, seed, rng, keep=0.25, size="expert"):
    found = positions(count, size, seed)
    use = np.array([rng.random() < keep or not forced(s).safe.size for s in found.shown])
    use &= found.exact
    arrays = {k: v[use] if k != "mines" else v for k, v in found._asdict().items()}
    return Data(Positions(**arrays), rng)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--positions", type=int, default=300000)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=float, default=0.25)
    parser.add_argument("--cpu", action="store_true", help="minutes are of processor time")
    parser.add_argument("--out", default="/tmp/learned.pt")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    t = time.time()
    train = data(args.positions, args.seed, rng, args.keep)
    valid = data(6000, 10**6, rng, args.keep)
    print(f"{len(train)} positions, {time.time()-t:.0f} s, active {len(train.kinds)/len(train):.1f}, frontier {(train.kinds==COVERED_CELL).sum()/len(train):.1f}", flush=True)
    net = Network(args.channels, args.blocks)
    print(sum(p.numel() for p in net.parameters()), "parameters")
    ema = {k: v.clone() for k, v in net.state_dict().items()}
    optimizer = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=1e-4)
    clock = time.process_time if args.cpu else time.time
    begun, step, running, seen = clock(), 0, 0.0, 0
    wall, cpu = time.time(), time.process_time()
    last = 0.0
    def val():
        keep = {k: v.clone() for k, v in net.state_dict().items()}
        net.load_state_dict(ema)
        losses, n, safe_all, low, lowmine = 0.0, 0, 0, 0, 0
        gaps = []
        with torch.no_grad():
            for i in range(0, len(valid), 256):
                k, near, w, owner, y = valid.batch(np.arange(i, min(i + 256, len(valid))), 0)
                z = net(k, near, w, owner)
                f = k == COVERED_CELL
                z, y, owner = z[f], y[f], owner[f]
                p = torch.sigmoid(z)
                losses += (functional.binary_cross_entropy_with_logits(z, y, reduction="none") - functional.binary_cross_entropy(y.clamp(1e-7, 1-1e-7), y, reduction="none")).sum().item()
                n += len(z)
                safe = y < 1e-6
                safe_all += safe.sum().item(); low += (safe & (p < 0.01)).sum().item(); lowmine += y[p < 0.01].sum().item()
                o, p, y = owner.numpy(), p.numpy(), y.numpy()
                order = np.lexsort((p, o)); firsts = np.unique(o[order], return_index=True)[1]
                best = np.full(o.max() + 1, 2.0); np.minimum.at(best, o, y)
                gaps.append(y[order][firsts] - best[o[order][firsts]])
        net.load_state_dict(keep)
        return f"kl {losses / n:.5f} safe found {low / safe_all:.4f} mines among {lowmine / max(low, 1):.5f} gap {np.concatenate(gaps).mean():.5f}"
    while True:
        part = (clock() - begun) / 60 / args.minutes
        if part >= 1:
            break
        rate = args.rate * min(1, step / 200 + 0.01) * max(0.01, 0.5 * (1 + np.cos(np.pi * part)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        k, near, w, owner, y = train.batch(rng.integers(len(train), size=args.batch), rng.integers(8))
        z = net(k, near, w, owner)
        f = k == COVERED_CELL
        loss = functional.binary_cross_entropy_with_logits(z[f], y[f])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        decay = min(0.998, step / (step + 50))
        with torch.no_grad():
            for name, value in net.state_dict().items():
                ema[name].mul_(decay).add_(value, alpha=1 - decay)
        running = 0.98 * running + 0.02 * loss.item() if step else loss.item()
        step += 1; seen += args.batch
        if time.time() - last > 30:
            last = time.time()
            print(f"{time.time()-wall:6.0f} s cpu {time.process_time()-cpu:.0f} {part:.2f} step {step} seen {seen} loss {running:.4f} {val()} ", flush=True)
            torch.save(ema, args.out)
    print("end", val(), seen)
    torch.save(ema, args.out)


if __name__ == "__main__":
    main()
