# SPDX-License-Identifier: Apache-2.0
"""What is tried beside the derivative: the same call again, another batch, another layout; and the
names of gradients that are none."""
from __future__ import annotations

import dataclasses
from typing import Any, List, Optional, Sequence, Tuple

from .._dtypes import DTYPES, DType, encode
from .._functions import Functions, Setting
from ..spec import Array, draw
from .channel import Raw, RawArrays
from .process import Misconduct, Process


class Point:
    """Inputs and gradients that arrive, with what the functions make of them."""

    def __init__(
        self, functions: Functions, setting: Setting, dtype: DType, seed: int, first: int = 1
    ) -> None:
        self.functions, self.setting, self.dtype = functions, setting, dtype
        self.inputs = draw(setting.inputs, RawArrays(), dtype, seed)
        self.arriving = []
        for k, output in enumerate(setting.outputs):
            if not output.is_saved:
                spec = Array(output.shape, 0.5 * first, 2.0 * first)
                data = encode(spec.draw(seed * 7 + k), output.dtype)
                self.arriving.append(Raw(output.shape, output.dtype, data))

    def forward(self) -> List[Raw]:
        """The results, in the dtypes of the setting."""
        results = self.functions.results(self.functions.forward, self.setting, self.inputs)
        kind = RawArrays()
        return [
            Raw(o.shape, o.dtype, kind.to_bytes(r, o.dtype))
            for o, r in zip(self.setting.outputs, results)
        ]

    def backward(self, arriving: Optional[Sequence[Raw]] = None) -> List[Optional[Raw]]:
        """The gradients."""
        results = self.forward()
        return self.functions.gradients(
            self.setting, self.inputs, results, self.arriving if arriving is None else arriving
        )


def same(one: Sequence[Optional[Raw]], other: Sequence[Optional[Raw]]) -> bool:
    """Whether all bits are."""
    return [a and a.data for a in one] == [b and b.data for b in other]


def require_repeatable(point: Point) -> Tuple[List[Raw], List[Optional[Raw]]]:
    """The results and gradients; raises Misconduct where they are others the next time."""
    given = [*point.inputs, *point.arriving]
    before = [a.data if isinstance(a, Raw) else None for a in given]
    results = point.forward()
    gradients = point.backward()
    for array, data in zip(given, before):
        if isinstance(array, Raw) and array.data != data:
            raise Misconduct("inputs changed", "a function writes to what it is given")
    for _ in range(3):
        if not same(results, point.forward()):
            raise Misconduct("other answer", "two calls of the forward with the same inputs differ")
        if not same(gradients, point.backward()):
            raise Misconduct(
                "other answer", "two calls of the backward with the same inputs differ"
            )
    return results, gradients


def require_any_layout(point: Point, process: Process, gradients: Sequence[Optional[Raw]]) -> None:
    """Raises Misconduct where arrays with gaps between their elements give another gradient."""
    setting, functions = point.setting, point.functions
    results = point.forward()
    count = len(results) - functions.saved
    named = functions.named(functions.backward, setting.attributes)
    if functions.wants_outputs:
        named["outputs"] = tuple(results[:count])
    arguments = [*point.arriving, *point.inputs, *results[count:]]
    made = process.call("backward", arguments, named, "strided")
    other = list(made) if isinstance(made, tuple) else [made]
    if len(other) == len(gradients) and not _near(gradients, other, point.dtype):
        raise Misconduct("other layout", "the gradient is another one of arrays with gaps")


def _near(one: Sequence[Optional[Raw]], other: Sequence[Optional[Raw]], dtype: DType) -> bool:
    """Whether all differ by rounding at most."""
    part = 32 * 2.0 ** -min(dtype.digits, 24)
    for a, b in zip(one, other):
        if a is None or b is None:
            if a is not b:
                return False
            continue
        if a.shape != b.shape:
            return False
        left, right = a.numbers(), b.numbers()
        largest = max((abs(x) for x in left), default=0.0)
        if any(not abs(x - y) <= part * max(largest, 1e-30) for x, y in zip(left, right)):
            return False
    return True


