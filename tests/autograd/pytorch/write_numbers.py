#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what PyTorch computes, in float64, for losses and layers: numbers.json.

usage: write_numbers.py >numbers.json

A case has inputs, the parameters of a layer by their names, results, and the gradients of the results' sum,
element i of which counts 1 + (i mod 5) / 4, with respect to floating inputs and parameters. Inputs are
multiples of 1/16, so their numbers are short.
"""
import json

import torch
import torch.nn.functional as F
from torch import nn

CASES = {}


def number(value):
    return value if isinstance(value, int) else float(f"{value:.15g}")


def tensor(of):
    return {"shape": list(of.shape), "values": [number(value) for value in of.detach().flatten().tolist()]}


def draw(*shape, scale=1.0):
    return (torch.randn(shape, dtype=torch.float64) * scale * 16).round() / 16


def probabilities(*shape):
    """Some of which are 0."""
    drawn = (torch.rand(shape, dtype=torch.float64) * 8 - 2).round().clamp(min=0)
    drawn[..., 0] += drawn.sum(-1) == 0
    return drawn / drawn.sum(-1, keepdim=True)


def case(name, function, inputs, parameters=None):
    """The function gives a tensor or several."""
    parameters = parameters or {}
    leaves = [leaf for leaf in [*inputs, *parameters.values()] if leaf.is_floating_point()]
    for leaf in leaves:
        leaf.requires_grad_()
    results = function(*inputs)
    if torch.is_tensor(results):
        results = [results]
    total = sum((result.flatten() * (1 + torch.arange(result.numel()) % 5 / 4)).sum() for result in results)
    for leaf in leaves:
        leaf.grad = None
    total.backward()

    def gradient(of):
        return tensor(of.grad if of.grad is not None else torch.zeros_like(of))

    CASES[name] = {"inputs": [tensor(each) | {"gradient": gradient(each)["values"]} if each.is_floating_point()
                              else tensor(each) for each in inputs],
                   "parameters": {name: tensor(each) | {"gradient": gradient(each)["values"]}
                                  for name, each in parameters.items()},
                   "results": [tensor(each) for each in results]}


def losses():
    weight = torch.tensor([0.5, 2.0, 0.0, 1.5], dtype=torch.float64)
    classes = torch.tensor([[0, 2, 1], [3, -100, 2]])
    for how in ("none", "mean", "sum"):
        for name, options in {"": {}, " weight": {"weight": weight}, " smooth": {"label_smoothing": 0.3},
                              " weight smooth": {"weight": weight, "label_smoothing": 0.3}}.items():
            case(f"cross_entropy{name} {how}",
                 lambda x: F.cross_entropy(x.movedim(-1, 1), classes, reduction=how, **options), [draw(2, 3, 4)])
            case(f"cross_entropy soft{name} {how}",
                 lambda x, t: F.cross_entropy(x.movedim(-1, 1), t.movedim(-1, 1), reduction=how, **options),
                 [draw(2, 3, 4), probabilities(2, 3, 4)])
        case(f"nll {how}", lambda x: F.nll_loss(x.movedim(-1, 1), classes, weight, reduction=how), [draw(2, 3, 4)])
        case(f"huber {how}", lambda x, t: F.huber_loss(x, t, reduction=how, delta=0.7), [draw(3, 4), draw(3, 4)])
        case(f"smooth_l1 {how}", lambda x, t: F.smooth_l1_loss(x, t, reduction=how, beta=0.3),
             [draw(3, 4), draw(3, 4)])
        case(f"kl_div {how}", lambda x: F.kl_div(x, probability, reduction=how), [draw(3, 4)])
        case(f"kl_div log {how}", lambda x, t: F.kl_div(x, t, reduction=how, log_target=True),
             [draw(3, 4), draw(3, 4)])
        case(f"cosine_embedding {how}",
             lambda a, b: F.cosine_embedding_loss(a, b, torch.tensor([1, -1, 1, -1]), margin=-0.6, reduction=how),
             [draw(4, 3), draw(4, 3)])
        for swap in (False, True):
            case(f"triplet_margin {'swap ' if swap else ''}{how}",
                 lambda a, p, n: F.triplet_margin_loss(a, p, n, margin=1.5, p=3, swap=swap, reduction=how),
                 [draw(4, 3), draw(4, 3), draw(4, 3)])


if __name__ == "__main__":
    torch.manual_seed(1)
    probability = probabilities(3, 4)
    CASES["probabilities"] = tensor(probability)
    losses()
    lines = (f"{json.dumps(name)}: {json.dumps(of, separators=(',', ':'))}" for name, of in CASES.items())
    print("{\n" + ",\n".join(lines) + "\n}")
