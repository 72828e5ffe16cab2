#!/usr/bin/env python3
"""PyTorch's side of benchmarks/gpu.cpp: the same measurements under the same names, and one table.

  gpu_peer.py TAPER.tsv [--json FILE]     measures PyTorch where it works, prints both and the ratios

Without PyTorch, or without a GPU for it, the table has Taper's figures alone and says why. The last
column says what was expected, where that was missed.
"""
import json
import re
import statistics
import sys
import time


def device_time(torch, work, flush):
    for _ in range(3):
        work()
    torch.cuda.synchronize()
    marks = []
    for _ in range(15):
        flush.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        marks.append((start, end))
    torch.cuda.synchronize()
    return statistics.median(s.elapsed_time(e) for s, e in marks) * 1e-3


class Measure:
    """Collects name -> value."""

    def __init__(self, torch):
        self.torch = torch
        self.flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
        self.values = {}

    def bandwidth(self, name, nbytes, work):
        self.values[name] = nbytes / device_time(self.torch, work, self.flush) * 1e-9

    def rate(self, name, flop, work):
        self.values[name] = flop / device_time(self.torch, work, self.flush) * 1e-12

    def time(self, name, work):
        self.values[name] = device_time(self.torch, work, self.flush) * 1e3

    def eager(self, name, work):
        times = []
        for _ in range(30):
            self.torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(200):
                work()
            times.append((time.perf_counter() - start) / 200 * 1e9)
        self.torch.cuda.synchronize()
        self.values["eager." + name] = statistics.median(times)


def eager_ops(torch, m):
    a, b = torch.randn(16, device="cuda"), torch.randn(16, device="cuda")
    mat = torch.randn(16, 16, device="cuda")
    w = torch.randn(16, device="cuda", requires_grad=True)
    with torch.no_grad():
        m.eager("add", lambda: a + b)
        m.eager("add_in_place", lambda: a.add_(b, alpha=0.001))
        m.eager("relu", lambda: a.relu())
        m.eager("sum", lambda: a.sum())
        m.eager("matmul", lambda: mat.mm(mat))
    m.eager("add_recorded", lambda: w + b)
    m.eager("mul_sum_backward", lambda: (w * b).sum().backward())


def pointwise(torch, m):
    rows = cols = 8192
    nbytes = 4.0 * rows * cols
    x, y = torch.randn(rows, cols, device="cuda"), torch.randn(rows, cols, device="cuda")
    z, half = torch.empty_like(x), torch.empty_like(x, dtype=torch.bfloat16)
    weight, bias = torch.ones(cols, device="cuda"), torch.zeros(cols, device="cuda")
    with torch.no_grad():
        m.bandwidth("memory.copy", 2 * nbytes, lambda: z.copy_(x))
        m.bandwidth("memory.fill", nbytes, lambda: z.fill_(1))
        m.bandwidth("memory.add", 3 * nbytes, lambda: torch.add(x, y, out=z))
        m.bandwidth("memory.exp", 2 * nbytes, lambda: torch.exp(x, out=z))
        m.bandwidth("memory.to_bf16", 1.5 * nbytes, lambda: half.copy_(x))
        m.bandwidth("memory.transposed_copy", 2 * nbytes, lambda: z.copy_(x.t()))
        m.bandwidth("memory.sum", nbytes, lambda: x.sum())
        m.bandwidth("memory.sum_of_rows", nbytes, lambda: x.sum(1))
        m.bandwidth("memory.sum_of_columns", nbytes, lambda: x.sum(0))
        m.bandwidth("memory.max_of_rows", nbytes, lambda: x.amax(1))
        m.bandwidth("memory.softmax", 2 * nbytes, lambda: x.softmax(1))
        m.bandwidth("memory.layer_norm", 2 * nbytes,
                    lambda: torch.nn.functional.layer_norm(x, (cols,), weight, bias))


