#!/usr/bin/env python3
"""The steps of pointwise.cpp in Python, eager and under torch.compile: name, seconds."""
import time

import torch


def beside(grid, down, right):
    rows, cols = grid.size(0) - 2, grid.size(1) - 2
    return grid[down:down + rows, right:right + cols]


def laplacian(grid):
    return beside(grid, 0, 1) + beside(grid, 2, 1) + beside(grid, 1, 0) + beside(grid, 1, 2) - 4 * beside(grid, 1, 1)


def react(u, v, next_u, next_v):
    a, b = beside(u, 1, 1), beside(v, 1, 1)
    reaction = a * b * b
    beside(next_u, 1, 1).copy_(a + 0.16 * laplacian(u) - reaction + 0.035 * (1 - a))
    beside(next_v, 1, 1).copy_(b + 0.08 * laplacian(v) + reaction - 0.1 * b)


def live(cells, nxt):
    inside = beside(cells, 1, 1)
    around = (beside(cells, 0, 0) + beside(cells, 0, 1) + beside(cells, 0, 2) + beside(cells, 1, 0) +
              beside(cells, 1, 2) + beside(cells, 2, 0) + beside(cells, 2, 1) + beside(cells, 2, 2))
    beside(nxt, 1, 1).copy_(around.eq(3).logical_or(around.eq(2).logical_and(inside.gt(0))))


def slope(x, weight):
    return torch.matmul(torch.tanh(x), weight) - x


def moved(x, weight, h):
    a = slope(x, weight)
    b = slope(x + 0.5 * h * a, weight)
    c = slope(x + 0.5 * h * b, weight)
    d = slope(x + h * c, weight)
    return x + h / 6 * (a + 2 * b + 2 * c + d)


def terms(p, y, label):
    error, chance = p - y, p.sigmoid()
    return (error.pow(2).mean() + 0.1 * error.abs().mean() +
            0.5 * torch.nn.functional.softplus(p * (1 - 2 * label)).mean() + (chance - label).pow(2).mean() +
            0.01 * (chance * (1 - chance)).mean() + 1e-3 * p.tanh().pow(2).mean() +
            1e-4 * (p.pow(2) + 1e-6).sqrt().mean())


def weights_of(scores, mask):
    return torch.softmax(scores * 0.125 + mask, -1)


def residual(x, branch, weight, bias):
    return torch.relu(torch.layer_norm(x + branch * 0.5, (768,), weight, bias)) * 0.5


def of_norm(x, branch, weight, bias):
    total = x + branch * 0.5
    return torch.relu(torch.layer_norm(total, (768,), weight, bias)) + total


def dropped(x, branch, weight):
    return x + torch.dropout(branch * weight, 0.1, True)


def measure(name, step):
    for _ in range(5):
        step()
    least, end = float("inf"), time.perf_counter() + 1
    while time.perf_counter() < end:
        start = time.perf_counter()
        step()
        least = min(least, time.perf_counter() - start)
    print("%s\t%.6g" % (name, least), flush=True)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    u, v = torch.rand(514, 514), torch.rand(514, 514) * 0.2
    next_u, next_v = u.clone(), v.clone()
    cells = (torch.rand(1026, 1026) > 0.7).float()
    after = cells.clone()
    state, weight_of_rates = torch.randn(4096, 64), torch.randn(64, 64) * 0.2
    p, y = torch.randn(1 << 18, requires_grad=True), torch.randn(1 << 18)
    label = (torch.rand(1 << 18) > 0.5).float()
    scores, mask = torch.randn(8, 256, 256), torch.randn(256, 256)
    x, branch, weight, bias = torch.randn(1024, 768), torch.randn(1024, 768), torch.randn(768), torch.randn(768)
    leaves = [t.clone().requires_grad_() for t in (x, branch, weight, bias)]
    gy = torch.randn(1024, 768)
    for kind, form in (("eager", lambda f: f), ("compiled", torch.compile)):
        of_grid, of_cells, of_rates, of_terms = form(react), form(live), form(moved), form(terms)
        with torch.no_grad():
            measure("fields %s.diffusion" % kind, lambda: of_grid(u, v, next_u, next_v))
            measure("fields %s.automaton" % kind, lambda: of_cells(cells, after))
            measure("fields %s.network" % kind, lambda: of_rates(state, weight_of_rates, 0.05))
        measure("fields %s.terms" % kind, lambda: torch.autograd.grad(of_terms(p, y, label), p))
        of_scores, of_sum, of_dropped = form(weights_of), form(residual), form(dropped)
        with torch.no_grad():
            measure("fields %s.softmax" % kind, lambda: of_scores(scores, mask))
            measure("fields %s.layer norm" % kind, lambda: of_sum(x, branch, weight, bias))
            measure("fields %s.dropout" % kind, lambda: of_dropped(x, branch, weight))
        of_leaves = form(of_norm)
        measure("fields %s.norm with gradients" % kind,
                lambda: torch.autograd.grad(of_leaves(*leaves), leaves, gy))


if __name__ == "__main__":
    main()
