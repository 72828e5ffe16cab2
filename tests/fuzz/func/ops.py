"""The ops of random functions, each written for Python and for C++.

An op takes the random numbers `r`, the tensor x that it is applied to, and other(shape), which names a second operand
that broadcasts to a shape. It returns None if it does not fit x, or the expression for Python. `{x}` stands for x. C++
has the same expression with `::` and braces (see `to_cpp`) or, for a pair, the second one."""
import re


def to_cpp(text):
    """`torch.f(x, [1, 2], True)` in C++."""
    text = re.sub(r"\b(torch|fft|linalg|special)\.(?=[a-z])", r"\1::", text)
    text = re.sub(r"(?<=[(, {])\[([^\[\]]*)\]", r"{\1}", text)
    text = re.sub(r"(?<=[(, {])\[([^\[\]]*)\]", r"{\1}", text)
    text = re.sub(r"\b[a-z_]+=", "", text)
    return text.replace("True", "true").replace("False", "false").replace("None", "torch::nullopt")


def shape(sizes):
    return "[%s]" % ", ".join(map(str, sizes))


POINTWISE = """torch.sin({x})|torch.cos({x})|torch.tanh({x})|torch.sigmoid({x})|torch.exp({x} * 0.5)|torch.expm1({x} * 0.5)
torch.log({x} * {x} + 0.5)|torch.log1p({x} * {x})|torch.sqrt({x} * {x} + 0.3)|torch.rsqrt({x} * {x} + 0.7)
torch.reciprocal({x} * {x} + 0.9)|torch.abs({x})|torch.square({x})|torch.pow({x}, 3)|torch.pow({x} * {x} + 0.4, 1.7)
torch.erf({x})|torch.erfc({x})|torch.atan({x})|torch.sinh({x} * 0.6)|torch.cosh({x} * 0.6)|torch.asinh({x})
torch.sign({x}) * {x}|torch.clamp({x}, -0.7, 0.8)|torch.relu({x})|torch.selu({x})|torch.nan_to_num({x})|-{x}
torch.sinc({x})|torch.logit(torch.sigmoid({x}))|torch.special.expit({x})|torch.deg2rad({x})|torch.exp2({x})
torch.lgamma({x} * {x} + 1.1)|torch.digamma({x} * {x} + 1.3)|torch.log2({x} * {x} + 1)|torch.acos(torch.tanh({x}) * 0.9)
torch.frac({x})|torch.special.i0({x})|torch.pow(2.0, {x})|2.0 / ({x} * {x} + 1.0)|1.5 - {x}|torch.asin({x}.tanh() * 0.8)
torch.where({x} > 0.1, {x} * 2, {x}.sin())|torch.special.entr({x} * {x} + 0.2)|torch.threshold({x}, 0.2, 0.1)
torch.special.erfcx({x})|torch.special.log_ndtr({x})|torch.tan({x} * 0.4)|torch.atanh(torch.tanh({x}) * 0.7)"""

PAIRS = [
    ("torch.nn.functional.gelu({x})", "torch::gelu({x})"),
    ("torch.nn.functional.gelu({x}, approximate='tanh')", 'torch::gelu({x}, "tanh")'),
    ("torch.nn.functional.silu({x})", "torch::silu({x})"),
    ("torch.nn.functional.mish({x})", "torch::mish({x})"),
    ("torch.nn.functional.softplus({x}, 1.5)", "torch::softplus({x}, 1.5)"),
    ("torch.nn.functional.elu({x}, 0.7)", "torch::elu({x}, 0.7)"),
    ("torch.nn.functional.celu({x}, 2.0)", "torch::celu({x}, 2.0)"),
    ("torch.nn.functional.leaky_relu({x}, 0.2)", "torch::leaky_relu({x}, 0.2)"),
    ("torch.nn.functional.logsigmoid({x})", "torch::log_sigmoid({x})"),
    ("torch.nn.functional.hardtanh({x}, -0.6, 0.9)", "torch::hardtanh({x}, -0.6, 0.9)"),
    ("torch.nn.functional.hardswish({x})", "torch::hardswish({x})"),
    ("torch.nn.functional.softshrink({x}, 0.2)", "torch::softshrink({x}, 0.2)"),
]


