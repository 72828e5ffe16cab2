#!/usr/bin/env python3
"""The functions of func.cpp by torch.func: name, seconds."""
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap


def measure(name, body):
    for _ in range(3):
        body()
    start = time.perf_counter()
    body()
    one = max(time.perf_counter() - start, 1e-8)
    calls = max(1, int(min(1e-3 / one, 1e5)))
    least, end, left = 1e30, time.perf_counter() + 0.12, 5
    while left > 0 or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(calls):
            body()
        least = min(least, (time.perf_counter() - start) / calls)
        left -= 1
    print(f"{name}\t{least:.6g}", flush=True)


def mlp(inputs, hidden, outputs):
    return nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(),
                         nn.Linear(hidden, outputs))


def parameters_of(net):
    return {name: p.detach() for name, p in net.named_parameters()}


def gradients_of_examples():
    net = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU(),
                        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 10))
    x, y = torch.randn(64, 1, 28, 28), torch.randint(10, (64,))
    p = parameters_of(net)
    each = vmap(grad(lambda p, x, y: F.cross_entropy(functional_call(net, p, x.unsqueeze(0)), y.unsqueeze(0))),
                (None, 0, 0))
    measure("gradients of 64 examples, CNN", lambda: each(p, x, y))

    def loop():
        for i in range(64):
            net.zero_grad()
            F.cross_entropy(net(x[i:i + 1]), y[i:i + 1]).backward()

    measure("gradients of 64 examples, CNN, by a loop", loop)


def gradients_of_blocks():
    net = nn.Sequential(nn.Linear(64, 192), nn.Linear(64, 64), nn.Linear(64, 256), nn.Linear(256, 64))
    x = torch.randn(32, 16, 64)

    def block(p, x):
        h = F.linear(F.layer_norm(x, (64,)), p["0.weight"], p["0.bias"])
        q, k, v = h.view(16, 3, 4, 16).permute(1, 2, 0, 3).unbind()
        scores = torch.softmax(q.matmul(k.transpose(-1, -2)).mul(0.25), -1)
        y = x + F.linear(scores.matmul(v).transpose(0, 1).reshape(16, 64), p["1.weight"], p["1.bias"])
        z = F.gelu(F.linear(F.layer_norm(y, (64,)), p["2.weight"], p["2.bias"]))
        return (y + F.linear(z, p["3.weight"], p["3.bias"])).square().mean()

    p = parameters_of(net)
    each = vmap(grad(block), (None, 0))
    measure("gradients of 32 examples, transformer block", lambda: each(p, x))


def jacobians():
    net, scalar = mlp(32, 64, 32), mlp(32, 64, 1)

    def g(x):
        return scalar(x).sum()

    x, v, xs = torch.randn(32), torch.randn(32), torch.randn(16, 32)
    measure("jacrev of an MLP 32-64-64-32", lambda: jacrev(net)(x))
    measure("jacfwd of an MLP 32-64-64-32", lambda: jacfwd(net)(x))
    measure("Hessian of an MLP 32-64-64-1", lambda: hessian(g)(x))
    measure("Hessians of 16 examples", lambda: vmap(hessian(g))(xs))
    measure("product with the Hessian", lambda: jvp(grad(g), (x,), (v,)))
    measure("jvp of an MLP", lambda: jvp(net, (x,), (v,)))


def filters():
    def step(s):
        p, v = s[:3], s[3:]
        speed = v.square().sum().sqrt()
        return torch.cat([p + 0.01 * v, v - 0.01 * (0.1 * speed * v + p.sin())])

    s = torch.randn(1024, 6)
    each = vmap(jacfwd(step))
    measure("Jacobians of 1024 filters, 6 states", lambda: each(s))


