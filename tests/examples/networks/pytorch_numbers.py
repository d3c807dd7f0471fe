#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what PyTorch computes for the networks of the examples, at tiny sizes.

usage: pytorch_numbers.py FOLDER

A file of a network holds, in the safetensors format and with PyTorch's names and layouts,
  model.*       the parameters and buffers to begin with
  input, labels one batch
  output        of the input, in evaluation mode
  gradient.*    of the loss of the batch, in training mode without dropout; and the buffers after that
  losses        before each of three steps on the batch, with the example's optimizer
  stepped.*     the parameters and buffers after them
All but the labels is float32. It was computed in double from the same float32 numbers, so it has no
rounding errors of its own; how far PyTorch's float32 is from it is printed.
"""
import copy
import json
import math
import pathlib
import struct
import sys

import torch
import torch.nn.functional as F
from torch import nn

from pytorch_models import (Characters, Convolution, Listener, MobileNet, Recurrent, Transformer, Translator,
                            cosine, cross_entropy, decay_matrices, self_normalizing)


def constant(rate):
    return lambda step: rate


# Model, input, labels, loss, optimizer of a model, learning rate of a step, limit of the norm.
NETWORKS = {
    "self_normalizing": (
        lambda: self_normalizing((6, 8, 7, 4)),
        lambda: torch.randn(5, 6), lambda: torch.randint(4, (5,)),
        cross_entropy, lambda model: torch.optim.SGD(model.parameters(), lr=1), constant(1e-2), None),
    "convolution": (
        lambda: Convolution(3, 4, 4, 5),
        lambda: torch.randn(4, 1, 20, 20), lambda: torch.randint(5, (4,)),
        cross_entropy, lambda model: torch.optim.Adam(model.parameters(), lr=1),
        cosine(2e-3, 1, 4), None),
    "mobilenet": (
        lambda: MobileNet(4, ((4, 8, 4, 3, 1), (4, 8, 6, 5, 2)), 8, 3),
        lambda: torch.randn(4, 1, 8, 8), lambda: torch.randint(3, (4,)),
        cross_entropy, lambda model: torch.optim.AdamW(decay_matrices(model, 0.05), lr=1), cosine(4e-3, 1, 4),
        None),
    "transformer": (
        lambda: Transformer(7, 4, 6, 2, 4, 2),
        lambda: torch.randint(7, (3, 4)), lambda: torch.randint(7, (3, 4)),
        cross_entropy,
        lambda model: torch.optim.AdamW(decay_matrices(model, 0.1), lr=1, betas=(0.9, 0.99)),
        cosine(1e-3, 1, 4, 1e-4), 1.0),
    "recurrent": (
        lambda: Recurrent(5),
        lambda: torch.rand(4, 6, 2), lambda: 3 * torch.rand(4, 1), F.mse_loss,
        lambda model: torch.optim.AdamW(model.parameters(), lr=1, weight_decay=0), constant(3e-3),
        1.0),
    "characters": (
        lambda: Characters(7, 4, 5),
        lambda: torch.randint(7, (3, 6)), lambda: torch.randint(7, (3, 6)),
        cross_entropy,
        lambda model: torch.optim.AdamW(decay_matrices(model, 0.1), lr=1, betas=(0.9, 0.99)),
        cosine(1e-3, 1, 4, 1e-4), 1.0),
    "translate": (
        lambda: Translator(5, 7, 6, 6, 2, 4, 1),
        lambda: torch.cat((torch.tensor([[1, 4, 2, 6, 3], [5, 2, 6, 0, 0], [3, 1, 0, 0, 0]]),
                           torch.randint(6, (3, 4))), 1),
        lambda: torch.randint(6, (3, 4)), cross_entropy,
        lambda model: torch.optim.AdamW(decay_matrices(model, 0.01), lr=1, betas=(0.9, 0.99)),
        cosine(2e-3, 1, 4), 1.0),
    "spoken": (
        lambda: Listener(8, 2, 3, 3, 4),
        lambda: torch.randn(4, 1, 8, 12), lambda: torch.randint(4, (4,)), cross_entropy,
        lambda model: torch.optim.AdamW(decay_matrices(model, 0.05), lr=1), cosine(2e-3, 1, 4), 1.0),
}


PARTS = ("output", "losses", "gradient", "stepped")


def run(model, x, labels, loss_of, make_optimizer, rate, max_norm):
    """The numbers of a model, whose dtype they are computed in."""
    model = copy.deepcopy(model)
    numbers = {"output": model.eval()(x).detach()}
    model.train()
    for module in model.modules():
        if isinstance(module, nn.AlphaDropout):
            module.p = 0
    optimizer = make_optimizer(model)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    losses, norms = [], []
    for step in range(3):
        optimizer.zero_grad()
        loss = loss_of(model(x), labels)
        loss.backward()
        losses.append(loss.detach())
        if step == 0:
            for name, parameter in model.named_parameters():
                numbers["gradient." + name] = parameter.grad.clone()
            for name, buffer in model.named_buffers():
                numbers["gradient." + name] = buffer.clone()
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), max_norm or math.inf).item())
        optimizer.step()
        scheduler.step()
    numbers["losses"] = torch.stack(losses)
    for name, tensor in model.state_dict().items():
        numbers["stepped." + name] = tensor
    return numbers, norms


def randomize(model):
    """Biases, scales and statistics are 0 or 1 at first, which would hide mistakes."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                scale = "norm" in name and name.endswith("weight")
                parameter.copy_(0.3 * torch.randn(parameter.shape) + (1 if scale else 0))
        for name, buffer in model.named_buffers():
            if name.endswith("running_mean"):
                buffer.copy_(0.3 * torch.randn(buffer.shape))
            if name.endswith("running_var"):
                buffer.copy_(0.5 + torch.rand(buffer.shape))