def pointwise(r, x, other):
    return r.choice(re.split(r"[|\n]", POINTWISE))


def activation(r, x, other):
    return r.choice(PAIRS)


BINARY = """torch.add({x}, {y}, alpha=0.5)|{x} - {y}|{x} * {y}|{x} / ({y} * {y} + 0.8)|torch.maximum({x}, {y})|{y} * {x} + {x}
torch.minimum({x}, {y})|torch.atan2({x}, {y} * {y} + 0.5)|torch.hypot({x}, {y})|torch.logaddexp({x}, {y})
torch.lerp({x}, {y}, 0.3)|torch.xlogy({x}, {y} * {y} + 0.6)|torch.pow({x} * {x} + 0.5, {y})|torch.fmax({x}, {y})
torch.where({x} > {y}, {x}, {y} * 0.5)|torch.addcmul({x}, {y}, {x}, value=0.7)|torch.addcdiv({x}, {y}, {y} * {y} + 1.0)
torch.rsub({x}, {y})|torch.logaddexp2({x}, {y})|torch.special.xlog1py({x}, {y} * {y})|torch.copysign({x}, {y})
torch.fmod({x}, {y} * {y} + 0.5)|torch.remainder({x}, {y} * {y} + 0.7)|torch.cross_like"""


def binary(r, x, other):
    text = r.choice(re.split(r"[|\n]", BINARY))
    if text.endswith("cross_like"):
        if x.dim() == 0 or x.shape[-1] != 3:
            return None
        text = "torch.linalg.cross({x}, {y}, dim=-1)"
        return text.replace("{y}", other(x.shape, exact=True))
    return text.replace("{y}", other(x.shape))


def reduction(r, x, other):
    if x.dim() == 0:
        return None
    d, keep = r.randrange(-x.dim(), x.dim()), r.choice([True, False])
    n = x.shape[d]
    text = r.choice([
        "torch.sum({x}, [D], K)", "torch.mean({x}, [D], K)", "torch.amax({x}, [D], K)", "torch.amin({x}, [D], K)",
        "torch.logsumexp({x}, [D], K)", "torch.prod({x}, D, K)", "torch.norm({x}, 2, [D], K)", "torch.norm({x}, 3, [D], K)",
        "torch.norm({x}, 1, [D], K)", "torch.var({x}, [D], True, K)", "torch.std({x}, [D], False, K)", "{x}.sum()", "{x}.mean()",
        ("torch.linalg.vector_norm({x}, 2.5, [D], K)", "torch::linalg_vector_norm({x}, 2.5, std::vector<int64_t>{D}, K)"),
        ("torch.max({x}, D, K).values", "std::get<0>(torch::max({x}, D, K))"),
        ("torch.min({x}, D, K).values", "std::get<0>(torch::min({x}, D, K))"),
        ("torch.median({x}, D, K).values", "std::get<0>(torch::median({x}, D, K))"),
        ("torch.kthvalue({x}, 1, D, K).values", "std::get<0>(torch::kthvalue({x}, 1, D, K))"),
        "{x}.max()", "{x}.norm()", "{x}.var()", "{x}.prod()", "torch.nansum({x}, [D], K)",
        ("torch.aminmax({x}, dim=D, keepdim=K).max", "std::get<1>(torch::aminmax({x}, D, K))"),
        ("torch.quantile({x}, 0.3, D, K)", "torch::quantile({x}, 0.3, D, K)"),
    ])
    if n < 2 and ("var" in str(text) or "std" in str(text)):
        return None

    def fill(t, python):
        return re.sub(r"\bK\b", str(keep) if python else str(keep).lower(), re.sub(r"\bD\b", str(d), t))

    return (fill(text[0], True), fill(text[1], False)) if isinstance(text, tuple) else fill(text, True)


