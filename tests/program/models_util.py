"""What PyTorch computes with an exported program: outputs, gradients and losses, for a comparison with Taper's."""
import copy

import torch
from torch.utils import _pytree as pytree

STEPS = 10


def loss_of(result):
    """The sum of the mean squares of all floating results, and of their products with a ramp: the squares of a layer norm have no
    gradient."""
    tensors = [t for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor) and t.is_floating_point()]
    return sum((t * t).mean() + (t * torch.linspace(-1, 1, t.numel(), dtype=t.dtype).view(t.shape)).mean() for t in tensors)


def optimizers(parameters):
    return {"sgd": lambda: torch.optim.SGD(parameters, lr=1e-3, momentum=0.9),
            "adamw": lambda: torch.optim.AdamW(parameters, lr=1e-3)}


def train(model, name, inputs, named):
    """The losses of ten steps of a copy of the model."""
    model = copy.deepcopy(model)
    optimizer = optimizers([p for p in model.parameters() if p.requires_grad])[name]()
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(model(*copy.deepcopy(inputs), **copy.deepcopy(named)))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def plain(value):
    """The value with lists and dictionaries in place of a program's own classes."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value)) if type(value) in (list, tuple) else tuple(map(plain, value))
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def expected(model, inputs, named=None, learns=True):
    """Everything that PyTorch says of a model and its inputs."""
    named = named or {}
    state = copy.deepcopy(model)
    result = state(*copy.deepcopy(inputs), **copy.deepcopy(named))
    leaves = [t.detach().clone() for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]
    found = {"inputs": plain(list(inputs)), "named": plain(named), "outputs": leaves,
             "buffers": {n: b.detach().clone() for n, b in state.named_buffers() if n in state.state_dict()}}
    if learns and any(p.requires_grad for p in state.parameters()):
        state = copy.deepcopy(model)
        loss_of(state(*copy.deepcopy(inputs), **copy.deepcopy(named))).backward()
        found["gradients"] = {n: p.grad.clone() for n, p in state.named_parameters() if p.grad is not None}
        for name in ("sgd", "adamw"):
            found[name] = train(model, name, inputs, named)
    return found
