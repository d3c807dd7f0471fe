# SPDX-License-Identifier: Apache-2.0
"""Softmax over rows; the backward is made of the output, as it is stored."""
import numpy as np

from aclgrad import Array
from kernels import wide

INPUTS = [Array((3, 6))]
SAVED = 0


def forward(x):
    x = wide(x)
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def backward(dy, x, outputs):
    dy, y = wide(dy), wide(outputs[0])
    return y * (dy - (y * dy).sum(-1, keepdims=True))


MISTAKES = (
    ("the sum is left out", "dy - (y * dy).sum(-1, keepdims=True)", "dy"),
    ("a mean in place of the sum", ").sum(-1, keepdims=True))", ").mean(-1, keepdims=True))"),
    ("y is left out of the sum", "(y * dy).sum", "dy.sum"),
    ("a sign", "(dy - (y", "(dy + (y"),
    ("one element of a row is not in the sum", "(y * dy).sum", "(y * dy)[:, 1:].sum"),
)
