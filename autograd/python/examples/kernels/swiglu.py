# SPDX-License-Identifier: Apache-2.0
"""SwiGLU: silu(gate) * up."""
import numpy as np

from aclgrad import Array
from kernels import wide

INPUTS = [Array((3, 4)), Array((3, 4))]
SAVED = 0


def forward(gate, up):
    gate, up = wide(gate), wide(up)
    return gate / (1 + np.exp(-gate)) * up


def backward(dy, gate, up):
    dy, gate, up = wide(dy), wide(gate), wide(up)
    sigmoid = 1 / (1 + np.exp(-gate))
    silu = gate * sigmoid
    d_gate = dy * up * (sigmoid + silu * (1 - sigmoid))
    return d_gate, dy * silu


MISTAKES = (
    ("the sigmoid's own slope is left out", "sigmoid + silu * (1 - sigmoid)", "sigmoid"),
    ("a sign", "(1 - sigmoid)", "(1 + sigmoid)"),
    ("up is left out", "dy * up * (", "dy * ("),
    ("the sigmoid in place of silu", "return d_gate, dy * silu", "return d_gate, dy * sigmoid"),
    ("gate and up are exchanged", "return d_gate, dy * silu", "return dy * silu, d_gate"),
)