def products(torch, m):
    for name, dtype, tf32, side in (("f32", torch.float32, False, 4096),
                                    ("tf32", torch.float32, True, 4096),
                                    ("bf16", torch.bfloat16, False, 8192)):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        a, b = (torch.randn(side, side, device="cuda").to(dtype) for _ in range(2))
        with torch.no_grad():
            m.rate("matmul." + name, 2.0 * side**3, lambda: a.mm(b))
    torch.backends.cuda.matmul.allow_tf32 = False


CONVOLUTIONS = (("7x7_64_224", 3, 64, 224, 7, 2), ("1x1_256_56", 64, 256, 56, 1, 1),
                ("3x3_64_56", 64, 64, 56, 3, 1), ("3x3_128_28", 128, 128, 28, 3, 1),
                ("3x3_256_14", 256, 256, 14, 3, 1), ("1x1_1024_14", 256, 1024, 14, 1, 1),
                ("3x3_512_7", 512, 512, 7, 3, 1))


def convolutions(torch, m):
    torch.backends.cudnn.allow_tf32 = False
    for name, cin, cout, size, kernel, stride in CONVOLUTIONS:
        for dtype_name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
            x = torch.randn(32, cin, size, size, device="cuda").to(dtype).requires_grad_()
            w = (torch.randn(cout, cin, kernel, kernel, device="cuda") * 0.05).to(dtype).requires_grad_()

            def forward():
                return torch.nn.functional.conv2d(x, w, None, stride, kernel // 2)

            def with_backward():
                torch.autograd.grad(forward(), (x, w), gy)

            gy = torch.randn_like(forward().detach())
            full = f"conv.{name}.{dtype_name}"
            with torch.no_grad():
                m.time(full, forward)
            m.time(full + ".with_backward", with_backward)


def attention(torch, m):
    for name, batch, heads, length, width in (("gpt2_512", 16, 12, 512, 64), ("long_4096", 2, 16, 4096, 128)):
        q, k, v, gy = (torch.randn(batch, length, heads, width, device="cuda", dtype=torch.bfloat16).transpose(1, 2)
                       for _ in range(4))
        inputs = [t.requires_grad_() for t in (q, k, v)]

        def forward():
            return torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=True)

        with torch.no_grad():
            m.time(f"attention.{name}.bf16", forward)
        m.time(f"attention.{name}.bf16.with_backward", lambda: torch.autograd.grad(forward(), inputs, gy))


def norms(torch, m):
    for name, channels, size in (("64_112", 64, 112), ("256_56", 256, 56), ("2048_7", 2048, 7)):
        norm = torch.nn.BatchNorm2d(channels).cuda()
        x = torch.randn(32, channels, size, size, device="cuda", requires_grad=True)
        gy = torch.randn_like(x)
        with torch.no_grad():
            m.time(f"batch_norm.{name}", lambda: norm(x))
        m.time(f"batch_norm.{name}.with_backward",
               lambda: torch.autograd.grad(norm(x), (x, norm.weight, norm.bias), gy))


def pools(torch, m):
    f = torch.nn.functional
    x = torch.randn(32, 64, 112, 112, device="cuda")
    last = torch.randn(32, 2048, 7, 7, device="cuda")

    def both(name, value, pool):
        leaf = value.detach().requires_grad_()
        gy = torch.ones_like(pool(value))
        m.time(name, lambda: pool(value))
        m.time(name + ".with_backward", lambda: torch.autograd.grad(pool(leaf), leaf, gy))

    both("max_pool.64_112", x, lambda t: f.max_pool2d(t, 3, 2, 1))
    both("avg_pool.64_112", x, lambda t: f.avg_pool2d(t, 3, 2, 1))
    both("global_avg_pool.2048_7", last, lambda t: f.adaptive_avg_pool2d(t, 1))


def recurrent(torch, m):
    torch.backends.cudnn.allow_tf32 = False
    for suffix, dtype in (("f32", torch.float32), ("f16", torch.float16)):
        lstm = torch.nn.LSTM(512, 512, num_layers=2).to("cuda", dtype)
        x = torch.randn(64, 32, 512, device="cuda", dtype=dtype, requires_grad=True)
        gy = torch.randn_like(x)
        inputs = [*lstm.parameters(), x]
        with torch.no_grad():
            m.time(f"lstm.512.{suffix}", lambda: lstm(x))
        m.time(f"lstm.512.{suffix}.with_backward",
               lambda: torch.autograd.grad(lstm(x)[0], inputs, gy))


