#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files beside it, as PyTorch and NumPy write them (Debian 12: python3-torch, python3-numpy).

usage: make.py FOLDER
"""
import argparse
import collections
import pathlib
import sys

import numpy as np
import torch
from torch import nn

DTYPES = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16,
          "bfloat16": torch.bfloat16, "int64": torch.int64, "int32": torch.int32, "int16": torch.int16,
          "int8": torch.int8, "uint8": torch.uint8, "bool": torch.bool}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(self.first(x))


def main():
    folder = pathlib.Path(sys.argv[1])
    net = Net()
    with torch.no_grad():
        net.first.weight.copy_(torch.arange(9.0).reshape(3, 3))
        net.first.bias.copy_(torch.tensor([-1.0, 0.5, 2.0]))
    torch.save(net.state_dict(), folder / "state.pth")
    net(torch.randn(4, 3)).sum().backward()
    adam = torch.optim.Adam(net.parameters())
    adam.step()
    torch.save({"epoch": 3, "model": net.state_dict(), "optimizer": adam.state_dict(), "rates": [0.1, None, True]},
               folder / "checkpoint.pth")
    base = torch.arange(12.0).reshape(3, 4)
    views = {"whole": base, "turned": base.t(), "column": base[:, 1], "none": torch.zeros(0, 2),
             "scalar": torch.tensor(7.0), "parameter": nn.Parameter(torch.ones(2)),
             "list": [torch.tensor([1]), (torch.tensor([2]),)]}
    for name, dtype in DTYPES.items():
        views[name] = torch.tensor([[0, 1], [1, 0]]).to(dtype)
    torch.save(views, folder / "views.pth")
    torch.save(base, folder / "tensor.pt")
    torch.save({"x": torch.zeros(1).expand(5)}, folder / "expanded.pth")
    torch.save({"x": torch.zeros(2, dtype=torch.complex64)}, folder / "complex.pth")
    # Tensors beside what is none, or of a dtype that others have not.
    torch.save({"args": argparse.Namespace(lr=0.1, hidden=torch.ones(1)), "best": np.float64(0.5),
                "shape": torch.Size([2, 3]), "dtype": torch.float32, "device": torch.device("cpu"),
                "rates": collections.defaultdict(list, {"a": torch.ones(1)}), "set": {1}, 1.5: torch.ones(1),
                ("a", 1): torch.ones(1), "path": pathlib.PurePosixPath("a"), "none": None,
                "complex": torch.ones(2, dtype=torch.complex64), "expanded": torch.ones(1).expand(2, 3),
                "far": torch.zeros(1).expand(1 << 26), "quantized": torch.quantize_per_tensor(base, 1, 0, torch.qint8),
                "sparse": base.to_sparse(), "channels": torch.arange(8.0).reshape(1, 2, 2, 2).to(memory_format=torch.channels_last),
                "x": base}, folder / "mixed.pth")
    torch.save(net, folder / "module.pth")
    torch.save(net.state_dict(), folder / "legacy.pth", _use_new_zipfile_serialization=False)
    torch.jit.script(net).save(folder / "script.pt")
    x, y = np.arange(600, dtype=np.float32).reshape(20, 30), np.array([True, False])
    np.savez_compressed(folder / "compressed.npz", x=x, y=y, turned=np.asfortranarray(x[:2, :3]))
    np.savez(folder / "stored.npz", x=x[0], y=y)


if __name__ == "__main__":
    main()
