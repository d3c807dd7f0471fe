# SPDX-License-Identifier: Apache-2.0
"""Root mean square normalization, with a weight; the forward keeps 1 / rms of each row."""
import numpy as np

from aclgrad import Array
from kernels import wide

INPUTS = [Array((3, 5)), Array((5,), 0.5, 2)]
SAVED = 1
EPS = 1e-6


def forward(x, weight):
    x, weight = wide(x), wide(weight)
    scale = 1 / np.sqrt((x * x).mean(-1) + EPS)
    return x * scale[:, None] * weight, scale


def backward(dy, x, weight, scale):
    dy, x, weight = wide(dy), wide(x), wide(weight)
    normalized = x * scale[:, None]
    w_dy = dy * weight
    along = (w_dy * normalized).mean(-1, keepdims=True)
    dx = scale[:, None] * (w_dy - normalized * along)
    return dx, (dy * normalized).sum(0)


MISTAKES = (
    ("a sum in place of the mean", "(w_dy * normalized).mean(", "(w_dy * normalized).sum("),
    ("the term along x is added", "w_dy - normalized", "w_dy + normalized"),
    ("the scale is left out of dx", "dx = scale[:, None] * (", "dx = ("),
    (
        "the first row is missing in the weight's",
        "(dy * normalized).sum(0)",
        "(dy * normalized)[1:].sum(0)",
    ),
    ("the term along x is half too large", "along = (", "along = 1.5 * ("),
)