def training(torch, m):
    nn = torch.nn
    torch.backends.cudnn.allow_tf32 = False
    for batch in (64, 1024):
        net = nn.Sequential(nn.Conv2d(1, 32, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 5),
                            nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1024, 128),
                            nn.ReLU(), nn.Linear(128, 10)).cuda()
        sgd = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.5)
        x = torch.randn(batch, 1, 28, 28, device="cuda")
        y = torch.randint(0, 10, (batch,), device="cuda")

        def step():
            sgd.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            sgd.step()

        for _ in range(20):
            step()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(200):
            step()
        torch.cuda.synchronize()
        m.values[f"mnist_cnn.batch_{batch}"] = 200 / (time.perf_counter() - start)


def gpt_block(torch, width, heads):
    """A block of GPT-2, as in examples/gpt/model.cpp."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attn, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            n, length = x.shape[:2]
            q, k, v = (t.view(n, length, heads, -1).transpose(1, 2)
                       for t in self.attn(self.ln_1(x)).split(width, 2))
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.proj(y.transpose(1, 2).reshape(n, length, width))
            return x + self.down(nn.functional.gelu(self.up(self.ln_2(x)), approximate="tanh"))

    return Block()


def gpt_model(torch, layers, width, heads, context, vocabulary):
    nn = torch.nn

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
            self.h = nn.ModuleList(gpt_block(torch, width, heads) for _ in range(layers))
            self.ln_f = nn.LayerNorm(width)
            for p in self.parameters():
                if p.dim() == 2:
                    nn.init.normal_(p, 0, 0.02)

        def forward(self, tokens, targets):
            x = self.wte(tokens) + self.wpe.weight
            for block in self.h:
                x = block(x)
            logits = nn.functional.linear(self.ln_f(x), self.wte.weight)
            return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())

    return Gpt()


def gpt_speed(torch, bf16, compiled, batch=16, context=512, short=100, long=400, device="cuda",
              layers=12, width=768, heads=12):
    """Tokens a second between two steps of one training, the steps of `gpt` in run.sh."""
    vocabulary = 256
    net = gpt_model(torch, layers, width, heads, context, vocabulary).to(device)
    loss_of = torch.compile(net) if compiled else net
    decayed = [p for p in net.parameters() if p.dim() >= 2]
    others = [p for p in net.parameters() if p.dim() < 2]
    adam = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
                             lr=1e-3, betas=(0.9, 0.95), fused=device == "cuda")
    text = torch.randint(vocabulary, (240_000,))
    offsets = torch.arange(context)
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)

    def on_device(t):
        return t.pin_memory().to(device, non_blocking=True) if device == "cuda" else t

    def step(number):
        places = torch.randint(len(text) - context, (batch, 1)) + offsets
        x, y = on_device(text[places]), on_device(text[places + 1])
        for group in adam.param_groups:
            group["lr"] = 1e-3 * min(1.0, (number + 1) / 50)
        adam.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16, enabled=bf16):
            loss = loss_of(x, y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        adam.step()

    for number in range(long):
        if number == short:
            wait()
            start = time.perf_counter()
        step(number)
    wait()
    return batch * context * (long - short) / (time.perf_counter() - start)


def gpt(torch, m):
    torch.backends.cuda.matmul.allow_tf32 = False
    for name, bf16 in (("bf16", True), ("f32", False)):
        for suffix, compiled in (("", False), (".beside_compiled", True)):
            m.values[f"gpt.{name}{suffix}"] = gpt_speed(torch, bf16, compiled)


def measure_peer():
    """PyTorch's figures by name, and a sentence on it."""
    try:
        import torch
    except Exception as e:  # noqa: BLE001: whatever keeps it from loading
        return {}, f"no PyTorch to compare with: {e}"
    if not torch.cuda.is_available():
        return {}, f"PyTorch {torch.__version__} sees no GPU: nothing to compare with"
    m = Measure(torch)
    failed = []
    for group in (eager_ops, pointwise, products, training, attention, norms, pools, recurrent,
                  convolutions, gpt):
        try:
            group(torch, m)
        except Exception as e:  # noqa: BLE001: the other groups have their turn
            failed.append(f"{group.__name__}: {e}")
    said = f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name(0)}"
    return m.values, "; ".join([said, *failed])