def scan(r, x, other):
    if x.dim() == 0:
        return None
    d = r.randrange(-x.dim(), x.dim())
    n = x.shape[d]
    text = r.choice([
        "torch.cumsum({x}, D)", "torch.cumprod({x}, D)", "torch.logcumsumexp({x}, D)", "torch.softmax({x}, D)",
        "torch.log_softmax({x}, D)", "torch.flip({x}, [D])", "torch.roll({x}, 1, D)",
        "torch.diff({x}, 1, D)", "torch.trapz({x}, dx=1.0, dim=D)",
        ("torch.sort({x}, D).values", "std::get<0>(torch::sort({x}, D))"),
        ("torch.topk({x}, N, D).values", "std::get<0>(torch::topk({x}, N, D))"),
        ("torch.cummax({x}, D).values", "std::get<0>(torch::cummax({x}, D))"),
        ("torch.cummin({x}, D).values", "std::get<0>(torch::cummin({x}, D))"),
        ("torch.nn.functional.softmin({x}, D)", "torch::softmax(-{x}, D)"),
        ("torch.nn.functional.normalize({x}, p=2.0, dim=D)",
         "torch::nn::functional::normalize({x}, torch::nn::functional::NormalizeFuncOptions().p(2).dim(D))"),
        "torch.renorm({x}, 2, D, 0.8)",
    ])
    if n < 2 and ("diff" in str(text) or "trapz" in str(text)) or "renorm" in str(text) and x.dim() < 2:
        return None

    def fill(t):
        return re.sub(r"\bN\b", str(max(1, n - 1)), re.sub(r"\bD\b", str(d), t))

    return tuple(map(fill, text)) if isinstance(text, tuple) else fill(text)


def product(r, x, other):
    kind = r.randrange(12)
    if x.dim() == 0:
        return "torch.outer({x}.reshape([1]), %s).squeeze(0)" % other([3], exact=True) if kind < 3 else None
    n = x.shape[-1]
    if kind < 3:
        return "torch.matmul({x}, %s)" % other([n, r.randint(1, 3)], exact=True)
    if kind == 3:
        return "torch.matmul({x}, %s)" % other([n], exact=True)
    if kind == 4:
        a, b = other([2, n], exact=True), other([2], exact=True)
        return "torch.nn.functional.linear({x}, %s, %s)" % (a, b), "torch::linear({x}, %s, %s)" % (to_cpp(a), to_cpp(b))
    if x.dim() == 1:
        return r.choice(["torch.dot({x}, %s)" % other([n], exact=True), "torch.outer({x}, %s)" % other([2], exact=True),
                         "torch.outer({x}, {x})", "torch.matmul(%s, {x})" % other([2, n], exact=True),
                         "torch.mv(%s, {x})" % other([2, n], exact=True), "torch.diag({x})", "torch.kron({x}, %s)" % other([2], exact=True),
                         ("torch.tensordot({x}, Y, dims=([0], [0]))", "torch::tensordot({x}, Y, {0}, {0})")])
    m = x.shape[-2]
    if x.dim() == 2:
        return r.choice([
            "torch.mm({x}.t(), {x})", "torch.mm(%s, {x})" % other([2, m], exact=True),
            "torch.addmm(%s, {x}, %s, beta=0.5, alpha=2)" % (other([2], exact=True), other([n, 2], exact=True)),
            ("torch.einsum('ij,kj->ik', {x}, Y)", 'torch::einsum("ij,kj->ik", {{x}, Y})'),
            ("torch.einsum('ij,ik->jk', {x}, {x})", 'torch::einsum("ij,ik->jk", {{x}, {x}})'),
            ("cdist({x}, Y)", "torch::cdist({x}, Y)"), "torch.trace(torch.mm({x}, {x}.t()))",
            "torch.addmv(%s, {x}, %s)" % (other([m], exact=True), other([n], exact=True)),
            "torch.kron({x}, %s)" % other([1, 2], exact=True),
            ("torch.tensordot({x}, Y2, dims=([1], [0]))", "torch::tensordot({x}, Y2, {1}, {0})"),
        ])
    return r.choice(["torch.bmm({x}, %s)" % other([x.shape[0], n, 2], exact=True), "torch.matmul({x}, {x}.transpose(-1, -2))",
                     "torch.matmul(%s, {x})" % other([2, m], exact=True),
                     "torch.baddbmm(%s, {x}, %s)" % (other([m, 2], exact=True), other([x.shape[0], n, 2], exact=True))])


