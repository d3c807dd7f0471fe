# SPDX-License-Identifier: Apache-2.0
"""Group normalization of (batch, channels, places), with a weight and bias for each channel."""
import numpy as np

from aclgrad import Array
from kernels import wide

INPUTS = [Array((2, 4, 3)), Array((4,), 0.5, 2), Array((4,))]
SAVED = 2
EPS = 1e-5
GROUPS = 2


def forward(x, weight, bias):
    x, weight, bias = wide(x), wide(weight), wide(bias)
    grouped = x.reshape(x.shape[0], GROUPS, -1)
    mean = grouped.mean(-1)
    rstd = 1 / np.sqrt(((grouped - mean[..., None]) ** 2).mean(-1) + EPS)
    normalized = ((grouped - mean[..., None]) * rstd[..., None]).reshape(x.shape)
    return normalized * weight[:, None] + bias[:, None], mean, rstd


def backward(dy, x, weight, bias, mean, rstd):
    dy, x, weight = wide(dy), wide(x), wide(weight)
    shape = (x.shape[0], GROUPS, -1)
    normalized = (x.reshape(shape) - mean[..., None]) * rstd[..., None]
    w_dy = (dy * weight[:, None]).reshape(shape)
    along = (w_dy * normalized).mean(-1, keepdims=True)
    level = w_dy.mean(-1, keepdims=True)
    dx = rstd[..., None] * (w_dy - level - normalized * along)
    return dx.reshape(x.shape), (dy * normalized.reshape(x.shape)).sum((0, 2)), dy.sum((0, 2))


MISTAKES = (
    ("the level is left out", "w_dy - level - normalized", "w_dy - normalized"),
    ("the weight is applied after the sums", "(dy * weight[:, None]).reshape", "dy.reshape"),
    ("sums do not run over the batch", "dy.sum((0, 2))", "dy[0].sum(-1)"),
    (
        "the mean runs over the groups",
        "level = w_dy.mean(-1, keepdims=True)",
        "level = w_dy.mean(1, keepdims=True)",
    ),
    ("the term along x is added", "level - normalized * along", "level + normalized * along"),
)
