# SPDX-License-Identifier: Apache-2.0
"""Root mean square normalization whose weight is an offset from 1: y = x / rms(x) (1 + weight)."""
import numpy as np

from aclgrad import Array
from kernels import wide

INPUTS = [Array((3, 6)), Array((6,), -1, 1)]
SAVED = 0
EPS = 1e-6


def forward(x, weight):
    x, weight = wide(x), wide(weight)
    scale = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + EPS)
    return x * scale * (1 + weight)


def backward(dy, x, weight):
    dy, x, weight = wide(dy), wide(x), wide(weight)
    scale = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + EPS)
    w_dy = dy * (1 + weight)
    along = (w_dy * x).mean(-1, keepdims=True)
    return scale * w_dy - scale**3 * x * along, (dy * x * scale).sum(0)


MISTAKES = (
    ("the offset is forgotten", "w_dy = dy * (1 + weight)", "w_dy = dy * weight"),
    ("the scale's power is 2", "scale**3", "scale**2"),
    ("the term along x is missing", "scale * w_dy - scale**3 * x * along", "scale * w_dy"),
    ("no scale in the weight's", "(dy * x * scale).sum(0)", "(dy * x).sum(0)"),
    (
        "the mean runs over rows",
        "(w_dy * x).mean(-1, keepdims=True)",
        "(w_dy * x).mean(0, keepdims=True)",
    ),
)