def read(path):
    rows = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            parts = line.rstrip("\n").split("\t")
            if len(parts) == 3:
                rows.append((parts[0], float(parts[1]), parts[2]))
    return rows


# What the design should give: (names, measure, least value). Of "copy" and "cublas" shares of the
# figures of this run, of "pytorch" how many times faster, of "ns" the most nanoseconds.
EXPECTED = (
    (r"memory\.(fill|add|exp|to_bf16)", "copy", 0.95),
    (r"memory\.(sum|max|softmax|layer_norm)", "copy", 0.85),
    (r"memory\.transposed_copy", "copy", 0.75),
    (r"matmul\.", "cublas", 0.97),
    (r"eager\.mul_sum_backward", "ns", 25000),
    (r"eager\.", "ns", 4500),
    (r"gpt\.bf16$", "pytorch", 2.0),
    (r"(?!cublas|memory|eager)", "pytorch", 1.0),
)


def missed(name, seen):
    """A sentence where one of the figures `seen` (by measure) is below what is expected of `name`."""
    for names, measure, least in EXPECTED:
        if re.match(names, name) and seen.get(measure) is not None:
            value = seen[measure]
            if measure == "ns":
                return f"   expected at most {least} ns" if value > least else ""
            return f"   expected {least:g} of {measure}'s" if value < least else ""
    return ""


def peer_name(name):
    """cuBLAS called directly is compared with what PyTorch makes of it."""
    return name.replace("cublas.", "matmul.")


def ratio(value, peer, unit):
    """How many times faster Taper is."""
    return peer / value if unit in ("ns", "ms") else value / peer


def table(rows, peer, said):
    figures = {name: value for name, value, _ in rows}
    below = 0
    lines = [f"{'':38}{'Taper':>12}{'PyTorch':>12}  {'unit':9}{'times faster':>13}"]
    for name, value, unit in rows:
        other = peer.get(peer_name(name))
        line = f"{name:38}{value:12.5g}"
        line += f"{other:12.5g}" if other else f"{'-':>12}"
        line += f"  {unit:9}" + (f"{ratio(value, other, unit):13.2f}" if other else f"{'-':>13}")
        seen = {"ns": value if unit == "ns" else None,
                "pytorch": ratio(value, other, unit) if other else None}
        if unit == "GB/s" and figures.get("memory.copy"):
            seen["copy"] = value / figures["memory.copy"]
            line += f"   {100 * seen['copy']:.0f}% of a copy"
        direct = figures.get(name.replace("matmul.", "cublas."))
        if name.startswith("matmul.") and direct:
            seen["cublas"] = value / direct
            line += f"   {100 * seen['cublas']:.0f}% of cuBLAS"
        below += missed(name, seen) != ""
        lines.append(line + missed(name, seen))
    said += f"; {below} of {len(rows)} figures below what was expected"
    return "\n".join(lines + [said])


def main(args):
    if not args or args[0].startswith("-"):
        sys.exit(__doc__)
    rows = read(args[0])
    peer, said = measure_peer() if rows else ({}, "Taper's benchmark gave no figures")
    print(table(rows, peer, said))
    if "--json" in args:
        with open(args[args.index("--json") + 1], "w", encoding="utf-8") as file:
            json.dump({"peer": said,
                       "figures": {n: {"taper": v, "unit": u, "pytorch": peer.get(peer_name(n))}
                                   for n, v, u in rows}}, file, indent=1)


if __name__ == "__main__":
    main(sys.argv[1:])
