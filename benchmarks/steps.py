#!/usr/bin/env python3
"""The training steps of steps.cpp in Python, under torch.compile: steps.py MODEL f32|bf16 THREADS.

Prints what steps.cpp prints, but for the memory, which compiling took. Compiled is the loss, and with it its
gradients; optimizers are PyTorch's fused ones, recurrent layers what torch.compile leaves them (eager). With --eager
nothing is compiled.
"""
import sys
import time

import torch
from torch import nn
import torch.nn.functional as F


# ---------------------------------------------------------------------- GPT-2, as in examples/gpt/model.cpp
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width)
        self.c_attn, self.attn_c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.c_fc, self.mlp_c_proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x):
        n, length, width = x.shape
        q, k, v = (p.view(n, length, self.heads, -1).transpose(1, 2) for p in self.c_attn(x).split(width, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.attn_c_proj(y.transpose(1, 2).reshape(n, length, width))

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        return x + self.mlp_c_proj(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, layers, heads, width, vocabulary):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(256, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        with torch.no_grad():
            for name, p in self.named_parameters():
                if p.dim() == 2:
                    p.normal_(0, 0.02 / (2 * layers) ** 0.5 if name.endswith("c_proj.weight") else 0.02)
                if name.endswith(".bias"):
                    p.zero_()

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe.weight[:tokens.size(1)]
        for block in self.h:
            x = block(x)
        return F.linear(self.ln_f(x), self.wte.weight)


def gpt(layers, heads, width, vocabulary, batch):
    net = Gpt(layers, heads, width, vocabulary)
    text = torch.randint(vocabulary, (batch, 257))
    x, y = text[:, :256], text[:, 1:].contiguous()
    groups = [{"params": [p for p in net.parameters() if p.dim() >= 2], "weight_decay": 0.1},
              {"params": [p for p in net.parameters() if p.dim() < 2], "weight_decay": 0}]
    adamw = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.95), fused=True)
    return adamw, lambda: F.cross_entropy(net(x).view(-1, vocabulary), y.reshape(-1))


# ---------------------------------------------------------------------- the others
def conv(from_, to, kernel, stride):
    return nn.Conv2d(from_, to, kernel, stride, kernel // 2, bias=False)


class Residual(nn.Module):
    def __init__(self, in_, out, stride):
        super().__init__()
        self.main = nn.Sequential(conv(in_, out, 3, stride), nn.BatchNorm2d(out), nn.ReLU(), conv(out, out, 3, 1),
                                  nn.BatchNorm2d(out))
        self.side = None
        if stride != 1 or in_ != out:
            self.side = nn.Sequential(conv(in_, out, 1, stride), nn.BatchNorm2d(out))

    def forward(self, x):
        return torch.relu(self.main(x) + (self.side(x) if self.side else x))


def resnet18():
    parts = [conv(3, 64, 3, 1), nn.BatchNorm2d(64), nn.ReLU()]
    for stage in range(4):
        width = 64 << stage
        parts += [Residual(width // 2 if stage else 64, width, 2 if stage else 1), Residual(width, width, 1)]
    net = nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))
    x, y = torch.randn(32, 3, 32, 32), torch.randint(10, (32,))
    sgd = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, nesterov=True, weight_decay=5e-4, fused=True)
    return sgd, lambda: F.cross_entropy(net(x), y)


def lenet():
    net = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
                        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                        nn.Linear(84, 10))
    x, y = torch.randn(128, 1, 28, 28), torch.randint(10, (128,))
    sgd = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, fused=True)
    return sgd, lambda: F.cross_entropy(net(x), y)


def lstm():
    embedding, layers, output = nn.Embedding(2000, 256), nn.LSTM(256, 512, num_layers=2), nn.Linear(512, 2000)
    text = torch.randint(2000, (36, 20))
    x, y = text[:35], text[1:].reshape(-1)
    sgd = torch.optim.SGD(nn.ModuleList([embedding, layers, output]).parameters(), lr=1.0, fused=True)
    return sgd, lambda: F.cross_entropy(output(layers(embedding(x))[0]).view(-1, 2000), y)


def vae():
    encoder = nn.Sequential(nn.Linear(784, 400), nn.ReLU(), nn.Linear(400, 40))
    decoder = nn.Sequential(nn.Linear(20, 400), nn.ReLU(), nn.Linear(400, 784))
    x = torch.rand(128, 784)

    def loss():
        mean, log_variance = encoder(x).float().chunk(2, 1)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        likelihood = F.binary_cross_entropy_with_logits(decoder(z).float(), x, reduction="sum")
        divergence = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum()
        return (likelihood + divergence) / 128

    return torch.optim.Adam(nn.ModuleList([encoder, decoder]).parameters(), lr=1e-3, fused=True), loss


def dqn():
    def make():
        return nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2))

    net, target = make(), make()
    state, after, reward = torch.randn(64, 4), torch.randn(64, 4), torch.rand(64)
    action = torch.randint(2, (64, 1))

    def loss():
        with torch.no_grad():
            best = reward + 0.99 * target(after).float().max(1)[0]
        return F.smooth_l1_loss(net(state).gather(1, action).squeeze(1).float(), best)

    return torch.optim.Adam(net.parameters(), lr=1e-4, fused=True), loss


def heat():
    parts = [nn.Linear(2, 50), nn.Tanh()]
    for _ in range(3):
        parts += [nn.Linear(50, 50), nn.Tanh()]
    net = nn.Sequential(*parts, nn.Linear(50, 1))
    points = torch.rand(1000, 2)

    # torch.autograd.grad is not compiled, torch.func's is.
    def first_of(p):
        u = net(p).float()
        return u.sum(), u

    def second_of(p):
        first, u = torch.func.grad(first_of, has_aux=True)(p)
        return first[:, 0].sum(), (first, u)

    def loss():
        second, (first, u) = torch.func.grad(second_of, has_aux=True)(points)
        return ((first[:, 1] - second[:, 0]).pow(2).mean() +
                (u.squeeze(1) - torch.sin(points[:, 0])).pow(2).mean())

    return torch.optim.Adam(net.parameters(), lr=1e-3, fused=True), loss


MODELS = {"gpt10m": lambda: gpt(6, 6, 384, 256, 4), "gpt124m": lambda: gpt(12, 12, 768, 50257, 1),
          "resnet18": resnet18, "lenet": lenet, "lstm": lstm, "vae": vae, "dqn": dqn, "heat": heat}


# ---------------------------------------------------------------------- measuring
def step(optimizer, loss_of, bf16):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
        loss = loss_of()
    loss.backward()
    optimizer.step()
    return loss.detach()


def least_s(run, clock):
    """The least of the steps of a second."""
    least, count, end = float("inf"), 0, time.perf_counter() + 1
    while count < 3 or time.perf_counter() < end:
        start = clock()
        run()
        least, count = min(least, clock() - start), count + 1
    return least


def main():
    model, dtype, threads = sys.argv[1:4]
    torch.set_num_threads(int(threads))
    torch.manual_seed(0)
    optimizer, loss_of = MODELS[model]()
    if "--eager" not in sys.argv:
        loss_of = torch.compile(loss_of)
    run = lambda: step(optimizer, loss_of, dtype == "bf16")
    for _ in range(5):
        loss = run()
    name = "%s %s threads %s" % (model, dtype, threads)
    print("steps.%s\t%.6g" % (name, least_s(run, time.process_time if threads == "1" else time.perf_counter)))
    print("loss.%s\t%.6g" % (name, loss.item()))


main()
