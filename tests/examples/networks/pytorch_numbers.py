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


def self_normalizing():
    return nn.Sequential(nn.Linear(6, 8), nn.SELU(), nn.AlphaDropout(0.05),
                         nn.Linear(8, 7), nn.SELU(), nn.AlphaDropout(0.05),
                         nn.Linear(7, 4))


class ConvolutionBlock(nn.Module):
    def __init__(self, inputs, outputs, kernel):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, kernel)
        self.conv2 = nn.Conv2d(outputs, outputs, kernel)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return F.max_pool2d(self.norm(F.elu(self.conv2(F.elu(self.conv1(x))))), 2)


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.block1 = ConvolutionBlock(1, 3, 5)
        self.block2 = ConvolutionBlock(3, 4, 3)
        self.output = nn.Linear(4, 5)

    def forward(self, x):
        return self.output(self.block2(self.block1(x)).flatten(1))


class Convolved(nn.Module):
    def __init__(self, inputs, outputs, kernel=1, stride=1, groups=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return self.norm(self.conv(x))


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.squeeze = nn.Linear(channels, channels // 4)
        self.excite = nn.Linear(channels // 4, channels)

    def forward(self, x):
        gate = F.hardsigmoid(self.excite(F.relu(self.squeeze(x.mean((2, 3))))))
        return x * gate[:, :, None, None]


class Bottleneck(nn.Module):
    def __init__(self, inputs, expanded, outputs, kernel, stride):
        super().__init__()
        self.adds = stride == 1 and inputs == outputs
        self.expand = Convolved(inputs, expanded)
        self.depthwise = Convolved(expanded, expanded, kernel, stride, groups=expanded)
        self.attention = SqueezeExcite(expanded)
        self.project = Convolved(expanded, outputs)

    def forward(self, x):
        y = F.hardswish(self.depthwise(F.hardswish(self.expand(x))))
        y = self.project(self.attention(y))
        return x + y if self.adds else y


class MobileNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Convolved(1, 4, 3, 2)
        self.bottlenecks = nn.ModuleList([Bottleneck(4, 8, 4, 3, 1), Bottleneck(4, 8, 6, 5, 2)])
        self.head = Convolved(6, 8)
        self.scores = nn.Linear(8, 3)

    def forward(self, x):
        x = F.hardswish(self.stem(x))
        for bottleneck in self.bottlenecks:
            x = bottleneck(x)
        return self.scores(F.hardswish(self.head(x)).mean((2, 3)))


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, 2 * hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        value, gate = self.up(x).chunk(2, -1)
        return self.down(value * F.gelu(gate))


class TransformerBlock(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width, hidden)

    def forward(self, x):
        y = self.norm1(x)
        length = x.shape[1]
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        x = x + self.attention(y, y, y, attn_mask=later, need_weights=False)[0]
        return x + self.feed_forward(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(7, 6)
        self.places = nn.Embedding(4, 6)
        self.blocks = nn.ModuleList([TransformerBlock(6, 2, 4), TransformerBlock(6, 2, 4)])
        self.norm = nn.LayerNorm(6)

    def forward(self, text):
        x = self.letters(text) + self.places(torch.arange(text.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.letters.weight.T


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 5, batch_first=True)
        self.out = nn.Linear(5, 1)

    def forward(self, x):
        return self.out(self.gru(x)[0][:, -1])


class Characters(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(7, 4)
        self.gru = nn.GRU(4, 5, batch_first=True)
        self.next = nn.Linear(5, 7)

    def forward(self, text):
        return self.next(self.gru(self.letters(text))[0])


def cosine(rate, warm_up, total, lowest=0.0):
    """The learning rate of a step."""
    def of_step(step):
        if step < warm_up:
            return rate * (step + 1) / warm_up
        way = (step - warm_up) / (total - warm_up)
        return lowest + (rate - lowest) * (1 + math.cos(math.pi * way)) / 2
    return of_step


def decay_matrices(model, weight_decay):
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    return [{"params": matrices, "weight_decay": weight_decay},
            {"params": others, "weight_decay": 0}]


def cross_entropy(scores, labels):
    return F.cross_entropy(scores.flatten(0, -2), labels.flatten())


def constant(rate):
    return lambda step: rate


# Model, input, labels, loss, optimizer of a model, learning rate of a step, limit of the norm.
NETWORKS = {
    "self_normalizing": (
        self_normalizing, lambda: torch.randn(5, 6), lambda: torch.randint(4, (5,)), cross_entropy,
        lambda model: torch.optim.SGD(model.parameters(), lr=1), constant(1e-2), None),
    "convolution": (
        Convolution, lambda: torch.randn(4, 1, 20, 20), lambda: torch.randint(5, (4,)),
        cross_entropy, lambda model: torch.optim.Adam(model.parameters(), lr=1),
        cosine(2e-3, 1, 4), None),
    "mobilenet": (
        MobileNet, lambda: torch.randn(4, 1, 8, 8), lambda: torch.randint(3, (4,)), cross_entropy,
        lambda model: torch.optim.AdamW(decay_matrices(model, 0.05), lr=1), cosine(4e-3, 1, 4),
        None),
    "transformer": (
        Transformer, lambda: torch.randint(7, (3, 4)), lambda: torch.randint(7, (3, 4)),
        cross_entropy,
        lambda model: torch.optim.AdamW(decay_matrices(model, 0.1), lr=1, betas=(0.9, 0.99)),
        cosine(1e-3, 1, 4, 1e-4), 1.0),
    "recurrent": (
        Recurrent, lambda: torch.rand(4, 6, 2), lambda: 3 * torch.rand(4, 1), F.mse_loss,
        lambda model: torch.optim.AdamW(model.parameters(), lr=1, weight_decay=0), constant(3e-3),
        1.0),
    "characters": (
        Characters, lambda: torch.randint(7, (3, 6)), lambda: torch.randint(7, (3, 6)),
        cross_entropy,
        lambda model: torch.optim.AdamW(decay_matrices(model, 0.1), lr=1, betas=(0.9, 0.99)),
        cosine(1e-3, 1, 4, 1e-4), 1.0),
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
