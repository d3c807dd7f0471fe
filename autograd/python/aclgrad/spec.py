# SPDX-License-Identifier: Apache-2.0
"""What a function is given: shapes, ranges, dtypes; sizes and switches that vary."""
from __future__ import annotations

import dataclasses
import math
import random
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from . import _library
from ._arrays import Kind, elements, name_of_dtype, numbers_of
from ._dtypes import DTYPES, DType, dtype_of, encode


@dataclass(frozen=True)
class Array:
    """An input: its numbers are drawn evenly from [low, high], for each check anew.

    Without a range that is [-4, 4], and [0, 1] for whole numbers. An infinite end says that numbers
    far out are allowed, too, and those are tried. A dtype of None is the one that is under check.
    """

    shape: Tuple[int, ...]
    low: Optional[float] = None
    high: Optional[float] = None
    dtype: Optional[str] = None
    gradient: bool = True  # floating ones; masks and statistics have none
    name: Optional[str] = None
    symmetric: bool = False  # of shape (n, n): both triangles are moved together
    overwritten: bool = False  # the backward may use its memory for other things

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(int(extent) for extent in self.shape))
        if self.dtype is not None:
            object.__setattr__(self, "dtype", dtype_of(self.dtype).name)
        if any(extent < 0 for extent in self.shape):
            raise ValueError(f"shape {self.shape} has an extent below 0")

    def dtype_under(self, dtype: DType) -> DType:
        """Its dtype in a check of `dtype`."""
        return dtype if self.dtype is None else DTYPES[self.dtype]

    def is_floating(self) -> bool:
        """Whether it is no array of whole numbers."""
        return self.dtype is None or DTYPES[self.dtype].is_float

    def range(self) -> Tuple[float, float]:
        """The ends, which may be infinite."""
        low, high = (-4.0, 4.0) if self.is_floating() else (0.0, 1.0)
        if self.low is not None:
            high = max(high, self.low + 8)
        if self.high is not None:
            low = min(low, self.high - 8)
        low = low if self.low is None else self.low
        high = high if self.high is None else self.high
        return low, high

    def draw(self, seed: int) -> List[float]:
        """Random numbers of it."""
        low, high = self.range()
        low = max(low, min(-4.0, high - 8)) if math.isinf(low) else low
        high = min(high, max(4.0, low + 8)) if math.isinf(high) else high
        values = random.Random(seed)
        count = elements(self.shape)
        if not self.is_floating():
            return [values.randint(round(low), round(high)) for _ in range(count)]
        return [values.uniform(low, high) for _ in range(count)]


@dataclass(frozen=True)
class Attribute:
    """A size, a slope, a switch: its usual value, and the range of what else it may be.

    Whole numbers, where all three are int; True and False for a switch."""

    usual: Union[int, float]
    low: Union[int, float]
    high: Union[int, float]

    @property
    def whole(self) -> bool:
        """Whether it is a whole number."""
        return all(isinstance(value, int) for value in (self.usual, self.low, self.high))

    def value(self, number: float) -> Union[bool, int, float]:
        """What functions are given for it."""
        if isinstance(self.usual, bool):
            return bool(number)
        return int(number) if self.whole else number


@dataclass(frozen=True)
class Constant:
    """An argument that every call is given as it is."""

    value: Any


def input_of(given: Any, name: str) -> Union[Array, Constant]:
    """What stands for an input: an Array, a shape (a tuple of int), an array, whose shape, dtype
    and range are taken, or another value, a constant."""
    if isinstance(given, Array):
        return given if given.name else _named(given, name)
    if isinstance(given, tuple) and all(isinstance(extent, int) for extent in given):
        return Array(given, name=name)
    if given is None or isinstance(given, (bool, int, float, str, bytes, dict, tuple, Constant)):
        return given if isinstance(given, Constant) else Constant(given)
    if callable(given) and not hasattr(given, "shape"):
        return Constant(given)
    return _like(given, name)


def _named(array: Array, name: str) -> Array:
    return dataclasses.replace(array, name=name)


def _like(given: Any, name: str) -> Union[Array, Constant]:
    dtype = name_of_dtype(given)
    if dtype and dtype not in DTYPES:  # bool, uint8, complex
        return Constant(given)
    numbers = numbers_of(given)
    finite = [number for number in numbers if math.isfinite(number)]
    low, high = (min(finite), max(finite)) if finite else (None, None)
    is_whole = bool(dtype) and not DTYPES[dtype].is_float
    if not is_whole and low == high:  # one number alone tells no range
        low, high = (None, None) if low is None else (low - 1, low + 1)
    shape = getattr(given, "shape", None)
    if shape is None:
        from ._arrays import Lists

        shape = Lists().shape(given)
    wants = getattr(given, "requires_grad", True)
    any_wants = wants or not hasattr(given, "requires_grad")
    return Array(
        tuple(shape), low, high, dtype if is_whole else None, gradient=any_wants, name=name
    )


def flags_of(array: Array) -> int:
    """Those of aclgradGradcheckArray."""
    flags = _library.RANGE if array.is_floating() else 0
    flags |= 0 if array.gradient and array.is_floating() else _library.NO_GRADIENT
    flags |= _library.SYMMETRIC if array.symmetric else 0
    return flags | (_library.CONSUMED if array.overwritten else 0)


def has_gradient(array: Array) -> bool:
    """Whether the backward returns one of it."""
    return not flags_of(array) & _library.NO_GRADIENT


def draw(specs: Sequence[Union[Array, Constant]], kind: Kind, dtype: DType, seed: int) -> List[Any]:
    """Arguments: random arrays of a kind, and constants as they are."""
    arguments = []
    for k, spec in enumerate(specs):
        if isinstance(spec, Constant):
            arguments.append(spec.value)
            continue
        own = spec.dtype_under(dtype)
        arguments.append(kind.from_bytes(encode(spec.draw(seed * 101 + k), own), spec.shape, own))
    return arguments


def attributes_of(given: Optional[Mapping[str, Any]]) -> "dict[str, Attribute]":
    """Attributes by name, of Attribute, of tuples (usual, low, high), or of a number alone."""
    attributes = {}
    for name, value in (given or {}).items():
        if isinstance(value, (bool, int, float)):  # it does not vary
            value = (value, value, value)
        if isinstance(value, (tuple, list)) and len(value) == 3:
            value = Attribute(*value)
        if not isinstance(value, Attribute):
            raise TypeError(f"{name} is a number or (usual, lowest, highest), not {value!r}")
        attributes[name] = value
    return attributes
