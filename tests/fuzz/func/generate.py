#!/usr/bin/env python3
"""Makes random functions of torch.func for run.py, and computes their results with Python's torch.

    generate.py --work DIR [--programs N] [--seed S] [--per-file N]

Writes DIR/programs_I.cpp, and DIR/want.json: for each program its number, its text in both languages, and the sizes
and the elements of the result. Functions that Python's torch cannot transform, and those with values that are not
finite or large, are not taken. A warning of Python is no error."""
import argparse
import collections
import json
import math
import os
import random
import sys
import warnings

import ops
from ops import shape, to_cpp

LARGEST = 1e6  # an element of a result
MOST = 4000  # elements of a result
ORDER = 3  # derivatives of derivatives: the work grows by a factor with each


# ---------------------------------------------------------------- as in program.h
def noise(k, i):
    h = ((i + 1 + 1000 * k) * 2654435761) & 0xFFFFFFFF
    h ^= h >> 16
    h = (h * 2246822519) & 0xFFFFFFFF
    return h ^ (h >> 13)


def C(k, sizes):
    n = math.prod(sizes)
    return torch.tensor([noise(k, i) / 2147483648.0 - 1 for i in range(n)], dtype=torch.float64).reshape(list(sizes))


def I(k, sizes, n):  # noqa: E743
    return torch.tensor([noise(k, i) % n for i in range(math.prod(sizes))], dtype=torch.int64).reshape(list(sizes))


def M(k, sizes):
    return I(k, sizes, 2) == 1


def LN(x):
    """layer_norm over the last dimension. The gradient of the tangent of Python's own is wrong."""
    return (x - x.mean(-1, True)) / torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + 1e-5)


def cdist(x, y):
    """Distances of rows. A batch of gradients of Python's own is wrong."""
    return (x.unsqueeze(-2) - y.unsqueeze(-3)).square().sum(-1).sqrt()


def like(k, t):
    return C(k, t.shape)


def flat(*all):
    return torch.cat([t.reshape(-1) for t in all])


def S(f, k):
    def one(x, w):
        y = f(x, w)
        return (y * like(k, y)).sum()
    return one


def grad_aux(f, k):
    def both(x, w):
        y = f(x, w)
        return (y * like(k, y)).sum(), y
    return lambda x, w: flat(*F.grad(both, has_aux=True)(x, w))


def vjp(f, k):
    def g(x, w):
        y, pull = F.vjp(f, x, w)
        return flat(*pull(like(k, y)))
    return g


def vjp_both(f, k):
    def g(x, w):
        y, pull = F.vjp(lambda x: f(x, w), x)
        return flat(y, *pull(like(k, y)), *pull(like(k + 1, y)))
    return g


def linearize(f, k):
    def g(x, w):
        y, push = F.linearize(f, x, w)
        return flat(y, push(like(k, x), like(k + 1, w)), push(like(k + 2, x), like(k + 3, w)))
    return g


def linearize_by_jvp(f, k):
    return lambda x, w: flat(f(x, w), tangents(f, k, x, w)[1], tangents(f, k + 2, x, w)[1])


def vjp_batch(f, k):
    def g(x, w):
        y, pull = F.vjp(f, x, w)
        return F.vmap(lambda v: flat(*pull(v)))(C(k, [3, *y.shape]))
    return g


def tangents(f, k, x, w):
    return F.jvp(f, (x, w), (like(k, x), like(k + 1, w)))


TRANSFORMATIONS = {
    "grad0": lambda f, k: F.grad(S(f, k)), "grad1": lambda f, k: F.grad(S(f, k), argnums=1),
    "grad01": lambda f, k: lambda x, w: flat(*F.grad(S(f, k), argnums=(0, 1))(x, w)),
    "grad_and_value": lambda f, k: lambda x, w: flat(*F.grad_and_value(S(f, k))(x, w)), "grad_aux": grad_aux,
    "jacrev0": lambda f, k: F.jacrev(f), "jacrev1": lambda f, k: F.jacrev(f, argnums=1),
    "jacrev_chunks": lambda f, k: F.jacrev(f, chunk_size=2),
    "jacrev01": lambda f, k: lambda x, w: flat(*F.jacrev(f, argnums=(0, 1))(x, w)),
    "jacfwd0": lambda f, k: F.jacfwd(f), "jacfwd1": lambda f, k: F.jacfwd(f, argnums=1),
    "jacfwd_chunks": lambda f, k: F.jacfwd(f),
    "jacfwd01": lambda f, k: lambda x, w: flat(*F.jacfwd(f, argnums=(0, 1))(x, w)),
    "hessian0": lambda f, k: F.hessian(S(f, k)), "hessian1": lambda f, k: F.hessian(S(f, k), argnums=1),
    "hessian_all": lambda f, k: F.hessian(f),
    "jvp": lambda f, k: lambda x, w: tangents(f, k, x, w)[1], "jvp_both": lambda f, k: lambda x, w: flat(*tangents(f, k, x, w)),
    "jvp0": lambda f, k: lambda x, w: F.jvp(lambda x: f(x, w), (x,), (like(k, x),))[1],
    "jvp1": lambda f, k: lambda x, w: F.jvp(lambda w: f(x, w), (w,), (like(k, w),))[1],
    "vjp": vjp, "vjp_both": vjp_both, "linearize": linearize,
    "jvp_batch": lambda f, k: lambda x, w: F.vmap(lambda t: F.jvp(lambda x: f(x, w), (x,), (t,))[1])(C(k, [3, *x.shape])),
    "vjp_batch": vjp_batch,
}