def fill_products(r, x, other):
    """product, with its placeholders filled."""
    text = product(r, x, other)
    if text is None:
        return None
    n = x.shape[-1] if x.dim() else 1
    for name, sizes in (("Y2", [n, 2]), ("Y", [2, n] if x.dim() == 2 else [n])):
        if name in str(text):
            y = other(sizes, exact=True)
            text = (text[0].replace(name, y), text[1].replace(name, to_cpp(y)))
    return text


def matrix(r, x, other):
    """Decompositions of a well-conditioned square matrix."""
    if x.dim() < 2:
        return None
    m = x.shape[-2]
    a = "(torch.matmul({x}, {x}.transpose(-1, -2)) + 1.5 * torch.eye(%d, dtype=torch.float64))" % m
    c = "(torch::matmul({x}, {x}.transpose(-1, -2)) + 1.5 * torch::eye(%d, torch::kDouble))" % m
    b = other([m, 2], exact=True)
    pairs = [("torch.linalg.inv(A)", "torch::linalg::inv(A)"), ("torch.linalg.det(A)", "torch::linalg::det(A)"),
             ("torch.linalg.cholesky(A)", "torch::linalg::cholesky(A)"), ("torch.linalg.slogdet(A)[1]", "std::get<1>(torch::linalg::slogdet(A))"),
             ("torch.linalg.solve(A, B)", "torch::linalg::solve(A, B, true)"), ("torch.logdet(A)", "torch::logdet(A)"),
             ("torch.linalg.matrix_exp(A * 0.3)", "torch::matrix_exp(A * 0.3)"), ("torch.linalg.matrix_power(A, 3)", "torch::matrix_power(A, 3)"),
             ("torch.linalg.eigvalsh(A)", "torch::linalg::eigvalsh(A, \"L\")"),
             ("torch.linalg.solve_triangular(torch.tril(A), B, upper=False)", "torch::linalg::solve_triangular(torch::tril(A), B, false, true, false)")]
    p, q = r.choice(pairs)
    return p.replace("A", a).replace("B", b), q.replace("A", c).replace("B", to_cpp(b))


def view(r, x, other):
    n = x.dim()
    if n == 0:
        return r.choice(["{x}.unsqueeze(0)", "{x}.expand([3])", "{x}.reshape([1, 1])", "{x}.repeat([2])"])
    d = r.randrange(-n, n)
    size = x.shape[d]
    texts = ["{x}.unsqueeze(%d)" % r.randrange(-n - 1, n + 1), "{x}.select(%d, %d)" % (d, r.randrange(-size, size)),
             "{x}.narrow(%d, %d, %d)" % (d, 0, max(1, size - 1)), "{x}.flatten()", "{x}.reshape([-1])",
             "{x}.unsqueeze(0).expand(%s)" % shape([2, *[-1] * n]), "{x}.repeat(%s)" % shape([2] + [1] * (n - 1)),
             "{x}.tile([2])", "torch.repeat_interleave({x}, 2, %d)" % d, "{x}.unfold(%d, %d, 1)" % (d, min(2, size)),
             "{x}.diagonal(0, 0, 1)" if n > 1 else "torch.diag_embed({x})", "{x}.movedim(%d, 0)" % d,
             "{x}.transpose(%d, %d)" % (d, r.randrange(-n, n)), "{x}.permute(%s)" % shape(r.sample(range(n), n)),
             "torch.triu({x})" if n > 1 else "{x}.flip([0])", "torch.tril({x}, -1)" if n > 1 else "{x}.roll([1], [0])",
             ("{x}.chunk(2, %d)[0]" % d,) * 2, ("{x}.unbind(%d)[0]" % d,) * 2, ("{x}.split(1, %d)[-1]" % d, "{x}.split(1, %d).back()" % d),
             ("{x}[..., 0]", "{x}.index({torch::indexing::Ellipsis, 0})"), ("{x}[0]",) * 2, ("{x}[-1]",) * 2,
             ("{x}[1:]", "{x}.index({torch::indexing::Slice(1, torch::indexing::None)})") if x.shape[0] > 1 else "{x}.clone()",
             ("{x}[..., ::2]", "{x}.index({torch::indexing::Ellipsis, torch::indexing::Slice(torch::indexing::None, torch::indexing::None, 2)})"),
             ("{x}[None]", "{x}.index({torch::indexing::None})"), "{x}.contiguous()", "{x}.unsqueeze(0).squeeze(0)",
             ("{x}.mT", "{x}.mT()") if n > 1 else "{x}.clone()", "torch.rot90({x})" if n > 1 else "{x}.clone()"]
    return r.choice(texts)