def save(path, tensors):
    header, data = {"__metadata__": {"pytorch": torch.__version__}}, b""
    for name, tensor in tensors.items():
        code, dtype = ("I64", "<i8") if tensor.dtype == torch.int64 else ("F32", "<f4")
        raw = tensor.detach().numpy().astype(dtype).tobytes()
        header[name] = {"dtype": code, "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def deviation(tensors, exact, prefix):
    """The largest of all tensors, each relative to its largest magnitude. Left out is what has a
    gradient of 0 but for rounding errors, as a constant that a normalization or softmax removes: how
    Adam steps then is chance."""
    worst = 0
    for name in (name for name in exact if name.startswith(prefix)):
        error = (tensors[name] - exact[name]).abs()
        gradient = exact.get(name.replace("stepped", "gradient"))
        if gradient is not None:
            error = error[gradient.abs() > 1e-12]
        if prefix == "stepped" and "running" in name:  # of what moved by chance
            continue
        if error.numel() > 0:
            worst = max(worst, (error.max() / exact[name].abs().max()).item())
    return f"{worst:.1e}"


def main():
    folder = pathlib.Path(sys.argv[1])
    print("| network |", " | ".join(PARTS), "| norms of the gradients |\n" + "|---" * 6 + "|")
    for name, (make, make_input, make_labels, *recipe) in NETWORKS.items():
        # With most seeds some bias before a batch normalization has a gradient that is 0, or a sum
        # that nearly cancels, of which float32 leaves few digits. Not with this one.
        torch.manual_seed(13)
        model = make()
        randomize(model)
        x, labels = make_input(), make_labels()
        rounded, _ = run(model, x, labels, *recipe)
        in_double = [t.double() if t.is_floating_point() else t for t in (x, labels)]
        exact, norms = run(copy.deepcopy(model).double(), *in_double, *recipe)
        state = {"model." + key: tensor for key, tensor in model.state_dict().items()}
        # 64-bit numbers first, so that all are aligned.
        tensors = {**state, "input": x, "labels": labels, **exact}
        save(folder / f"{name}.safetensors",
             dict(sorted(tensors.items(), key=lambda item: item[1].dtype != torch.int64)))
        rows = [deviation(rounded, exact, part) for part in PARTS]
        print(f"| {name} |", " | ".join(rows), "|", ", ".join(f"{norm:.2f}" for norm in norms), "|")


if __name__ == "__main__":
    main()