# ---------------------------------------------------------------- functions
class Body:
    """Statements of a random function of x and w, in both languages, run as they are made."""

    def __init__(self, r, x, w):
        self.r, self.values, self.python, self.cpp, self.last, self.names = r, {"x": x, "w": w}, [], [], None, []

    def other(self, sizes, exact=False, again=False):
        """A second operand of the sizes, or one that broadcasts to them."""
        if again:
            return self.last
        sizes = list(sizes)
        same = [n for n, t in self.values.items() if list(t.shape) == sizes]
        if not exact:
            if sizes and self.r.random() < 0.3:
                sizes = sizes[self.r.randrange(len(sizes)):]
            if sizes and self.r.random() < 0.2:
                sizes[self.r.randrange(len(sizes))] = 1
        if same and self.r.random() < 0.6:
            self.last = self.r.choice(same)
        else:
            self.last = "C(%d, %s)" % (self.r.randrange(1000), shape(sizes))
        return self.last

    def run(self, python, cpp):
        exec(python, names_of_functions(), self.values)
        self.python.append(python)
        self.cpp.append(cpp)

    def add(self, text, at):
        """Adds `name = text` for x at a variable."""
        name = "v%d" % len(self.python)
        pair = text if isinstance(text, tuple) else (text, to_cpp(text))
        python, cpp = (t.replace("{x}", at) for t in pair)
        self.run("%s = %s" % (name, python), "Tensor %s = %s;" % (name, cpp))
        return name

    def change(self, lines, at):
        name = "v%d" % len(self.python)
        for i, line in enumerate(lines):
            pair = line if isinstance(line, tuple) else (line, to_cpp(line))
            python, cpp = (t.replace("V", name, 1).replace("{x}", at) for t in pair)
            self.run(python, "Tensor %s;" % cpp if i == 0 else cpp + ";")
        return name


def names_of_functions():
    return {"torch": torch, "C": C, "I": I, "M": M, "LN": LN, "cdist": cdist}


def random_body(r, x, w):
    body = Body(r, x, w)
    at, count, mixed = "x", r.randint(2, 5), r.randrange(3)
    families = [f for f, weight in ops.FAMILIES for _ in range(weight)]
    while len(body.names) < count:
        value = body.values[at]
        if len(body.names) == mixed and r.random() < 0.85:
            try:
                at = body.add(r.choice(["%s * w", "w - %s", "torch.sin(w) * %s", "%s + w * w", "%s / (w * w + 1.1)"]) % at, at)
            except (RuntimeError, IndexError):
                pass
            mixed = -1
            value = body.values[at]
        family = r.choice(families)
        text = family(r, value, body.other)
        if text is None:
            continue
        try:
            at = body.change(text, at) if family is ops.change else body.add(text, at)
        except (RuntimeError, IndexError, ValueError, TypeError) as e:
            REFUSED[str(e)[:60]] += 1
            raise Unsuitable
        value = body.values[at]
        body.names.append(family.__name__)
        if value.numel() > 60 or value.numel() == 0 or value.dim() > 5 or not torch.isfinite(value).all() or value.abs().max() > 1e3:
            raise Unsuitable
    if value.dtype != torch.float64:
        raise Unsuitable
    return body, at


class Unsuitable(Exception):
    pass


REFUSED = collections.Counter()


def batched(r, sizes, size):
    """Sizes with a batch at a random dimension."""
    d = r.randrange(len(sizes) + 1)
    named = d if r.random() < 0.7 else d - len(sizes) - 1
    return [*sizes[:d], size, *sizes[d:]], named


