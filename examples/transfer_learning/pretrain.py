#!/usr/bin/env python3
"""Trains the network of main.cpp on five drawn shapes with PyTorch, and writes its state_dict: pretrain.py CHECKPOINT

Needs PyTorch for Python (pip install torch). `transfer_learning --pretrain CHECKPOINT` does the same in C++.
"""
import sys

import torch
from torch import nn

SHAPES = 5  # the shapes that this network learns; main.cpp has three more


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.AdaptiveMaxPool2d(1), nn.Flatten())
        self.head = nn.Linear(64, classes)

    def forward(self, x):
        return self.head(self.features(x))


def draw(shapes):
    """Pictures (N, 1, 28, 28) of the shapes, each at a random place, turned and of a random size."""
    n = len(shapes)
    drawn = lambda low, high: low + (high - low) * torch.rand(n, 1, 1)
    axis = torch.arange(28.)
    y, x = axis.view(1, -1, 1) - drawn(10, 18), axis.view(1, 1, -1) - drawn(10, 18)
    turn, radius = drawn(-0.5, 0.5), drawn(6, 10)
    u, v = ((x * turn.cos() + y * turn.sin()) / radius).abs(), (y * turn.cos() - x * turn.sin()) / radius
    square, disc = torch.max(u, v.abs()), u * u + v * v
    kinds = torch.stack([disc < 1, square < 0.85, (v < 0.5) & (v > 1.7 * u - 1),
                         (torch.min(u, v.abs()) < 0.25) & (square < 1), (u < 0.25) & (square < 1)])
    inside = kinds[shapes, torch.arange(n)]
    return (inside * drawn(0.5, 1) + 0.1 * torch.randn(n, 28, 28)).unsqueeze(1)


def main():
    torch.manual_seed(1)
    net = Net(SHAPES)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    for step in range(1, 401):
        shapes = torch.randint(SHAPES, (64,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(draw(shapes)), shapes)
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}/400  loss {loss.item():.3f}")
    torch.save(net.state_dict(), sys.argv[1])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
