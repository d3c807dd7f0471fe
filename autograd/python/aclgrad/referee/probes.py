# SPDX-License-Identifier: Apache-2.0
"""What is tried beside the derivative: the same call again, another batch, another layout; and the
names of gradients that are none."""
from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .._dtypes import DTYPES, DType, encode
from .._functions import DoesNotFit, Setting
from .._pair import Pair
from ..spec import Array, draw
from .channel import Raw, RawArrays
from .process import Misconduct


class Point:
    """Inputs and gradients that arrive, with what the functions make of them."""

    def __init__(self, pair: Pair, setting: Setting, seed: int, first: int = 1) -> None:
        self.pair, self.functions, self.setting = pair, pair.functions, setting
        self.dtype = pair.dtype
        self.inputs = draw(setting.inputs, RawArrays(), self.dtype, seed)
        self.arriving = []
        for k, output in enumerate(setting.outputs):
            if not output.is_saved:
                spec = Array(output.shape, 0.5 * first, 2.0 * first)
                data = encode(spec.draw(seed * 7 + k), output.dtype)
                self.arriving.append(Raw(output.shape, output.dtype, data))

    def forward(self) -> List[Raw]:
        """The results, in the dtypes of the setting."""
        results = self.functions.results(self.functions.forward, self.setting, self.inputs)
        outputs = self.setting.outputs
        if len(results) != len(outputs):
            raise DoesNotFit(
                f"the forward returns {len(results)} results here and {len(outputs)} elsewhere"
            )
        return [
            Raw(o.shape, o.dtype, self.pair.result_bytes(r, o, o.dtype))
            for o, r in zip(outputs, results)
        ]

    def backward(self, arriving: Optional[Sequence[Raw]] = None) -> List[Optional[Raw]]:
        """The gradients."""
        return self.gradients_at(self.inputs, self.arriving if arriving is None else arriving)

    def gradients_at(self, inputs: Sequence[Any], arriving: Sequence[Raw]) -> List[Optional[Raw]]:
        """The gradients at inputs that are those of this point, however they lie in memory."""
        made = self.functions.gradients(self.setting, inputs, self.forward(), arriving)
        for gradient, spec in zip(made, self.setting.differentiated):
            self.pair.gradient_bytes(gradient, spec)
        return made


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


def require_any_layout(point: Point, gradients: Sequence[Optional[Raw]]) -> None:
    """Raises Misconduct where arrays with gaps between their elements give another gradient."""
    inputs = [_with_gaps(a) if isinstance(a, Raw) else a for a in point.inputs]
    other = point.gradients_at(inputs, [_with_gaps(a) for a in point.arriving])
    if not _near(gradients, other, point.dtype):
        raise Misconduct("other layout", "the gradient is another one of arrays with gaps")


def _with_gaps(array: Raw) -> Raw:
    """The same numbers with a 0 after each, as the C library's strided ones are sent, too."""
    if not array.shape or not array.data:
        return array
    size, strides = array.dtype.size, []
    step = 2
    for extent in reversed(array.shape):
        strides.insert(0, step)
        step *= extent
    parts = (array.data[k : k + size] + bytes(size) for k in range(0, len(array.data), size))
    return Raw(array.shape, array.dtype, b"".join(parts), strides)


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


def larger(pair: Pair, setting: Setting, batch: int) -> Setting:
    """With another row where inputs have `batch`; an attribute that says how many follows."""
    inputs = []
    for spec in setting.inputs:
        if isinstance(spec, Array) and spec.shape and spec.shape[0] == batch:
            spec = dataclasses.replace(spec, shape=(batch + 1, *spec.shape[1:]))
        inputs.append(spec)
    for name, value in setting.attributes.items():
        if value != batch or isinstance(value, bool):
            continue
        attributes: Dict[str, Any] = {**setting.attributes, name: batch + 1}
        if pair.allows(attributes):
            others = Setting(attributes, pair.inputs_under(attributes))
            if [a.shape for a in others.arrays] == [a.shape for a in Setting({}, inputs).arrays]:
                return others
    return Setting(dict(setting.attributes), inputs)


def with_rows_of(small: Point, setting: Setting, batch: int) -> Point:
    """A point of a larger batch whose first rows are those of another point."""
    large = Point(small.pair, setting, 0)
    for k, (array, other) in enumerate(zip(large.inputs, small.inputs)):
        if isinstance(array, Raw) and isinstance(other, Raw):
            data = other.data + array.data[len(other.data) :]
            large.inputs[k] = Raw(array.shape, array.dtype, data[: len(array.data)])
    for array, arrived in zip(large.arriving, small.arriving):
        data = arrived.data + array.data[len(arrived.data) :]
        array.data = data[: len(array.data)]
    return large


def require_same_rows(small: Point, large: Point, batch: int) -> None:
    """Raises Misconduct where the first rows of a larger batch have another gradient, though in the
    reference rows have nothing to do with each other."""
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


def independent(small: Point, large: Point, batch: int) -> bool:
    """Whether the reference's rows have nothing to do with each other. It is called in float64."""
    double = DTYPES["float64"]
    kind = RawArrays()

    def results(point: Point) -> List[Any]:
        inputs = [
            Raw(a.shape, double, kind.to_bytes(a, double))
            if isinstance(a, Raw) and a.dtype.is_float
            else a
            for a in point.inputs
        ]
        functions = point.functions
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
