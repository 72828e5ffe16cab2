"""Writes optim_reference.txt: PyTorch's optimizers and schedules for tests/optim/reference_test.cpp.

Run by hand with PyTorch 1.13: python3 make_optim_reference.py > optim_reference.txt
Every line is a case's name, then its values: of an optimizer the parameter after each step, of a
schedule the rates of both groups (and the first group's momentum) from the start. The cases are
those of reference_test.cpp, line by line.
"""
import math
import sys
import warnings

import torch
from torch import optim
from torch.optim import lr_scheduler as lr

warnings.simplefilter("ignore")
torch.set_default_dtype(torch.float64)
STEPS = 12


def nadam(params, grads, exp_avgs, exp_avg_sqs, mu_products, state_steps, *, beta1, beta2, lr,
          weight_decay, momentum_decay, eps, **_):
    """The formula since PyTorch 2.0: 1.13 has mu twice in the product for the next step."""
    for p, g, m, v, product, t in zip(params, grads, exp_avgs, exp_avg_sqs, mu_products,
                                      state_steps):
        t += 1
        n = t.item()
        g = g.add(p, alpha=weight_decay)
        mu = beta1 * (1 - 0.5 * 0.96 ** (n * momentum_decay))
        mu_next = beta1 * (1 - 0.5 * 0.96 ** ((n + 1) * momentum_decay))
        product *= mu
        m.mul_(beta1).add_(g, alpha=1 - beta1)
        v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
        d = v.div(1 - beta2**n).sqrt().add_(eps)
        p.addcdiv_(g, d, value=-lr * (1 - mu) / (1 - product.item()))
        p.addcdiv_(m, d, value=-lr * mu_next / (1 - product.item() * mu_next))


sys.modules["torch.optim.nadam"]._single_tensor_nadam = nadam


def path(make, also=None):
    p = torch.nn.Parameter(torch.tensor([0.5 * i - 1.3 for i in range(5)]))
    o = make([p])
    values = []
    for t in range(STEPS):
        p.grad = torch.tensor([math.sin(1 + 2.5 * t + 1.7 * i) * (1 + i % 3) for i in range(5)])
        o.step()
        values += p.tolist()
    return values + (o.state[p][also].tolist() if also else [])


def valley(make, steps=5):
    """Rosenbrock's valley in two parameters, one of them a matrix."""
    a = torch.nn.Parameter(torch.tensor([-1.2]))
    b = torch.nn.Parameter(torch.tensor([[1.0, 0.5], [-0.3, 0.8]]))
    o = make([a, b])

    def closure():
        o.zero_grad()
        x = torch.cat([a, b.flatten()])
        loss = (10 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
        loss.backward()
        return loss

    values = []
    for _ in range(steps):
        values.append(o.step(closure).item())
        values += a.tolist() + b.flatten().tolist()
    return values + [o.state[a]["func_evals"], o.state[a]["n_iter"]]


def rates(make, momentum=None, steps=25):
    p, q = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    o = (optim.Adam if momentum == "betas" else optim.SGD)(
        [{"params": [p], "lr": 0.4}, {"params": [q], "lr": 0.2}], lr=0.4,
        **({"momentum": 0.5} if momentum == "momentum" else {}))
    s = make(o)
    values = []
    for _ in range(steps):
        values += [g["lr"] for g in o.param_groups]
        if momentum:
            m = o.param_groups[0][momentum]
            values.append(m[0] if momentum == "betas" else m)
        o.step()
        s.step()
    return values


def sequence(o):
    return lr.SequentialLR(o, [lr.LinearLR(o, 0.1, 1, 4), lr.ExponentialLR(o, 0.9),
                               lr.CosineAnnealingLR(o, 10)], [4, 12])


CASES = {
    "adadelta": lambda: path(lambda p: optim.Adadelta(p)),
    "adadelta.options": lambda: path(
        lambda p: optim.Adadelta(p, lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1)),
    "adamax": lambda: path(lambda p: optim.Adamax(p)),
    "adamax.options": lambda: path(
        lambda p: optim.Adamax(p, lr=0.05, betas=(0.8, 0.99), eps=1e-3, weight_decay=0.1)),
    "nadam": lambda: path(lambda p: optim.NAdam(p)),
    "nadam.options": lambda: path(
        lambda p: optim.NAdam(p, lr=0.05, betas=(0.8, 0.99), eps=1e-3, weight_decay=0.1,
                              momentum_decay=0.05)),
    "radam": lambda: path(lambda p: optim.RAdam(p)),
    "radam.options": lambda: path(
        lambda p: optim.RAdam(p, lr=0.05, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1)),
    "asgd": lambda: path(lambda p: optim.ASGD(p), "ax"),
    "asgd.options": lambda: path(
        lambda p: optim.ASGD(p, lr=0.1, lambd=0.01, alpha=0.6, t0=3, weight_decay=0.1), "ax"),
    "rprop": lambda: path(lambda p: optim.Rprop(p)),
    "rprop.options": lambda: path(
        lambda p: optim.Rprop(p, lr=0.1, etas=(0.4, 1.5), step_sizes=(0.05, 0.3))),
    "lbfgs": lambda: valley(lambda p: optim.LBFGS(p, lr=0.1)),
    "lbfgs.wolfe": lambda: valley(lambda p: optim.LBFGS(p, line_search_fn="strong_wolfe"), 2),
    "lbfgs.options": lambda: valley(
        lambda p: optim.LBFGS(p, lr=0.5, max_iter=6, max_eval=9, history_size=2,
                              line_search_fn="strong_wolfe")),
    "constant": lambda: rates(lambda o: lr.ConstantLR(o, 0.25, 7)),
    "linear": lambda: rates(lambda o: lr.LinearLR(o)),
    "linear.options": lambda: rates(lambda o: lr.LinearLR(o, 0.2, 0.6, 9)),
    "polynomial": lambda: rates(lambda o: lr.PolynomialLR(o, 8, 2.0)),
    "restarts": lambda: rates(lambda o: lr.CosineAnnealingWarmRestarts(o, 4)),
    "restarts.options": lambda: rates(lambda o: lr.CosineAnnealingWarmRestarts(o, 3, 2, 0.05)),
    "multiplicative": lambda: rates(lambda o: lr.MultiplicativeLR(o, lambda n: 1 - 1 / (n + 2))),
    "sequential": lambda: rates(sequence),
    "onecycle": lambda: rates(lambda o: lr.OneCycleLR(o, 0.5, 26), "momentum"),
    "onecycle.three": lambda: rates(
        lambda o: lr.OneCycleLR(o, 0.5, 26, pct_start=0.4, anneal_strategy="linear",
                                div_factor=10, final_div_factor=100, three_phase=True), "betas"),
    "cyclic": lambda: rates(lambda o: lr.CyclicLR(o, 0.1, 0.6, 4), "momentum"),
    "cyclic.halved": lambda: rates(
        lambda o: lr.CyclicLR(o, 0.1, 0.6, 3, 5, mode="triangular2"), "momentum"),
    "cyclic.falling": lambda: rates(
        lambda o: lr.CyclicLR(o, 0.1, 0.6, 4, mode="exp_range", gamma=0.9, cycle_momentum=False)),
}

if __name__ == "__main__":
    for name, case in CASES.items():
        print(name, *("%.17g" % v for v in case()))
