"""The same functions with PyTorch: functions_of(module, input) gives them by name."""
import math

import numpy as np
import torch
from torch.func import grad, jacfwd, jacrev, jvp, vmap

torch.set_default_dtype(torch.float64)


def tensor(value):
    return torch.from_numpy(np.array(value, dtype=np.float64))


def square(x):
    return x * x


def log_sum_exp(x):
    largest = x.max()
    return largest + (x - largest).exp().sum().log()


def misfit(x, n):
    t = torch.arange(n) * 2 / (n - 1) - 1
    powers = torch.cat([torch.ones(n, 1), t[:, None].expand(n, len(x) - 1)], 1).cumprod(1)
    return 0.5 * (t.sign() - powers.mv(x)).square().sum()


def gmm(points, m, gamma, alpha, mu, q, l):
    n, d, k = *points.shape, len(alpha)
    columns, rows = torch.triu_indices(d, d, 1)
    at = torch.cat([torch.arange(d) * (d + 1), rows * d + columns])
    factor = torch.zeros(k, d * d).index_copy(1, at, torch.cat([q.exp(), l], 1)).view(k, d, d)
    y = torch.nn.functional.linear(points, factor.view(k * d, d), -(factor @ mu[:, :, None]).flatten()).view(n, k, d)
    terms = alpha + q.sum(1) - 0.5 * y.square().sum(2)
    degrees = d + m + 1
    prior = degrees * d * math.log(gamma / math.sqrt(2)) - torch.special.multigammaln(torch.tensor(degrees / 2), d)
    return (terms.logsumexp(1).sum() - n * (d / 2 * math.log(2 * math.pi) + alpha.logsumexp(0)) + k * prior
            - gamma**2 / 2 * factor.square().sum() + m * q.sum())


def gmm_functions(at):
    x = [tensor(at[name]) for name in ("alpha", "mu", "q", "l")]
    points = tensor(at["x"])

    def f(*x):
        return gmm(points, at["m"], at["gamma"], *x)

    def jacobian():
        return dict(zip(("alpha", "mu", "q", "l"), grad(f, (0, 1, 2, 3))(*x)))

    return {"objective": lambda: f(*x), "jacobian": jacobian}


def rotate(r, x):
    square = r.square().sum()
    angle = torch.where(square == 0, 1.0, square).sqrt()
    axis, c = r / angle, angle.cos()
    turned = x * c + torch.linalg.cross(axis, x) * angle.sin() + axis * (axis * x).sum() * (1 - c)
    return torch.where(square == 0, x + torch.linalg.cross(r, x), turned)


def ba_error(cam, x, w, seen):
    at = rotate(cam[:3], x - cam[3:6])
    p = at[:2] / at[2]
    r2 = p.square().sum()
    return w * (p * (1 + cam[9] * r2 + cam[10] * r2.square()) * cam[6] + cam[7:9] - seen)


def ba_functions(at):
    n, m, p = at["n"], at["m"], at["p"]
    cams, points = tensor(at["cam"]).repeat(n, 1), tensor(at["x"]).repeat(m, 1)
    w, seen = torch.full((p,), at["w"]), tensor(at["feat"]).repeat(p, 1)
    cam, point = torch.arange(p) % n, torch.arange(p) % m

    def objective():
        return vmap(ba_error)(cams[cam], points[point], w, seen), 1 - w.square()

    def jacobian():
        c, x, v = vmap(jacrev(ba_error, (0, 1, 2)))(cams[cam], points[point], w, seen)
        values = torch.cat([torch.cat([c, x, v[:, :, None]], 2).flatten(), vmap(grad(lambda w: 1 - w.square()))(w)])
        first = 11 * n + 3 * m + torch.arange(p)
        columns = torch.cat([11 * cam[:, None] + torch.arange(11), 11 * n + 3 * point[:, None] + torch.arange(3),
                             first[:, None]], 1)
        starts = torch.cat([15 * torch.arange(2 * p), 30 * p + torch.arange(p + 1)])
        return starts, torch.cat([columns[:, None].expand(p, 2, 15).flatten(), first]), values

    return {"objective": objective, "jacobian": jacobian}


