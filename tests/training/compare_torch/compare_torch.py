#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains in PyTorch what write_runs trained, and compares what came of both.

usage: compare_torch.py FOLDER

PyTorch trains each problem in float64, which is taken for exact, and in float32. Ours in float32 must be
as near to the exact numbers as rounding allows, and ours in float64 likewise. What rounding allows is
measured: PyTorch trains in float64 with noise of the size of the dtype's roundings, on everything that a
layer gives or is given back and on every parameter after its step; and, in both dtypes, of the size of
float32's on every option, since the C interface takes most options as floats. The allowed difference of a
tensor is MARGIN times the largest that such a run, or PyTorch's own float32, shows; more runs are made
before a difference is believed. So a gradient that is 0 but for roundings, and that Adam divides by its
own size, may differ as much as it does in PyTorch from run to run.
"""
import json
import pathlib
import struct
import sys

import torch

from torch_model import Model, Noise, loss, optimizer, option_with, unchanged

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


def moved(options, noise):
    """A description whose numbers with a fraction are other ones of float32."""
    if isinstance(options, dict):
        return {name: moved(value, noise) for name, value in options.items()}
    if isinstance(options, list):
        return [moved(value, noise) for value in options]
    return option_with(noise, options) if isinstance(options, float) else options


def train(spec, frozen, tensors, dtype, noise=unchanged):
    """What write_runs calls Trained, in float64."""
    if noise is not unchanged:
        spec = moved(spec, noise)

    def numbers(tensor):
        return tensor.to(dtype if tensor.is_floating_point() else tensor.dtype, copy=True)

    parameters = {name: numbers(value).requires_grad_(name not in frozen)
                  for name, value in part(tensors, "parameter.").items()}
    buffers = {name: numbers(value) for name, value in part(tensors, "buffer.").items()}
    model = Model(spec, parameters, buffers, noise)
    made, set_rates = optimizer(spec, list(parameters.values()), noise)
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
                for name, parameter in parameters.items():
                    if name not in frozen:
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

    def __init__(self, spec, frozen, tensors):
        self.spec, self.frozen, self.tensors = spec, frozen, tensors
        self.exact = train(spec, frozen, tensors, torch.float64)
        self.runs = {dtype: [] for dtype in UNIT}
        self.runs["float32"].append(train(spec, frozen, tensors, torch.float32))

    def run(self, dtype, number):
        runs = self.runs[dtype]
        while len(runs) <= number:
            noise = Noise(len(runs), UNIT[dtype])
            runs.append(train(self.spec, self.frozen, self.tensors, torch.float64, noise))
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


def some_place_sees_nothing(spec):
    def sees_nothing(layer):
        return not layer.get("adds") and any(all(row) for row in layer.get("mask", []))

    def within(layers):
        return any(sees_nothing(layer) or within(layer.get("layers", [])) for layer in layers)

    return within(spec["layers"])


# What differs by design; docs/how-to/coming-from-pytorch.md says the same with what to do.
LISTED = {"a place that attends to nothing: NaN there, weights of 0 here": some_place_sees_nothing}


def compare(path, sums):
    """Compares the two runs of a file; prints what is to be looked at."""
    tensors, metadata = read(path)
    spec = json.loads(metadata["spec"])
    ours, theirs = metadata.get("refused"), None
    try:
        frozen = json.loads(metadata.get("frozen", "[]"))
        comparison = Comparison(spec, frozen, tensors) if "evaluation.labels" in tensors else None
    except (RuntimeError, ValueError) as error:  # by which PyTorch refuses
        theirs = error
    if ours and theirs:
        sums["refused by both"] += 1
        return
    if ours or theirs:
        where = "refused here" if ours else "refused there"
        sums[where] += 1
        shown(spec["seed"], f"{where}: {ours or theirs}")
        return
    found = next((text for dtype in UNIT for text in comparison.differences(dtype)), None)
    listed = next((reason for reason, holds in LISTED.items() if found and holds(spec)), None)
    sums["listed" if listed else "differ" if found else "agree"] += 1
    if found:
        shown(spec["seed"], f"listed: {listed}" if listed else found)


def main(folder):
    torch.set_num_threads(1)
    paths = sorted(pathlib.Path(folder).glob("*.safetensors"))
    sums = dict.fromkeys(("agree", "refused by both", "listed", "differ", "refused here", "refused there"), 0)
    for path in paths:
        compare(path, sums)
    print(f"{len(paths)} models: " + ", ".join(f"{count} {what}" for what, count in sums.items()))
    return 1 if sums["differ"] + sums["refused here"] + sums["refused there"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
