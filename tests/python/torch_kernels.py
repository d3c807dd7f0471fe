# SPDX-License-Identifier: Apache-2.0
"""A kernel over PyTorch's tensors, for the referee: it keeps statistics in float32 and the output."""
import torch


def wide(x):
    return x if x.dtype == torch.float64 else x.float()


def forward(x):
    scale = torch.rsqrt((wide(x) ** 2).mean(-1) + 1e-5)
    y = wide(x) * scale[:, None]
    return y.to(x.dtype), scale, torch.empty(0, dtype=x.dtype)


def backward(dy, x, scale, nothing):
    assert scale.dtype in (torch.float32, torch.float64) and nothing.dtype == x.dtype
    normalized = wide(x) * scale[:, None]
    along = (wide(dy) * normalized).mean(-1, keepdim=True)
    return (scale[:, None] * (wide(dy) - normalized * along)).to(x.dtype)


def half_written(dy, x, scale, nothing):
    dx = torch.empty_like(x)
    dx[:-1] = backward(dy, x, scale, nothing)[:-1]
    return dx