def rotation(r):
    angle = r.norm()
    if angle < 1e-4:
        return torch.eye(3)
    a, c, zero = r / angle, angle.cos(), torch.zeros(())
    cross = torch.stack([zero, -a[2], a[1], a[2], zero, -a[0], -a[1], a[0], zero]).view(3, 3)
    return c * torch.eye(3) + angle.sin() * cross + (1 - c) * torch.outer(a, a)


class Hand:
    def __init__(self, at):
        data = at["data"]
        model = data["model"]
        self.base, self.inverse = tensor(model["base_relatives"]), tensor(model["inverse_base_absolutes"])
        self.skin = (tensor(model["weights"])[:, :, None] * tensor(model["base_positions"])[:, None]).flatten(1)
        self.points, self.parents, self.mirrored = tensor(data["points"]), model["parents"], model["is_mirrored"]
        self.triangles = torch.tensor(model["triangles"])
        self.nearest = torch.tensor(data["correspondences"])

    def rotations(self, theta):
        first, second, third, fourth = theta[6:].view(5, 4).unbind(1)
        fixed = torch.zeros_like(first)
        pad = torch.nn.functional.pad
        bend = pad(torch.stack([fixed, first, third, fourth], 1).flatten(), (1, len(self.base) - 21))
        spread = pad(torch.stack([fixed, second, fixed, fixed], 1).flatten(), (1, len(self.base) - 21))
        c, s, C, S, zero = bend.cos(), bend.sin(), spread.cos(), spread.sin(), torch.zeros_like(bend)
        return torch.stack([C, -S * c, S * s, S, C * c, -C * s, zero, s, c], 1).view(-1, 3, 3)

    def vertices(self, theta):
        relative = torch.cat([self.base[:, :, :3] @ self.rotations(theta), self.base[:, :, 3:]], 2)
        places = []
        for i, parent in enumerate(self.parents):
            places.append(relative[i] if parent < 0 else places[parent] @ relative[i])
        moves = (torch.stack(places) @ self.inverse)[:, :3]
        if self.mirrored:
            moves = torch.tensor([[-1.0], [1], [1]]) * moves
        moves = rotation(theta[:3]) @ moves
        return self.skin @ moves.transpose(1, 2).reshape(-1, 3) + theta[3:6]

    def errors(self, theta, us):
        all = self.vertices(theta)
        if us is None:
            return self.points - all[self.nearest]
        corners = all[self.triangles[self.nearest].flatten()].view(-1, 3, 3)
        return self.points - (torch.cat([us, 1 - us.sum(1, True)], 1)[:, :, None] * corners).sum(1)


def ht_functions(at):
    hand, theta = Hand(at), tensor(at["theta"])
    us = tensor(at["us"]) if len(at["us"]) else None

    def jacobian():
        if us is None:
            return jacfwd(lambda p: hand.errors(p, None))(theta).flatten(0, 1)
        shifted = torch.cat([torch.zeros(2), theta])
        return jacfwd(lambda p: hand.errors(p[2:], us + p[:2]))(shifted).flatten(0, 1)

    return {"objective": lambda: hand.errors(theta, us).flatten(), "jacobian": jacobian}


def layer(weight, bias, state, x):
    w, b = weight.view(4, -1), bias.view(4, -1)
    forget, out = (x * w[0] + b[0]).sigmoid().unbind(), (x * w[2] + b[2]).sigmoid().unbind()
    (hidden, cell), all = state, []
    for f, o in zip(forget, out):
        enter, change = torch.addcmul(b[1], hidden, w[1]).sigmoid(), torch.addcmul(b[3], hidden, w[3]).tanh()
        cell = torch.addcmul(cell * f, enter, change)
        hidden = o * cell.tanh()
        all.append(hidden)
    return torch.stack(all)


def text_loss(layers, of_text, state, text):
    x = text[:-1] * of_text[0]
    for i in range(0, len(layers), 2):
        x = layer(layers[i], layers[i + 1], state[i:i + 2], x)
    y = x * of_text[1] + of_text[2]
    return -(text[1:] * (y - (y.exp().sum(1, True) + 2).log())).mean()


def lstm_functions(at):
    x = [tensor(at[name]) for name in ("main_params", "extra_params", "state", "sequence")]

    def jacobian():
        return torch.cat([g.flatten() for g in grad(text_loss, (0, 1))(*x)])

    return {"objective": lambda: text_loss(*x), "jacobian": jacobian}


def cluster_cost(centers, points):
    lengths = points.square().sum(1) + centers.square().sum(1, True)
    return (lengths - 2 * centers @ points.t()).min(0).values.sum()


