"""Inputs of GradBench's functions, and their values in NumPy.

Derivatives are computed by complex steps: f(x + i h v) has the imaginary part h J v, and no difference loses digits.
"""
import math

import numpy as np


def along(f, x, v):
    """Returns J v of a function of arrays, which are in lists x and v."""
    h = 1e-30
    return np.imag(f(*[a + 1j * h * b for a, b in zip(x, v)])) / h


def log_sum_exp(x, axis=-1):
    largest = x.real.max(axis, keepdims=True)
    return np.log(np.exp(x - largest).sum(axis)) + largest.squeeze(axis)


# ---------------------------------------------------------------- gmm
def gmm_input(rng, d, k, n):
    return {"d": d, "k": k, "n": n, "x": rng.normal(size=(n, d)), "m": 2, "gamma": 0.8, "alpha": rng.normal(size=k),
            "mu": rng.uniform(size=(k, d)), "q": 0.5 * rng.normal(size=(k, d)),
            "l": rng.normal(size=(k, d * (d - 1) // 2))}


def gmm(at, alpha, mu, q, l):
    d, k, n, gamma = at["d"], at["k"], at["d"] + at["m"] + 1, at["gamma"]
    factor = np.zeros((k, d, d), dtype=np.result_type(q, l))
    columns, rows = np.triu_indices(d, 1)
    factor[:, rows, columns] = l
    factor[:, range(d), range(d)] = np.exp(q)
    y = np.einsum("kij,nkj->nki", factor, at["x"][:, None] - mu)
    terms = alpha - log_sum_exp(alpha) + q.sum(1) - 0.5 * (y * y).sum(2) - d / 2 * math.log(2 * math.pi)
    log_gamma = d * (d - 1) / 4 * math.log(math.pi) + sum(math.lgamma((n - i) / 2) for i in range(d))
    prior = k * (n * d * math.log(gamma / math.sqrt(2)) - log_gamma)
    return log_sum_exp(terms).sum() + prior - gamma**2 / 2 * (factor * factor).sum() + at["m"] * q.sum()


# ---------------------------------------------------------------- ba
def ba_input(rng, n, m, p):
    cam = np.concatenate([rng.normal(size=3), 30 + 20 * rng.random(3), [420.0, 6.0, -8.5, 0.09, 0.003]])
    return {"n": n, "m": m, "p": p, "cam": cam, "x": rng.normal(size=3), "w": 0.4, "feat": 500 * rng.random(2)}


def ba_error(at, cam, x, w):
    r, angle = cam[:3], np.sqrt((cam[:3] ** 2).sum())
    x = x - cam[3:6]
    if angle == 0:
        x = x + np.cross(r, x)
    else:
        axis, c = r / angle, np.cos(angle)
        x = x * c + np.cross(axis, x) * np.sin(angle) + axis * (axis * x).sum() * (1 - c)
    y = x[:2] / x[2]
    r2 = (y * y).sum()
    return w * (y * (1 + cam[9] * r2 + cam[10] * r2 * r2) * cam[6] + cam[7:9] - at["feat"])


def ba_objective(at):
    return {"reproj_error": {"elements": ba_error(at, at["cam"], at["x"], at["w"]), "repeated": at["p"]},
            "w_err": {"element": 1 - at["w"] ** 2, "repeated": at["p"]}}


def ba_jacobian(at):
    """The first 30 elements and the last one of the sparse Jacobian of 15 or more observations."""
    n, m, p = at["n"], at["m"], at["p"]
    x = [at["cam"], at["x"], np.array(at["w"])]
    units = [[row[:11], row[11:14], row[14]] for row in np.eye(15)]
    block = np.stack([along(lambda *z: ba_error(at, *z), x, v) for v in units], 1)
    first = 11 * n + 3 * m
    columns = [*range(11), *range(11 * n, 11 * n + 3), first]
    rows = [15 * i for i in range(30)] + [31 * p]
    return {"rows": rows, "cols": columns * 2 + [first + p - 1], "vals": [*block.flatten(), -2 * at["w"]]}


# ---------------------------------------------------------------- ht
def ht_input(rng, vertices, triangles, points, on_triangles=True):
    bones = 22
    parents = [-1] + [0 if i % 4 == 0 else i for i in range(20)] + [0]
    base = np.tile(np.eye(4), (bones, 1, 1))
    base[:, :3] += 0.3 * rng.normal(size=(bones, 3, 4))
    weights = rng.random((vertices, bones)) * (rng.random((vertices, bones)) < 0.2)
    model = {"bone_count": bones, "bone_names": [f"bone{i}" for i in range(bones)], "parents": parents,
             "base_relatives": base, "inverse_base_absolutes": base[::-1] + 0,
             "base_positions": np.concatenate([rng.normal(size=(vertices, 3)), np.ones((vertices, 1))], 1),
             "weights": weights, "triangles": rng.integers(vertices, size=(triangles, 3)),
             "is_mirrored": bool(points % 2)}
    data = {"model": model, "correspondences": rng.integers(triangles if on_triangles else vertices, size=points),
            "points": rng.normal(size=(points, 3))}
    return {"theta": 0.4 * rng.normal(size=26), "data": data, "us": rng.random((points, 2)) if on_triangles else []}


def turn(axis, angle):
    """Returns the rotation around an axis of length 1."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def ht(at, us, theta):
    model = at["data"]["model"]
    angles = np.zeros((22, 2), dtype=theta.dtype)
    for finger in range(5):
        for k in range(3):
            angles[2 + 4 * finger + k, 0] = theta[6 + 4 * finger + k + (k > 0)]
        angles[2 + 4 * finger, 1] = theta[7 + 4 * finger]
    places, vertices = [], 0
    for i, parent in enumerate(model["parents"]):
        own = np.eye(4, dtype=theta.dtype)
        own[:3, :3] = turn((0, 0, 1), angles[i, 1]) @ turn((1, 0, 0), angles[i, 0])
        own = model["base_relatives"][i] @ own
        places.append(own if parent < 0 else places[parent] @ own)
        moved = model["base_positions"] @ (places[i] @ model["inverse_base_absolutes"][i]).T
        vertices = vertices + model["weights"][:, i:i + 1] * moved[:, :3]
    if model["is_mirrored"]:
        vertices = vertices * [-1, 1, 1]
    angle = np.sqrt((theta[:3] ** 2).sum())
    vertices = vertices @ turn(theta[:3] / angle, angle).T + theta[3:6]
    nearest = at["data"]["correspondences"]
    if len(at["us"]) == 0:
        return (at["data"]["points"] - vertices[nearest]).flatten()
    corners = vertices[model["triangles"][nearest]]
    shares = np.concatenate([us, 1 - us.sum(1, keepdims=True)], 1)
    return (at["data"]["points"] - np.einsum("pc,pci->pi", shares, corners)).flatten()


# ---------------------------------------------------------------- lstm
def lstm_input(rng, layers, characters, bits=7):
    text = rng.integers(2, size=(characters, bits))
    return {"main_params": rng.random((2 * layers, 4 * bits)), "extra_params": rng.random((3, bits)),
            "state": rng.random((2 * layers, bits)), "sequence": text.astype(float)}


def lstm(at, main_params, extra_params):
    state, text, total = list(at["state"]), at["sequence"], 0
    for now, after in zip(text[:-1], text[1:]):
        x = now * extra_params[0]
        for i in range(0, len(state), 2):
            z = np.concatenate([x, state[i], x, state[i]]) * main_params[i] + main_params[i + 1]
            gates = 1 / (1 + np.exp(-z))
            forget, enter, out, _ = np.split(gates, 4)
            state[i + 1] = state[i + 1] * forget + enter * np.tanh(np.split(z, 4)[3])
            state[i] = x = out * np.tanh(state[i + 1])
        y = x * extra_params[1] + extra_params[2]
        total = total + (after * (y - np.log(np.exp(y).sum() + 2))).sum()
    return -total / text[1:].size


# ---------------------------------------------------------------- kmeans
def kmeans_input(rng, k, n, d):
    points = rng.random((n, d))
    return {"points": points, "centroids": points[-k:] + 0.01}


def kmeans(at):
    """Returns the cost and Newton's direction, which leads to the mean of the nearest points."""
    points, centers = at["points"], at["centroids"]
    distances = np.stack([((points - c) ** 2).sum(1) for c in centers])
    nearest = distances.argmin(0)
    means = np.stack([points[nearest == i].mean(0) for i in range(len(centers))])
    return distances.min(0).sum(), centers - means


# ---------------------------------------------------------------- small ones
def ode(at, x):
    h, y = 2 / at["s"], np.zeros_like(x)

    def slope(y):
        return x * np.concatenate([[1], y[:-1]])

    for _ in range(at["s"]):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
    return y


def llsq(at, x):
    t = np.arange(at["n"]) * 2 / (at["n"] - 1) - 1
    return 0.5 * ((np.sign(t) - np.polyval(x[::-1], t)) ** 2).sum()


def det(at, A):
    return np.linalg.det(A.reshape(at["ell"], at["ell"]))


def argmin(f, slope, x):
    """Gradient descent with the rule of Pearlmutter and Siskind. x is an array."""
    rate, steps, value, g = 1e-5, 0, f(x), slope(x)
    while np.linalg.norm(g) > 1e-5 and rate * np.linalg.norm(g) > 1e-5:
        after = x - rate * g
        if f(after).real < value.real:
            x, value, g, steps = after, f(after), slope(after), steps + 1
        else:
            rate, steps = rate / 2, 0
        if steps == 10:
            rate, steps = rate * 2, 0
    return x


def saddle(at):
    start = np.array(at["start"])

    def lowest(x):  # the least of -f(x, y) for all y
        return argmin(lambda y: (y**2).sum() - (x**2).sum(), lambda y: 2 * y, start)

    x = argmin(lambda x: (x**2).sum() - (lowest(x) ** 2).sum(), lambda x: 2 * x, start)
    return np.concatenate([x, lowest(x)])


def particle(at):
    def squared_miss(w):
        x, v = np.array([0, 8 + 0 * w]), np.array([0.75, 0 * w])
        charges = np.array([[10, 10 - w], [10, 0 * w]])
        while (after := x + 0.1 * v)[1].real > 0:
            away = x - charges
            v = v + 0.1 * (away / (away**2).sum(1, keepdims=True) ** 1.5).sum(0)
            x = after
        return (x[0] - x[1] / v[1] * v[0]) ** 2

    def slope(w):
        return np.array([along(squared_miss, [w[0]], [1])])

    return argmin(lambda w: squared_miss(w[0]), slope, np.array([at["w"]]))[0]