def indexing(r, x, other):
    if x.dim() == 0:
        return None
    n, d, k = x.dim(), r.randrange(x.dim()), r.randrange(1000)
    size, sizes = x.shape[d], list(x.shape)
    some = sizes[:d] + [2] + sizes[d + 1:]
    mask = "M(%d, %s)" % (k, shape(sizes))
    return r.choice([
        "torch.index_select({x}, %d, I(%d, [4], %d))" % (d, k, size), "torch.gather({x}, %d, I(%d, %s, %d))" % (d, k, shape(some), size),
        ("{x}[I(%d, [3], %d)]" % (k, x.shape[0]), "{x}.index({I(%d, {3}, %d)})" % (k, x.shape[0])),
        ("{x}[..., I(%d, [2, 2], %d)]" % (k, x.shape[-1]), "{x}.index({torch::indexing::Ellipsis, I(%d, {2, 2}, %d)})" % (k, x.shape[-1])),
        "torch.masked_fill({x}, %s, 0.3)" % mask, "torch.where(%s, {x}, %s)" % (mask, other(sizes)),
        "torch.scatter_add({x}, %d, I(%d, %s, %d), %s)" % (d, k, shape(some), size, other(some, exact=True)),
        "torch.index_add({x}, %d, I(%d, [2], %d), %s)" % (d, k, size, other(some, exact=True)),
        "torch.take({x}, I(%d, [2, 2], %d))" % (k, x.numel()), "torch.index_fill({x}, %d, I(%d, [1], %d), 0.4)" % (d, k, size),
        "torch.take_along_dim({x}, I(%d, %s, %d), %d)" % (k, shape(some), size, d),
        "torch.index_copy({x}, %d, I(%d, [1], %d), %s)" % (d, k, size, other(sizes[:d] + [1] + sizes[d + 1:], exact=True)),
        "torch.scatter({x}, %d, I(%d, %s, %d), 0.6)" % (d, k, shape(sizes[:d] + [1] + sizes[d + 1:]), size),
        ("torch.nn.functional.embedding(I(%d, [3], %d), {x})" % (k, x.shape[0]), "torch::embedding({x}, I(%d, {3}, %d))" % (k, x.shape[0]))
        if n == 2 else "{x}.clone()",
        ("{x}.index_put([I(%d, [2], %d)], %s, accumulate=True)" % (k, x.shape[0], other([2] + sizes[1:], exact=True)),
         "{x}.index_put({I(%d, {2}, %d)}, %s, true)" % (k, x.shape[0], to_cpp(other([2] + sizes[1:], exact=True, again=True)))),
    ])


