# SPDX-License-Identifier: Apache-2.0
"""Rotary positions: each pair of the halves of a row is turned by an angle that grows with the
row."""
import numpy as np

from aclgrad import Array
from kernels import wide

INPUTS = [Array((4, 6))]
SAVED = 0


def angles(rows, half):
    return np.arange(rows)[:, None] / 100 ** (np.arange(half) / half)


def turned(x, sign):
    half = x.shape[1] // 2
    angle = angles(x.shape[0], half)
    cos, sin = np.cos(angle).astype(x.dtype), sign * np.sin(angle).astype(x.dtype)
    left, right = x[:, :half], x[:, half:]
    return np.concatenate([left * cos - right * sin, right * cos + left * sin], 1)


def forward(x):
    return turned(wide(x), 1)


def backward(dy, x):
    return turned(wide(dy), -1)


MISTAKES = (
    ("turned forwards", "turned(wide(dy), -1)", "turned(wide(dy), 1)"),
    ("not turned", "return turned(wide(dy), -1)", "return dy"),
    ("rows are one off", "turned(wide(dy), -1)", "turned(np.roll(wide(dy), 1, 0), -1)"),
    ("the halves are exchanged", "turned(wide(dy), -1)", "turned(wide(dy)[:, ::-1], -1)"),
    (
        "the last row is lost",
        "turned(wide(dy), -1)",
        "turned(wide(dy), -1) * (np.arange(len(dy)) < 3)[:, None]",
    ),
)
