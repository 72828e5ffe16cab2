"""Writes random_reference.txt: PyTorch's random numbers for tests/ops/random/rand_test.cpp.

Run by hand with PyTorch 2.15 (1.13 draws other floats of 16 bits): python3 make_random_reference.py > random_reference.txt
Every line is a case's name, then its values; the last is the next double of the generator, which
tells how many numbers were drawn. The expressions here are those of random_test.cpp, line by line.
"""
import warnings

import torch

warnings.simplefilter("ignore")
f16, bf16, f64, i64 = torch.half, torch.bfloat16, torch.double, torch.long
WEIGHTS = torch.tensor([[1.0, 0.0, 3.0, 4.0, 0.5], [0.25, 0.25, 0.0, 0.25, 0.25]])


def some(t):
    """Elements that a long result is checked at."""
    return t[torch.tensor([0, 1, 2, 311, 312, 623, 624, 1247, 1248, 2500, 4983, 4984, 4998, 4999])]


def paired():
    parts = [torch.randn(1), torch.rand(2), torch.randn(2), torch.randn(1, dtype=f64)]
    return torch.cat([p.double() for p in parts])


x20 = torch.linspace(-1, 1, 20)
x223 = torch.linspace(-1, 1, 12).view(2, 3, 2)

CASES = {
    "rand.f32.5": lambda: torch.rand(5),
    "rand.f32.5000": lambda: some(torch.rand(5000)),
    "rand.f64.5": lambda: torch.rand(5, dtype=f64),
    "rand.f64.5000": lambda: some(torch.rand(5000, dtype=f64)),
    "rand.f16.20": lambda: torch.rand(20, dtype=f16),
    "rand.bf16.20": lambda: torch.rand(20, dtype=bf16),
    "uniform.f32.20": lambda: torch.empty(20).uniform_(-2, 3),
    "uniform.f64.20": lambda: torch.empty(20, dtype=f64).uniform_(-2, 3),
    "uniform.f16.20": lambda: torch.empty(20, dtype=f16).uniform_(-2, 3),
    "uniform.bf16.20": lambda: torch.empty(20, dtype=bf16).uniform_(-2, 3),
    "uniform.transposed": lambda: torch.empty(4, 5).t().uniform_(),
    "uniform.strided": lambda: torch.empty(4, 10)[:, ::2].uniform_(),
    "randn.f32.7": lambda: torch.randn(7),
    "randn.f32.15": lambda: torch.randn(15),
    "randn.f32.16": lambda: torch.randn(16),
    "randn.f32.17": lambda: torch.randn(17),
    "randn.f32.100": lambda: torch.randn(100),
    "randn.f32.5000": lambda: some(torch.randn(5000)),
    "randn.f64.7": lambda: torch.randn(7, dtype=f64),
    "randn.f64.16": lambda: torch.randn(16, dtype=f64),
    "randn.f64.37": lambda: torch.randn(37, dtype=f64),
    "randn.f64.5000": lambda: some(torch.randn(5000, dtype=f64)),
    "randn.f16.7": lambda: torch.randn(7, dtype=f16),
    "randn.f16.37": lambda: torch.randn(37, dtype=f16),
    "randn.bf16.7": lambda: torch.randn(7, dtype=bf16),
    "randn.bf16.37": lambda: torch.randn(37, dtype=bf16),
    "randn.pairs": paired,
    "normal.f32.20": lambda: torch.empty(20).normal_(2, 3),
    "normal.f32.5": lambda: torch.empty(5).normal_(2, 3),
    "normal.transposed": lambda: torch.empty(4, 5).t().normal_(2, 3),
    "normal.mean": lambda: torch.normal(x20, 2.0),
    "normal.std": lambda: torch.normal(1.0, x20.abs()),
    "normal.both": lambda: torch.normal(x20.view(4, 5), x20[:5].abs()),
    "normal.size": lambda: torch.normal(1.0, 2.0, (3, 2)),
    "randint.20": lambda: torch.randint(10, (20,)),
    "randint.low": lambda: torch.randint(-100, 1000, (20,)),
    "randint.i32": lambda: torch.randint(0, 7, (20,), dtype=torch.int),
    "randint.u8": lambda: torch.randint(0, 256, (20,), dtype=torch.uint8),
    "randint.i8": lambda: torch.randint(-128, 128, (20,), dtype=torch.int8),
    "randint.bool": lambda: torch.randint(0, 2, (20,), dtype=torch.bool),
    "randint.f32": lambda: torch.randint(0, 50, (20,), dtype=torch.float),
    "randint.f16": lambda: torch.randint(0, 50, (20,), dtype=f16),
    "randint.wide": lambda: torch.randint(-(2**45), 2**51, (20,)),
    "random.to": lambda: torch.empty(20).random_(5),
    "random.from": lambda: torch.empty(20, dtype=torch.short).random_(-3, None),
    "random.f32": lambda: torch.empty(20).random_(),
    "random.f64": lambda: torch.empty(20, dtype=f64).random_(),
    "random.f16": lambda: torch.empty(20, dtype=f16).random_(),
    "random.bf16": lambda: torch.empty(20, dtype=bf16).random_(),
    "random.bool": lambda: torch.empty(20, dtype=torch.bool).random_(),
    "random.u8": lambda: torch.empty(20, dtype=torch.uint8).random_(),
    "random.i8": lambda: torch.empty(20, dtype=torch.int8).random_(),
    "random.i16": lambda: torch.empty(20, dtype=torch.short).random_(),
    "random.i32": lambda: torch.empty(20, dtype=torch.int).random_(),
    "random.i64": lambda: torch.empty(20, dtype=i64).random_() >> 12,
    "random.full64": lambda: torch.empty(20, dtype=i64).random_(-(2**63), None) >> 12,
    "randperm.10": lambda: torch.randperm(10),
    "randperm.1": lambda: torch.randperm(1),
    "randperm.5000": lambda: some(torch.randperm(5000)),
    "randperm.i32": lambda: torch.randperm(12, dtype=torch.int),
    "randperm.f16": lambda: torch.randperm(12, dtype=f16),
    "bernoulli.f32": lambda: torch.empty(40).bernoulli_(0.3),
    "bernoulli.i32": lambda: torch.empty(40, dtype=torch.int).bernoulli_(0.7),
    "bernoulli.tensor": lambda: torch.bernoulli(x20.abs()),
    "bernoulli.tensor64": lambda: torch.bernoulli(x20.abs().double()),
    "bernoulli.each": lambda: torch.empty(3, 20).bernoulli_(x20.abs()),
    "exponential.f32": lambda: torch.empty(20).exponential_(1.5),
    "exponential.f64": lambda: torch.empty(20, dtype=f64).exponential_(1.5),
    "exponential.bf16": lambda: torch.empty(20, dtype=bf16).exponential_(1.5),
    "multinomial.one": lambda: torch.multinomial(WEIGHTS, 1),
    "multinomial.two": lambda: torch.multinomial(WEIGHTS, 2),
    "multinomial.replace": lambda: torch.multinomial(WEIGHTS, 12, True),
    "multinomial.vector": lambda: torch.multinomial(WEIGHTS[0].double(), 7, True),
    "dropout.f32": lambda: torch.dropout(x20, 0.4, True),
    "dropout.f64": lambda: torch.dropout(x20.double(), 0.4, True),
    "dropout.bf16": lambda: torch.dropout(x20.bfloat16(), 0.4, True),
    "dropout.transposed": lambda: torch.dropout(x20.view(4, 5).t(), 0.4, True),
    "dropout_": lambda: torch.dropout_(x20.clone(), 0.4, True),
    "feature_dropout": lambda: torch.feature_dropout(x223, 0.4, True),
    "alpha_dropout": lambda: torch.alpha_dropout(x20, 0.4, True),
    "feature_alpha_dropout": lambda: torch.feature_alpha_dropout(x223, 0.4, True),
}

for name, run in CASES.items():
    torch.manual_seed(0)
    values = run().reshape(-1).to(f64).tolist() + [torch.rand(1, dtype=f64).item()]
    print(name, *(f"{v:.17g}" for v in values))
for seed in [1, 123, 2**32 - 1, 2**40 + 5, 2**63 + 11]:
    torch.manual_seed(seed)
    print(f"seed.{seed}", *(f"{v:.17g}" for v in torch.rand(3, dtype=f64).tolist()))