def joining(r, x, other):
    if x.dim() == 0:
        return ("torch.stack([{x}, {x} * 2])", "torch::stack({{x}, {x} * 2})")
    d = r.randrange(-x.dim(), x.dim())
    y = other(x.shape, exact=True)
    return r.choice([
        ("torch.cat([{x}, %s], %d)" % (y, d), "torch::cat({{x}, %s}, %d)" % (to_cpp(y), d)),
        ("torch.stack([{x}, %s], %d)" % (y, d), "torch::stack({{x}, %s}, %d)" % (to_cpp(y), d)),
        ("torch.cat([{x}, {x}.sin(), %s], %d)" % (y, d), "torch::cat({{x}, {x}.sin(), %s}, %d)" % (to_cpp(y), d)),
        ("torch.hstack([{x}, %s])" % y, "torch::hstack({{x}, %s})" % to_cpp(y)),
    ])


def layer(r, x, other):
    """Ops of layers. x becomes 3-dimensional: a batch of sequences with channels."""
    if x.dim() == 0:
        return None
    n = x.shape[-1]
    to3 = "{x}.reshape([1, -1, %d])" % n
    c = x.numel() // n
    f, t = "torch.nn.functional.", "torch::"
    w, b = other([2, c, min(2, n)], exact=True), other([2], exact=True)
    v = other([c, 2, 2], exact=True)
    s = other([n], exact=True)
    z = other(x.shape, exact=True)
    rows = "{x}.reshape([-1, %d])" % n
    k = r.randrange(1000)
    choices = [
        (f + "conv1d(X, W, B, stride=1, padding=1)", t + "conv1d(X, W, B, 1, 1)"),
        (f + "conv1d(X, W, None, stride=2, padding=1)", t + "conv1d(X, W, {}, 2, 1)"),
        (f + "conv_transpose1d(X, V, None, stride=2)", t + "conv_transpose1d(X, V, {}, 2)"),
        (f + "pad(X, [1, 2])", t + "constant_pad_nd(X, {1, 2})"), (f + "pad(X, [1, 0], 'replicate')", t + "replication_pad1d(X, {1, 0})"),
        (f + "pad(X, [1, 1], 'circular')", "torch::nn::functional::pad(X, torch::nn::functional::PadFuncOptions({1, 1}).mode(torch::kCircular))"),
        ("LN({x}) * S + S", t + "layer_norm({x}, {%d}, S, S)" % n), ("LN({x})", t + "layer_norm({x}, {%d})" % n),
        (f + "avg_pool1d(X, 2, 1)", t + "avg_pool1d(X, {2}, {1})"), (f + "max_pool1d(X, 2, 1)", t + "max_pool1d(X, {2}, {1})"),
        (f + "adaptive_avg_pool1d(X, 2)", t + "adaptive_avg_pool1d(X, {2})"),
        (f + "mse_loss({x}, Z)", t + "mse_loss({x}, Z)"), (f + "smooth_l1_loss({x}, Z)", t + "smooth_l1_loss({x}, Z)"),
        (f + "huber_loss({x}, Z, delta=0.5)", t + "huber_loss({x}, Z, at::Reduction::Mean, 0.5)"),
        (f + "cross_entropy(R, T)", t + "cross_entropy_loss(R, T)"),
        (f + "binary_cross_entropy_with_logits({x}, Z.sigmoid())", t + "binary_cross_entropy_with_logits({x}, Z.sigmoid())"),
        (f + "kl_div(torch.log_softmax({x}, -1), torch.softmax(Z, -1), reduction='sum')", t + "kl_div(torch::log_softmax({x}, -1), torch::softmax(Z, -1), at::Reduction::Sum)"),
        (f + "cosine_similarity({x}, Z, dim=-1)", t + "cosine_similarity({x}, Z, -1)"),
        (f + "group_norm(X, 1)", t + "group_norm(X, 1)"), ("LN(X)", t + "instance_norm(X, {}, {}, {}, {}, true, 0.1, 1e-5, false)"),
        (f + "prelu({x}, torch.full([1], 0.2, dtype=torch.float64))", t + "prelu({x}, torch::full({1}, 0.2, torch::kDouble))"),
        (f + "glu(torch.cat([{x}, Z], -1))", t + "glu(torch::cat({{x}, Z}, -1))"),
        (f + "conv2d(X.unsqueeze(1), U)", t + "conv2d(X.unsqueeze(1), U)"),
        (f + "scaled_dot_product_attention(X, X, X * 0.5)", t + "scaled_dot_product_attention(X, X, X * 0.5)"),
        (f + "interpolate(X, scale_factor=2.0, mode='linear')", t + "upsample_linear1d(X, {%d}, false)" % (2 * n)),
        (f + "interpolate(X, scale_factor=2.0, mode='nearest')", t + "upsample_nearest1d(X, {%d})" % (2 * n)),
        (f + "pairwise_distance(R, R * 0.5 + 0.3)", t + "pairwise_distance(R, R * 0.5 + 0.3)"),
        ("torch.view_as_real(torch.fft.rfft({x}))", "torch::view_as_real(torch::fft::rfft({x}))"),
        ("torch.fft.fft({x}).real", "torch::real(torch::fft::fft({x}))"), ("torch.fft.irfft(torch.complex({x}, Z), %d)" % max(2, n), "torch::fft::irfft(torch::complex({x}, Z), %d)" % max(2, n)),
        ("torch.complex({x}, Z).abs()", "torch::complex({x}, Z).abs()"), ("torch.complex({x}, Z).square().imag", "torch::imag(torch::complex({x}, Z).square())"),
    ]
    p, q = r.choice(choices)
    if n < 2 and "X" in p:
        return None
    names = {"X": to3, "W": w, "B": b, "V": v, "S": s, "Z": z, "R": rows, "T": "I(%d, [%d], %d)" % (k, c, n), "U": other([1, 1, 1, 2], exact=True)}
    return tuple(re.sub(r"\b([XWBVSZRTU])\b", lambda m: convert(names[m.group(1)]), t)
                 for t, convert in ((p, str), (q, to_cpp)))


