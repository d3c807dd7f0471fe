# SPDX-License-Identifier: Apache-2.0
"""Fused cross entropy: the mean of -log softmax(logits)[target] over the rows that count. The
forward makes the gradient in the same sweep and keeps it; the backward multiplies it."""
import numpy as np

from aclgrad import Array
from kernels import wide

IGNORED = -1
INPUTS = [Array((6, 5)), Array((6,), IGNORED, 4, dtype="int64")]
SAVED = 1


def forward(logits, targets):
    logits = wide(logits)
    shifted = logits - logits.max(-1, keepdims=True)
    total = np.exp(shifted).sum(-1, keepdims=True)
    counts = targets != IGNORED
    count = max(1, counts.sum())
    rows = np.arange(len(targets))
    loss = (np.log(total[:, 0]) - shifted[rows, targets]) * counts
    gradient = np.exp(shifted) / total
    gradient[rows, targets] -= 1
    gradient *= counts[:, None] / count
    return (loss.sum() / count).astype(logits.dtype), gradient.astype(logits.dtype)


def backward(d_loss, logits, targets, gradient):
    return gradient * wide(d_loss)


MISTAKES = (
    ("what arrives is ignored", "gradient * wide(d_loss)", "gradient"),
    ("ignored rows have a gradient", "gradient *= counts[:, None] / count", "gradient /= count"),
    ("divided by all rows", "counts[:, None] / count", "counts[:, None] / len(targets)"),
    ("the target is not taken off", "gradient[rows, targets] -= 1", "gradient[rows, targets] -= 0"),
    ("not divided by the sum", "np.exp(shifted) / total", "np.exp(shifted)"),
)