def kalman():
    def move(s):
        p, v = s[:3], s[3:]
        return torch.cat([p + 0.01 * v, v - 0.01 * (0.1 * v.norm() * v + p.sin())])

    def measure_at(s):
        return torch.stack([s[:3].norm(), torch.atan2(s[1], s[0])])

    one, noise = torch.eye(6), 0.1 * torch.eye(2)

    def step(s, cov, z):
        f, at = jacfwd(move)(s), move(s)
        predicted = f @ cov @ f.t() + 0.01 * one
        h = jacrev(measure_at)(at)
        ph = predicted @ h.t()
        gain = torch.linalg.solve(h @ ph + noise, ph.t()).t()
        return at + gain.mv(z - measure_at(at)), (one - gain @ h) @ predicted

    s, cov, z = torch.randn(256, 6), one.repeat(256, 1, 1), torch.randn(256, 2)
    each = vmap(step)
    measure("step of 256 extended Kalman filters, 6 states", lambda: each(s, cov, z))


def implicit_layer():
    w, x = 0.05 * torch.randn(64, 64), torch.randn(32, 64)

    def f(z, w, x):
        return (z @ w.t() + x).tanh()

    def gradient():
        z = torch.zeros_like(x)
        for _ in range(20):
            z = f(z, w, x)
        _, pull = vjp(f, z, w, x)
        u = z
        for _ in range(20):
            u = z + pull(u)[0]
        return pull(u)

    measure("gradient of an implicit layer, 32 x 64", gradient)


def laplacians():
    for d in (3, 10, 30):
        net = mlp(d, 64, 1)
        p = parameters_of(net)

        def u(x):
            return functional_call(net, p, x).squeeze(-1)

        xs, axes = torch.randn(64, d), torch.eye(d).repeat(64, 1)
        each = vmap(lambda x: hessian(u)(x).diagonal().sum())

        def directions():
            rows = xs.repeat_interleave(d, 0)
            return jvp(lambda x: jvp(u, (x,), (axes,))[1], (rows,), (axes,))[1].view(64, d).sum(1)

        name = f"Laplacian of an MLP in {d} dimensions"
        measure(name, lambda: each(xs))
        measure(name + ", by directions", directions)


def equations():
    net = mlp(2, 64, 1)
    p, xs = parameters_of(net), torch.rand(512, 2)

    def residual(p, x):
        def u(at):
            return functional_call(net, p, at).squeeze(-1)

        return (hessian(u)(x).diagonal().sum() + u(x).sin()).square()

    step = grad(lambda p: vmap(residual, (None, 0))(p, xs).mean())
    measure("step of an equation of second order, 512 points", lambda: step(p))


def forces():
    atoms, features = 8, 16
    net = mlp(features, 64, 1)
    i, j = pairs = torch.triu_indices(atoms, atoms, 1)
    centers = torch.linspace(0.5, 3, features)
    ends = torch.zeros(atoms, i.numel()).scatter_(0, pairs, torch.ones(2, i.numel()))
    x, e, f = torch.randn(64, atoms, 3), torch.randn(64), torch.randn(64, atoms, 3)
    sgd = torch.optim.SGD(net.parameters(), lr=1e-4, momentum=0.9)

    def energy(at):
        r = (at.index_select(0, i) - at.index_select(0, j)).norm(2, 1).unsqueeze(1)
        return net(ends.matmul((-4 * (r - centers).square()).exp())).sum()

    def loss():
        slope, value = vmap(grad_and_value(energy))(x)
        return F.mse_loss(value, e) + F.mse_loss(-slope, f)

    def step(compute):
        sgd.zero_grad()
        compute().backward()
        sgd.step()

    measure("force matching, 64 clusters of 8 atoms", lambda: step(loss))
    compiled = torch.compile(loss)
    measure("force matching, captured", lambda: step(compiled))


if __name__ == "__main__":
    import sys

    torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    torch.manual_seed(0)
    gradients_of_examples()
    gradients_of_blocks()
    jacobians()
    filters()
    kalman()
    implicit_layer()
    laplacians()
    equations()
    forces()