def change(r, x, other):
    """Changes in-place of a copy: statements that end with the name of the copy."""
    if x.dim() == 0:
        return ["V = {x}.clone()", "V.mul_({x})", "V.add_(0.5)"]
    d = r.randrange(x.dim())
    row = list(x.shape[1:])
    return r.choice([
        ["V = {x}.clone()", ("V[0].mul_({x}[-1])",) * 2, "V.sin_()"],
        ["V = {x} * 1.0", "V.add_(%s, alpha=0.7)" % other(x.shape), "V.tanh_()"],
        ["V = {x}.clone()", ("V[0] = %s" % other(row, exact=True), "V[0].copy_(%s)" % to_cpp(other(row, exact=True, again=True)))],
        ["V = {x}.clone()", "V.select(%d, 0).zero_()" % d, "V.add_({x})"],
        ["V = {x}.clone()", "V.transpose(0, -1).mul_(2.0)", "V.sigmoid_()"],
        ["V = torch.zeros_like({x})", "V.copy_({x} * {x})", "V.sub_(0.2)"],
        ["V = {x}.exp()", "V.narrow(%d, 0, 1).neg_()" % d, "V.div_({x} * {x} + 1.0)"],
        ["V = {x}.clone()", "V.masked_fill_({x} > 0.3, 0.25)", "V.clamp_(-0.8, 0.9)"],
        ["V = {x}.clone()", "V.index_add_(%d, I(3, [1], %d), {x}.narrow(%d, 0, 1))" % (d, x.shape[d], d)],
        ["V = {x}.clone()", "V.cumsum_(%d)" % d, "V.addcmul_({x}, {x}, value=0.3)"],
    ])


FAMILIES = [(pointwise, 6), (activation, 2), (binary, 5), (reduction, 3), (scan, 3), (fill_products, 4), (matrix, 1), (view, 5),
            (indexing, 3), (joining, 2), (layer, 4), (change, 2)]