def rows_of(arrays: Sequence[Any], batch: int, count: int) -> List[Any]:
    """The first `count` rows of those that have `batch` rows; None for the others."""
    rows: List[Any] = []
    for array in arrays:
        if not isinstance(array, Raw) or not array.shape or array.shape[0] != batch:
            rows.append(None)
            continue
        size = len(array.data) // batch * count
        rows.append(Raw((count, *array.shape[1:]), array.dtype, array.data[:size]))
    return rows


def with_more_rows(setting: Setting, batch: int) -> List[Any]:
    """The inputs with another row where they have `batch`."""
    inputs = []
    for spec in setting.inputs:
        is_batched = isinstance(spec, Array) and spec.shape and spec.shape[0] == batch
        if is_batched and isinstance(spec, Array):
            spec = dataclasses.replace(spec, shape=(batch + 1, *spec.shape[1:]))
        inputs.append(spec)
    return inputs


def require_same_rows(
    small: Point, larger: Setting, batch: int, reference: Optional[Functions]
) -> None:
    """Raises Misconduct where the first rows of a larger batch have another gradient, though in the
    reference rows have nothing to do with each other."""
    large = Point(small.functions, larger, small.dtype, 0)
    for k, (array, other) in enumerate(zip(large.inputs, small.inputs)):
        if isinstance(array, Raw) and isinstance(other, Raw):
            data = other.data + array.data[len(other.data) :]
            large.inputs[k] = Raw(array.shape, array.dtype, data[: len(array.data)])
    for k, (array, other) in enumerate(zip(large.arriving, small.arriving)):
        if array.shape != other.shape:
            array.data = other.data + array.data[len(other.data) :]
        else:
            array.data = other.data
    if not _independent(small, large, batch, reference or small.functions):
        return
    for one, other, what in (
        (small.forward(), large.forward(), "output"),
        (small.backward(), large.backward(), "gradient"),
    ):
        rows = rows_of(one, batch, batch)
        more = rows_of(other, batch + 1, batch)
        pairs = [(a, b) for a, b in zip(rows, more) if a is not None and b is not None]
        if not _near([a for a, _ in pairs], [b for _, b in pairs], small.dtype):
            raise Misconduct(
                "other batch", f"the {what} of a row is another one in a batch of {batch + 1}"
            )


def _independent(small: Point, large: Point, batch: int, functions: Functions) -> bool:
    """Whether the reference's rows have nothing to do with each other."""
    double = DTYPES["float64"]
    kind = RawArrays()

    def results(point: Point) -> List[Any]:
        inputs = [
            Raw(a.shape, double, kind.to_bytes(a, double))
            if isinstance(a, Raw) and a.dtype.is_float
            else a
            for a in point.inputs
        ]
        made = functions.results(functions.reference, point.setting, inputs)
        return made[: len(point.arriving)]

    one, other = results(small), results(large)
    if not any(r is not None for r in rows_of(one, batch, batch)):
        return False
    return _near(
        [r for r in rows_of(one, batch, batch) if r is not None],
        [r for r in rows_of(other, batch + 1, batch) if r is not None],
        double,
    )


def pattern_of(point: Point, gradients: Sequence[Optional[Raw]]) -> Optional[Tuple[str, str]]:
    """What a gradient is that is none: a reason and a sentence."""
    for k, gradient in enumerate(gradients):
        if gradient is None:
            continue
        numbers = gradient.numbers()
        if numbers and not any(numbers):
            return "zeros", f"gradient {k} is 0 everywhere"
        if len(numbers) > 2 and len(set(numbers)) == 1:
            return "constant", f"gradient {k} is {numbers[0]:g} everywhere"
        for name, arrays in (("input", point.inputs), ("gradient that arrives", point.arriving)):
            for i, array in enumerate(arrays):
                if isinstance(array, Raw) and len(numbers) > 1 and array.numbers() == numbers:
                    return "copy", f"gradient {k} is a copy of {name} {i}"
    other = [
        Raw(a.shape, a.dtype, encode([-3 * n for n in a.numbers()], a.dtype))
        for a in point.arriving
    ]
    if same(gradients, point.backward(other)):
        return "ignores what arrives", "the gradient is the same, whatever arrives at the output"
    return None
