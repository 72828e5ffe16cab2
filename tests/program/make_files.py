#!/usr/bin/env python3
"""Writes the programs of the tests, NAME.pt2, with what PyTorch computes with them, NAME.pt.

    make_files.py FOLDER

Needs PyTorch 2.5 or later. The files of the repository are PyTorch 2.15's. Their JSON has no stack traces, and they are
compressed, so that they are small.
"""
import io
import json
import pathlib
import sys
import zipfile

import torch
from torch import nn
from torch.export import Dim, export

import models_util

F = nn.functional


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, x):
        return self.layers(x)


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)
        self.conv2 = nn.Conv2d(6, 4, 3, stride=2, bias=False)
        self.group = nn.GroupNorm(2, 4)
        self.head = nn.Linear(4, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv1(x))), 2)
        x = F.silu(self.group(self.conv2(x)))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Recurrent(nn.Module):
    def __init__(self, layers=2):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, num_layers=layers, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(10, 3)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        z, _ = self.gru(y)
        return z, h + c


class Attention(nn.Module):
    """A block of a transformer with causal attention, tied embeddings and a mask that is no part of the state."""

    def __init__(self, vocabulary=11, width=8, heads=2, length=6):
        super().__init__()
        self.heads = heads
        self.embedding = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.randn(length, width) * 0.1)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 16), nn.GELU(approximate="tanh"), nn.Linear(16, width))
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer("causal", torch.tril(torch.ones(length, length, dtype=torch.bool)), persistent=False)

    def forward(self, ids):
        n, t = ids.shape
        x = self.embedding(ids) + self.position[:t]
        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        q, k, v = (s.view(n, t, self.heads, -1).transpose(1, 2) for s in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        scores = (q @ k.transpose(-2, -1)).masked_fill(~self.causal[:t, :t], float("-inf")).softmax(-1) @ v
        x = x + self.out((y + scores).transpose(1, 2).reshape(n, t, -1))
        return self.head(x + self.mlp(self.norm2(x)))


class Trees(nn.Module):
    """Nested inputs and outputs, a number that the export fixes, and inputs by name."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, pair, options, power, *, bias):
        a, b = pair
        y = (a * self.scale + options["shift"]) ** power + bias
        return {"sum": y + b[0], "parts": [y - b[1], (y, b[0].long())]}


class Counter(nn.Module):
    """Buffers that the program changes: one that is saved, one that is not."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))
        self.register_buffer("last", torch.zeros(3), persistent=False)
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        self.calls.add_(1)
        y = x * self.weight * self.calls + self.last
        self.last.copy_(x.detach().mean(0))
        return y


class Sizes(nn.Module):
    """Arithmetic of symbolic sizes."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, y):
        n = x.shape[0]
        z = torch.cat([self.linear(x), y], 1).view(n * 2, -1)
        mean = torch.arange(n, dtype=torch.float32).mean() / torch.sym_max(n, 3)
        return z[:n].sum() + mean, F.pad(z, (0, n // 2 + 1))


class Branches(nn.Module):
    """cond, with branches that have weights."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.a(x).relu(), lambda x: self.b(x).tanh(), (x,))


class Modes(nn.Module):
    """Parts without gradients, and parts in another dtype."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        with torch.no_grad():
            y = self.a(x)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = self.b(self.a(x) + y)
        return z.float()


def cases():
    """Name, model, inputs, named inputs, dynamic shapes, and whether to decompose."""
    g = torch.Generator().manual_seed(1)
    rand = lambda *s: torch.randn(*s, generator=g)
    batch = Dim("batch", min=2, max=64)
    image = (rand(2, 3, 10, 10),)
    yield "perceptron", Perceptron(), (rand(4, 6),), {}, ({0: batch},), False
    yield "convolutions", Convolutions().train(), image, {}, None, False
    yield "convolutions_core", Convolutions().train(), image, {}, None, True
    yield "convolutions_eval_core", Convolutions().eval(), image, {}, None, True
    yield "recurrent", Recurrent(), (rand(2, 3, 4),), {}, None, False
    yield "recurrent_core", Recurrent(1), (rand(2, 2, 4),), {}, None, True
    ids = (torch.randint(0, 11, (2, 6), generator=g),)
    yield "attention", Attention(), ids, {}, None, False
    yield "attention_core", Attention(), ids, {}, None, True
    trees = ((rand(2, 3), [rand(3), rand(3)]), {"shift": rand(3)}, 2)
    yield "trees", Trees(), trees, {"bias": rand(3)}, None, False
    yield "counter", Counter(), (rand(2, 3),), {}, None, False
    yield "counter_core", Counter(), (rand(2, 3),), {}, None, True
    yield "sizes", Sizes(), (rand(4, 4), rand(4, 2)), {}, ({0: batch}, {0: batch}), False
    yield "branches", Branches(), (rand(2, 3),), {}, None, False
    yield "modes", Modes(), (rand(2, 3),), {}, None, False


def without_traces(text):
    """The program's JSON without texts about its source."""
    def strip(value):
        if isinstance(value, dict):
            return {k: {} if k == "metadata" else strip(v) for k, v in value.items()}
        return [strip(v) for v in value] if isinstance(value, list) else value
    return json.dumps(strip(json.loads(text)), separators=(",", ":"))


def smaller(data):
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for info in old.infolist():
            content = old.read(info)
            if "sample_inputs" in info.filename or "/.data/" in info.filename:
                continue
            if info.filename.endswith("model.json"):
                content = without_traces(content).encode()
            new.writestr(zipfile.ZipInfo(info.filename, (2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def as_old(data, folder):
    """The file as PyTorch 2.5 to 2.7 wrote it."""
    program = torch.export.load(io.BytesIO(data))
    saved = lambda value: (buffer := io.BytesIO(), torch.save(value, buffer))[0].getvalue()
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as new, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as old:
        name = next(n for n in new.namelist() if n.endswith("models/model.json"))
        for member, content in (("version", "8.2"), ("serialized_exported_program.json", without_traces(new.read(name))),
                                ("serialized_state_dict.pt", saved(dict(program.state_dict))),
                                ("serialized_constants.pt", saved(dict(program.constants))),
                                ("serialized_example_inputs.pt", b"")):
            old.writestr(zipfile.ZipInfo(member, (2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    (folder / "old.pt2").write_bytes(out.getvalue())


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, model, inputs, named, dynamic, decompose in cases():
        torch.manual_seed(0)
        for p in model.parameters():
            with torch.no_grad():
                p.copy_(torch.randn_like(p) * 0.3)
        program = export(model, inputs, named, dynamic_shapes=dynamic, strict=name == "perceptron")
        if decompose:
            program = program.run_decompositions()
        buffer = io.BytesIO()
        torch.export.save(program, buffer)
        (folder / f"{name}.pt2").write_bytes(smaller(buffer.getvalue()))
        torch.save(models_util.expected(model, inputs, named), folder / f"{name}.pt")
        if name == "convolutions":
            as_old(buffer.getvalue(), folder)
    for path in sorted(folder.glob("*.pt*")):
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
