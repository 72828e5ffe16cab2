#!/usr/bin/env python3
"""Checks gradbench's answers with NumPy, and with PyTorch if it is installed.

check.py PROGRAM [--sample] [--slow] [--seconds S] [MODULE...]

Prints a table of times and differences. --sample takes small inputs, and no PyTorch. --slow adds the functions of
particle that take minutes. Exits with 1 if an answer is wrong.
"""
import argparse
import itertools
import json
import subprocess
import sys
import time

try:
    import numpy as np
except ImportError:
    print("not run: NumPy is missing")
    sys.exit(77)

sys.dont_write_bytecode = True  # beside the sources
import reference

TOLERANCE = 1e-7


def to_lists(value):
    """Returns a value with lists in place of arrays."""
    if isinstance(value, dict):
        return {name: to_lists(each) for name, each in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


class Program:
    """A process that speaks the protocol."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ids = itertools.count()

    def send(self, kind, **more):
        message = {"id": next(self.ids), "kind": kind, **more}
        print(json.dumps(message), file=self.process.stdin, flush=True)
        response = json.loads(self.process.stdout.readline() or '{"error": "the program ended"}')
        if response.get("id") != message["id"] or not response.get("success", kind in ("start", "analysis")):
            sys.exit(f"check.py: {more.get('module')} {more.get('function')}: {response.get('error', response)}")
        return response

    def evaluate(self, module, function, at, seconds):
        """Returns the output and the least time in seconds."""
        if isinstance(at, dict):
            at = {**to_lists(at), "min_runs": 3 if seconds else 1, "min_seconds": seconds}
        r = self.send("evaluate", module=module, function=function, input=at)
        times = [t["nanoseconds"] for t in r["timings"] if t["name"] == "evaluate"]
        return r["output"], min(times) * 1e-9


def difference(got, expected):
    """Returns the largest difference, relative to numbers above 1. It is infinite for other shapes."""
    if isinstance(expected, dict):
        if not isinstance(got, dict) or got.keys() != expected.keys():
            return np.inf
        return max(difference(got[name], expected[name]) for name in expected)
    got, expected = np.asarray(got, dtype=float), np.asarray(expected, dtype=float)
    if got.shape != expected.shape:
        return np.inf
    d = np.abs(got - expected) / np.maximum(1, np.abs(got) + np.abs(expected))
    return np.inf if np.isnan(d).any() else d.max(initial=0)


# A check takes an output, and returns the largest difference.
def equals(expected):
    return lambda got: difference(got, expected)


def gradient_of(f, x, rng):
    """Checks a gradient, flat or by name, along random directions and along some of the axes."""
    def check(got):
        got = np.concatenate([np.ravel(g) for g in got.values()]) if isinstance(got, dict) else np.asarray(got)
        if got.shape != (sum(a.size for a in x),):
            return np.inf
        axes = rng.permutation(got.size)[:40]
        directions = [*rng.normal(size=(4, got.size)), *(np.eye(1, got.size, i)[0] for i in axes)]
        ends = np.cumsum([a.size for a in x])[:-1]
        return max(
            difference(got @ v, reference.along(f, x, [b.reshape(a.shape) for a, b in zip(x, np.split(v, ends))]))
            for v in directions)

    return check


def hand_jacobian(at, rng):
    """Checks the columns of the parameters, after two columns of each point's own place."""
    def check(got):
        got, points = np.asarray(got), len(at["us"])
        own = 2 if points else 0
        if got.shape != (3 * len(at["data"]["points"]), own + 26):
            return np.inf
        us, worst = np.reshape(at["us"], (points, 2)).astype(float), 0
        for v in [*np.eye(26), rng.normal(size=26)]:
            u = rng.normal(size=us.shape)
            product = got[:, own:] @ v
            if points:
                product += (got[:, :2].reshape(points, 3, 2) @ u[:, :, None]).flatten()
            worst = max(worst, difference(
                product, reference.along(lambda us, theta: reference.ht(at, us, theta), [us, at["theta"]], [u, v])))
        return worst

    return check


def cases(sample, slow):
    """Yields module, description, input and a check for each function."""
    rng = np.random.default_rng(7)

    def scalar(f, x):  # a function of arrays, and its gradient
        return equals(f(*x)), gradient_of(f, x, rng)

    yield "hello", "", 1.5, {"square": equals(2.25), "double": equals(3)}
    for d, k, n in [(1, 2, 5), (3, 4, 20)] if sample else [(2, 5, 1000), (10, 25, 1000), (32, 50, 1000), (64, 100, 1000)]:
        at = reference.gmm_input(rng, d, k, n)
        value, slope = scalar(lambda *x: reference.gmm(at, *x), [at[name] for name in ("alpha", "mu", "q", "l")])
        ordered = lambda got, slope=slope: slope({name: got[name] for name in ("alpha", "mu", "q", "l")})
        yield "gmm", f"d={d} k={k} n={n}", at, {"objective": value, "jacobian": ordered}
    for n, m, p in [(2, 3, 40)] if sample else [(49, 7776, 31843), (372, 47423, 204472)]:
        at = reference.ba_input(rng, n, m, p)
        for turned in [True, False] if sample else [True]:
            at = {**at, "cam": at["cam"] * np.array([turned] * 3 + [True] * 8)}
            yield "ba", f"n={n} m={m} p={p}", at, {"objective": equals(reference.ba_objective(at)),
                                                  "jacobian": equals(reference.ba_jacobian(at))}
    for v, t, p, on in [(30, 20, 8, True), (30, 20, 7, False)] if sample else [
            (544, 1000, 100, True), (544, 1000, 3200, True), (10000, 1000, 100, True), (10000, 1000, 800, False)]:
        at = reference.ht_input(rng, v, t, p, on)
        us = np.reshape(at["us"], (-1, 2))
        yield "ht", f"{v} vertices {p} points", at, {"objective": equals(reference.ht(at, us, at["theta"])),
                                                     "jacobian": hand_jacobian(at, rng)}
    for l, c in [(2, 12)] if sample else [(2, 1024), (4, 1024)]:
        at = reference.lstm_input(rng, l, c)
        value, slope = scalar(lambda *x: reference.lstm(at, *x), [at["main_params"], at["extra_params"]])
        yield "lstm", f"l={l} c={c}", at, {"objective": value, "jacobian": slope}
    for k, n, d in [(5, 60, 3)] if sample else [(10, 1000, 8), (100, 10000, 8), (1000, 10000, 16)]:
        at = reference.kmeans_input(rng, k, n, d)
        cost, direction = reference.kmeans(at)
        yield "kmeans", f"k={k} n={n} d={d}", at, {"cost": equals(cost), "dir": equals(direction)}
    at = {"w": 0.0}
    modes = ["fr"] + ["ff"] * (not sample) + ["rf", "rr"] * slow
    yield "particle", "", at, dict.fromkeys(modes, equals(reference.particle(at)))
    at = {"start": [1.0, 1.0]}
    if not sample:
        yield "saddle", "", at, dict.fromkeys(["ff", "fr", "rf", "rr"], equals(reference.saddle(at)))
    for n, s in [(6, 3)] if sample else [(1000, 10), (1000, 100), (100000, 10)]:
        at = {"x": rng.random(n), "s": s}
        last = gradient_of(lambda x: reference.ode(at, x)[-1], [at["x"]], rng)
        yield "ode", f"n={n} s={s}", at, {"primal": equals(reference.ode(at, at["x"])), "gradient": last}
    for n in [7] if sample else [2500, 80000, 1280000]:
        at = {"x": 100 * rng.random(n)}
        value, slope = scalar(reference.log_sum_exp, [at["x"]])
        yield "lse", f"n={n}", at, {"primal": value, "gradient": slope}
    for m, n in [(1, 2), (4, 9)] if sample else [(128, 16), (128, 1024), (128, 16392)]:
        at = {"x": rng.random(m), "n": n}
        value, slope = scalar(lambda x: reference.llsq(at, x), [at["x"]])
        yield "llsq", f"m={m} n={n}", at, {"primal": value, "gradient": slope}
    for ell in [1, 2, 5] if sample else [5, 8, 11]:
        at = {"A": rng.random(ell * ell), "ell": ell}
        value, slope = scalar(lambda x: reference.det(at, x), [at["A"]])
        yield "det", f"ell={ell}", at, {"primal": value, "gradient": slope}


def time_of(f, seconds):
    """Returns the result and the least time of three or more calls."""
    times = []
    while len(times) < 3 or sum(times) < seconds:
        start = time.perf_counter()
        result = f()
        times.append(time.perf_counter() - start)
    return result, min(times)


def output_of(module, function, result):
    """Returns PyTorch's result in the form of the protocol."""
    if module == "ba" and function == "objective":
        p = len(result[1])
        return {"reproj_error": {"elements": result[0][0], "repeated": p}, "w_err": {"element": result[1][0], "repeated": p}}
    if module == "ba":
        return dict(zip(("rows", "cols", "vals"), (np.concatenate([t[:30], t[-1:]]) for t in result)))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    peer = None
    if not options.sample:
        try:
            import torch
            import with_torch as peer
            torch.set_num_threads(1)
        except ImportError:
            print("PyTorch is not installed")
    program, wrong, seconds = Program(options.program), 0, 0 if options.sample else options.seconds
    program.send("start")
    print(f"{'':48} {'Taper ms':>10} {'PyTorch ms':>10} {'times':>7} {'difference':>10}")
    for module, description, at, checks in cases(options.sample, options.slow):
        if options.modules and module not in options.modules:
            continue
        program.send("define", module=module)
        theirs = peer.functions_of(module, at) if peer else {}
        for function, check in checks.items():
            output, mine = program.evaluate(module, function, at, seconds)
            worst, columns = check(output), f"{mine * 1e3:10.3f} {'-':>10} {'-':>7}"
            if function in theirs:
                result, taken = time_of(theirs[function], seconds)
                worst = max(worst, difference(output, output_of(module, function, result)))
                columns = f"{mine * 1e3:10.3f} {taken * 1e3:10.3f} {taken / mine:7.2f}"
            wrong += not worst <= TOLERANCE
            print(f"{module + ' ' + function + ' ' + description:48} {columns} {worst:10.1e}"
                  f"{'' if worst <= TOLERANCE else '  WRONG'}", flush=True)
    print(f"{wrong} answers are wrong" if wrong else "all answers are right")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
