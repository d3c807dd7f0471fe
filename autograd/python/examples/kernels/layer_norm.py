# SPDX-License-Identifier: Apache-2.0
"""Layer normalization: the forward keeps mean and 1 / deviation of each row; the backward adds up
the gradients of weight and bias in groups of rows, as parallel programs do."""
import numpy as np

from aclgrad import Array
from kernels import wide

INPUTS = [Array((3, 5)), Array((5,), 0.5, 2), Array((5,))]
SAVED = 2
EPS = 1e-5
GROUPS = 2


def forward(x, weight, bias):
    x, weight, bias = wide(x), wide(weight), wide(bias)
    mean = x.mean(-1)
    variance = ((x - mean[:, None]) ** 2).mean(-1)
    rstd = 1 / np.sqrt(variance + EPS)
    y = (x - mean[:, None]) * rstd[:, None] * weight + bias
    return y, mean, rstd


def backward(dy, x, weight, bias, mean, rstd):
    dy, x, weight = wide(dy), wide(x), wide(weight)
    x_hat = (x - mean[:, None]) * rstd[:, None]
    w_dy = weight * dy
    c1 = (x_hat * w_dy).mean(-1, keepdims=True)
    c2 = w_dy.mean(-1, keepdims=True)
    dx = (w_dy - (x_hat * c1 + c2)) * rstd[:, None]
    d_weight = np.zeros((GROUPS, x.shape[1]), x.dtype)
    d_bias = np.zeros((GROUPS, x.shape[1]), x.dtype)
    for row in range(x.shape[0]):
        d_weight[row % GROUPS] += dy[row] * x_hat[row]
        d_bias[row % GROUPS] += dy[row]
    return dx, d_weight.sum(0), d_bias.sum(0)


MISTAKES = (
    ("the mean of the gradient is left out", "(x_hat * c1 + c2)", "(x_hat * c1)"),
    ("the weight is left out", "w_dy = weight * dy", "w_dy = dy"),
    (
        "a group overwrites instead of adding",
        "d_bias[row % GROUPS] += dy",
        "d_bias[row % GROUPS] = dy",
    ),
    ("the last group is lost", "d_weight.sum(0)", "d_weight[:-1].sum(0)"),
    ("x in place of the normalized x", "+= dy[row] * x_hat[row]", "+= dy[row] * x[row]"),
)