def kmeans_functions(at):
    points, centers = tensor(at["points"]), tensor(at["centroids"])

    def direction():
        g, h = jvp(lambda c: grad(cluster_cost)(c, points), (centers,), (torch.ones_like(centers),))
        return g / h

    return {"cost": lambda: cluster_cost(centers, points), "dir": direction}


def solve_ode(x, steps):
    h, y, one = 2 / steps, torch.zeros_like(x), torch.ones(1)

    def slope(y):
        return x * torch.cat([one, y[:-1]])

    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
    return y


class Determinant:
    def __init__(self, n):
        sets = {k: [s for s in range(1 << n) if bin(s).count("1") == k] for k in range(1, n + 1)}
        self.tables = []
        for k in range(2, n + 1):
            index = {s: i for i, s in enumerate(sets[k - 1])}
            pairs = [(c, index[s - (1 << c)]) for s in sets[k] for c in range(n) if s >> c & 1]
            self.tables.append(torch.tensor(pairs).t().contiguous())

    def __call__(self, A):
        all = A[-1]
        for k, (column, smaller) in enumerate(self.tables, 2):
            signs = 1.0 - 2 * (torch.arange(k) % 2)
            all = (A[len(A) - k][column] * all[smaller]).view(-1, k) @ signs
        return all[0]


def forward(f):
    return lambda x: torch.stack([jvp(f, (x,), (axis,))[1] for axis in torch.eye(len(x))])


def argmin(gradient, f, x):
    slope, rate, steps = gradient(f), 1e-5, 0
    value, g = f(x), slope(x)
    length = g.norm().item()
    while length > 1e-5 and rate * length > 1e-5:
        after = x - rate * g
        after_value = f(after)
        if after_value.item() < value.item():
            x, value, g, steps = after, after_value, slope(after), steps + 1
            length = g.norm().item()
        else:
            rate, steps = rate / 2, 0
        if steps == 10:
            rate, steps = rate * 2, 0
    return x


def height(x, y):
    return x.square().sum() - y.square().sum()


def saddle(outer, inner, start):
    def highest(x):
        return height(x, argmin(inner, lambda y: -height(x, y), start))

    x = argmin(outer, highest, start)
    return torch.cat([x, argmin(outer, lambda y: -height(x, y), start)])


def particle(outer, inner, w):
    def squared_miss(w):
        charges = torch.tensor([[10.0, 10], [10, 0]]) - w * torch.tensor([[0.0, 1], [0, 0]])
        slope = inner(lambda at: (at - charges).square().sum(1).rsqrt().sum())
        x, v = torch.tensor([0.0, 8]), torch.tensor([0.75, 0])
        while (after := x + 0.1 * v)[1].item() > 0:
            v = v - 0.1 * slope(x)
            x = after
        return (x[0] - x[1] / v[1] * v[0]).square()

    return argmin(outer, squared_miss, w.view(1))[0]


def in_modes(f, x):
    modes = {"f": forward, "r": grad}
    return {a + b: lambda a=a, b=b: f(modes[a], modes[b], x) for a in modes for b in modes}


def functions_of(module, at):
    """Returns functions without arguments. Each returns tensors."""
    if module in ("gmm", "ba", "ht", "lstm", "kmeans"):
        return globals()[module + "_functions"](at)
    if module == "hello":
        return {"square": lambda: square(tensor(at)), "double": lambda: grad(square)(tensor(at))}
    if module == "saddle":
        return in_modes(saddle, tensor(at["start"]))
    if module == "particle":
        return in_modes(particle, tensor(at["w"]))
    if module == "det":
        f, A = Determinant(at["ell"]), tensor(at["A"]).view(at["ell"], -1)
        return {"primal": lambda: f(A), "gradient": lambda: grad(f)(A).flatten()}
    x = tensor(at["x"])
    if module == "lse":
        return {"primal": lambda: log_sum_exp(x), "gradient": lambda: grad(log_sum_exp)(x)}
    if module == "llsq":
        return {"primal": lambda: misfit(x, at["n"]), "gradient": lambda: grad(misfit)(x, at["n"])}
    return {"primal": lambda: solve_ode(x, at["s"]), "gradient": lambda: grad(lambda x: solve_ode(x, at["s"])[-1])(x)}
