#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains in PyTorch what write_runs trained, and compares what came of both.

usage: compare_torch.py FOLDER

PyTorch trains each problem in float64, which is taken for exact, and in float32. Ours in float32 must be
as near to the exact numbers as rounding allows, and ours in float64 likewise. What rounding allows is
measured: PyTorch trains in float64 with noise of the size of the other dtype's roundings, on everything
that a layer gives or is given back and on every parameter after its step. The allowed difference of a
tensor is MARGIN times the largest that such a run, or PyTorch's own float32, shows; more runs are made
before a difference is believed. So a gradient that is 0 but for roundings, and that Adam divides by its
own size, may differ as much as it does in PyTorch from run to run.
"""
import json
import pathlib
import struct
import sys

import torch

from torch_model import Model, Noise, loss, optimizer, unchanged

MARGIN = 16
FEW, MANY = 3, 40
UNIT = {"float32": 2.0**-24, "float64": 2.0**-53}
DTYPES = {"F64": torch.float64, "F32": torch.float32, "I64": torch.int64, "I32": torch.int32}


def read(path):
    """The tensors of a safetensors file, and its metadata."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        raw = bytearray(data[8 + length + begin:8 + length + end])
        dtype = DTYPES[entry["dtype"]]
        flat = torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors, metadata


def part(tensors, prefix):
    return {name[len(prefix):]: tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def train(spec, tensors, dtype, noise=unchanged):
    """What write_runs calls Trained, in float64."""

    def numbers(tensor):
        return tensor.to(dtype if tensor.is_floating_point() else tensor.dtype, copy=True)

    parameters = {name: numbers(value).requires_grad_() for name, value in part(tensors, "parameter.").items()}
    buffers = {name: numbers(value) for name, value in part(tensors, "buffer.").items()}
    model = Model(spec, parameters, buffers, noise)
    made, set_rates = optimizer(spec, list(parameters.values()))
    losses = []
    for step in range(spec["steps"]):
        batch = f"batch.{step % len(spec['batches'])}."
        set_rates(step)
        made.zero_grad()
        value = loss(spec, model(numbers(tensors[batch + "features"]), True), numbers(tensors[batch + "labels"]))
        value.backward()
        losses.append(value.item())
        if "clip_norm" in spec["optimizer"]:
            torch.nn.utils.clip_grad_norm_(parameters.values(), spec["optimizer"]["clip_norm"])
        made.step()
        if noise is not unchanged:
            with torch.no_grad():
                for parameter in parameters.values():
                    parameter.copy_(noise.moved(parameter))
    with torch.no_grad():
        prediction = model(numbers(tensors["evaluation.features"]), False)
        evaluation = loss(spec, prediction, numbers(tensors["evaluation.labels"]))
    left = {"losses": torch.tensor(losses, dtype=torch.float64), "evaluation": evaluation.reshape(1),
            "predictions": prediction}
    return {name: value.detach().double() for name, value in (left | parameters | buffers).items()}


def distance(a, b):
    """The largest difference; infinite where one has a NaN or an infinity that the other has not."""
    if a.shape != b.shape:
        return float("inf")
    apart = (a - b).abs()
    apart[(a == b) | (a.isnan() & b.isnan())] = 0
    return apart.nan_to_num(nan=float("inf")).max().item() if apart.numel() else 0.0


class Comparison:
    """Of one problem."""

    def __init__(self, spec, tensors):
        self.spec, self.tensors = spec, tensors
        self.exact = train(spec, tensors, torch.float64)
        self.runs = {dtype: [] for dtype in UNIT}
        self.runs["float32"].append(train(spec, tensors, torch.float32))

    def run(self, dtype, number):
        runs = self.runs[dtype]
        while len(runs) <= number:
            runs.append(train(self.spec, self.tensors, torch.float64, Noise(len(runs), UNIT[dtype])))
        return runs[number]

    def carried(self, dtype, name, number):
        return distance(self.run(dtype, number)[name], self.exact[name])

    def differences(self, dtype):
        for name, exact in self.exact.items():
            ours = self.tensors[f"{dtype}.{name}"].double()
            apart, carried, number = distance(ours, exact), 0.0, 0
            finite = exact[exact.isfinite()]
            size = finite.abs().max().item() if finite.numel() else 0.0
            while number < FEW or (number < MANY and apart > allowed):
                carried = max(carried, self.carried(dtype, name, number))
                allowed = MARGIN * (carried + UNIT[dtype] * size)
                number += 1
            if apart > allowed:
                yield f"{dtype} `{name}` differs by {apart:.3g}; roundings carry {carried:.3g}"


def shown(seed, text):
    print(f"{text}\n  ./dev compare-torch --seed {seed} --count 1", flush=True)


def main(folder):
    torch.set_num_threads(1)
    paths = sorted(pathlib.Path(folder).glob("*.safetensors"))
    sums = {"agree": 0, "differ": 0, "here": 0, "there": 0, "both": 0}
    for path in paths:
        tensors, metadata = read(path)
        spec = json.loads(metadata["spec"])
        refused = metadata.get("refused")
        try:
            comparison = Comparison(spec, tensors) if not refused else None
        except Exception as error:  # whatever PyTorch refuses a model by
            sums["there"] += 1
            shown(spec["seed"], f"PyTorch refuses: {error}")
            continue
        if refused:
            sums["here"] += 1
            shown(spec["seed"], f"refused here: {refused}")
            continue
        dtypes = [dtype for dtype in UNIT if f"{dtype}.losses" in tensors]
        found = next((text for dtype in dtypes for text in comparison.differences(dtype)), None)
        sums["differ" if found else "agree"] += 1
        if found:
            shown(spec["seed"], found)
    print(f"{len(paths)} models: {sums['agree']} agree, {sums['differ']} differ, {sums['here']} refused here, "
          f"{sums['there']} refused there")
    return 1 if sums["differ"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
