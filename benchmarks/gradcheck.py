#!/usr/bin/env python3
"""Python's gradcheck on the functions of gradcheck.cpp; the same lines."""
import time

import torch
from torch.autograd import gradcheck

torch.manual_seed(0)
torch.set_num_threads(1)


def least_ms(runs, body):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        body()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def leaf(n):
    return torch.randn(n, dtype=torch.double).requires_grad_()


def many(x):
    return (x.tanh() * x).softmax(0)


def one(x):
    return (x.tanh() * x).logsumexp(0)


small, large = leaf(64), leaf(4096)
for size, runs, f, x in (64, (30, 30), many, small), (4096, (3, 10), one, large):
    for mode, n in zip(("slow", "fast"), runs):
        ms = least_ms(n, lambda: gradcheck(f, (x,), fast_mode=mode == "fast"))
        print(f"gradcheck {size} {mode}\t{ms:.6g}\tms", flush=True)