def random_program(r, number):
    sizes = r.choice([[], [3], [4], [2, 3], [3, 2], [3, 3], [2, 2], [2, 1, 3], [1, 2, 2], [5]])
    of_w = r.choice([sizes, sizes[-1:], [], [1] * len(sizes)])
    kx, kw = r.randrange(1000), r.randrange(1000)
    body, last = random_body(r, C(kx, sizes), C(kw, of_w))
    python = ["def f0(x, w):", *("    " + line for line in body.python), "    return " + last]
    cpp = ["const Function f0 = [](const Tensor& x, const Tensor& w) -> Tensor {", *("  " + line for line in body.cpp),
           "  return %s;" % last, "};"]
    chain, order = [], 0
    for i in range(1, r.choice([1, 1, 2, 2, 2, 3, 3]) + 1):
        if r.random() < 0.35:
            size = r.choice([2, 3])
            (sizes, dx), (of_w, dw) = batched(r, sizes, size), batched(r, of_w, size)
            share = r.randrange(4)
            if share == 0:
                dx, sizes = None, sizes[:dx] + sizes[dx + 1:] if dx >= 0 else sizes[:dx] + sizes[len(sizes) + dx + 1:]
            elif share == 1:
                dw, of_w = None, of_w[:dw] + of_w[dw + 1:] if dw >= 0 else of_w[:dw] + of_w[len(of_w) + dw + 1:]
            out, chunk = r.choice([0, 0, -1]), r.choice([0, 0, 0, 2])
            python.append("f%d = F.vmap(f%d, in_dims=(%s, %s), out_dims=%d, chunk_size=%s)" % (i, i - 1, dx, dw, out, chunk or None))
            cpp.append("const Function f%d = vmap(f%d, %s, %s, %d, %d);" % (
                i, i - 1, *("torch::nullopt" if d is None else "torch::optional<int64_t>(%d)" % d for d in (dx, dw)), out, chunk))
            chain.append("vmap")
        else:
            name, k = r.choice(list(TRANSFORMATIONS)), r.randrange(1000)
            order += 2 if "hessian" in name else 1
            if order > ORDER:
                raise Unsuitable
            python.append("f%d = %s(f%d, %d)" % (i, name, i - 1, k))
            cpp.append("const Function f%d = %s(f%d, %d);" % (i, name, i - 1, k))
            chain.append(name)
    python.append("result = f%d(C(%d, %s), C(%d, %s))" % (len(chain), kx, shape(sizes), kw, shape(of_w)))
    cpp.append("return f%d(C(%d, %s), C(%d, %s));" % (len(chain), kx, to_cpp("(" + shape(sizes))[1:], kw, to_cpp("(" + shape(of_w))[1:]))
    values = {**names_of_functions(), **TRANSFORMATIONS, "F": F}
    try:
        exec("\n".join(python), values)
        if "linearize" in chain:  # Python's own loses parts of some derivatives
            by_linearize = values["result"]
            values["linearize"] = linearize_by_jvp
            exec("\n".join(python), values)
            if not torch.allclose(by_linearize, values["result"], rtol=1e-9, atol=1e-9):
                REFUSED["Python's linearize differs from its jvp (taken)"] += 1
    except Exception as e:  # whatever Python's torch lacks
        REFUSED[type(e).__name__ + ": " + str(e).split("\n")[0][:70]] += 1
        raise Unsuitable
    y = values["result"].detach().to(torch.float64)
    if y.numel() > MOST or not torch.isfinite(y).all() or y.numel() and y.abs().max() > LARGEST:
        raise Unsuitable
    if not y.any() and r.random() < 0.9:  # says little
        raise Unsuitable
    return {"number": number, "chain": chain, "ops": body.names, "python": python, "cpp": cpp, "sizes": list(y.shape),
            "values": y.reshape(-1).tolist()}


def write_cpp(path, programs, name):
    with open(path, "w") as out:
        out.write('#include "program.h"\n\nvoid %s() {\n' % name)
        for p in programs:
            out.write("  show(%d, []() -> Tensor {\n" % p["number"])
            out.writelines("    %s\n" % line for line in p["cpp"])
            out.write("  });\n")
        out.write("}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-file", type=int, default=50)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    programs, tried = [], 0
    while len(programs) < args.programs:
        tried += 1
        try:
            programs.append(random_program(random.Random(args.seed * 1000003 + tried), len(programs)))
        except Unsuitable:
            continue
    for i in range(0, len(programs), args.per_file):
        name = "programs_%d" % (i // args.per_file)
        write_cpp(os.path.join(args.work, name + ".cpp"), programs[i:i + args.per_file], name)
    with open(os.path.join(args.work, "want.json"), "w") as out:
        json.dump({"torch": torch.__version__, "tried": tried, "programs": programs, "refused": REFUSED.most_common(40)}, out)


try:
    import torch
    import torch.func as F
except ImportError as error:
    print("func: skipped, Python's torch cannot be imported (%s)" % error)
    sys.exit(77)
if __name__ == "__main__":
    main()
