# SPDX-License-Identifier: Apache-2.0
"""Gradients that are wrong, and ones that are right, as Python functions over NumPy's arrays of
float64: the museum (libwrong_gradients.so) and the mutants (libgradcheck_mutants.so) of a tree
that is built."""
from __future__ import annotations

import ctypes
import glob
import math
import os
import pathlib
from dataclasses import dataclass
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from .spec import Array, Constant

_DOUBLES = ctypes.POINTER(ctypes.c_double)


@dataclass(frozen=True)
class Case:
    """A pair of functions: forward(*inputs) -> output or a tuple, backward(*output_gradients,
    *inputs) -> a tuple of gradients, one for each input that `differentiable` says has one."""

    name: str
    operator: str
    kind: str  # of mistake
    origin: str  # "museum" or "mutants"
    is_wrong: bool
    forward: Callable[..., Any]
    backward: Callable[..., Tuple[Any, ...]]
    inputs: List[Any]  # arrays, drawn at random
    differentiable: List[bool]
    specs: List[Any]  # the inputs, as check_gradient takes them
    contiguous: bool = True  # whether gradients that arrive are dense


class NotBuilt(ImportError):
    """A library of cases is not there."""


def library(name: str, variable: str) -> str:
    """The path of a library of cases."""
    given = os.environ.get(variable)
    tree = pathlib.Path(__file__).resolve().parents[3]
    found = [given] if given else sorted(glob.glob(str(tree / "build" / "*" / "lib" / name)))
    if not found or not os.path.isfile(str(found[-1])):
        raise NotBuilt(f"{name} is not there: build the tree (./dev test), or set {variable} to it")
    return str(found[-1])


# ---- the museum --------------------------------------------------------------------------------


class _WgAttribute(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("usual", ctypes.c_double),
        ("shows", ctypes.c_double),
        ("low", ctypes.c_double),
        ("high", ctypes.c_double),
        ("whole", ctypes.c_int),
    ]


class _WgArray(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("flags", ctypes.c_int),
        ("low", ctypes.c_double),
        ("high", ctypes.c_double),
        ("rank", ctypes.c_int),
        ("shape", ctypes.c_int64 * 4),
    ]

    def dims(self) -> Tuple[int, ...]:
        return tuple(self.shape[: self.rank])


_INTEGER, _NO_GRADIENT, _STRIDED, _CONSUMED, _SYMMETRIC, _AT_ZERO = 1, 2, 16, 128, 256, 512


class _Exhibit:
    """One of the museum's under some attributes."""

    def __init__(self, wg: Any, number: int, values: Sequence[float]) -> None:
        self.wg, self.number = wg, number
        self.values = (ctypes.c_double * 6)(*values)
        inputs, outputs = (_WgArray * 6)(), (_WgArray * 6)()
        counts = ctypes.c_int(), ctypes.c_int()
        wg.wgDescribe(
            number, self.values, inputs, ctypes.byref(counts[0]), outputs, ctypes.byref(counts[1])
        )
        self.inputs, self.outputs = inputs[: counts[0].value], outputs[: counts[1].value]

    def draw(self) -> List[Any]:
        import numpy as np

        drawn = []
        for k, array in enumerate(self.inputs):
            kind = "int64" if array.flags & _INTEGER else "float64"
            drawn.append(np.zeros(array.dims(), kind))
            place = ctypes.c_void_p(drawn[-1].ctypes.data)
            self.wg.wgDraw(self.number, self.values, ctypes.c_uint64(1), k, place)
        return drawn

    def specs(self) -> List[Array]:
        specs = []
        for array in self.inputs:
            zero = bool(array.flags & _AT_ZERO)
            specs.append(
                Array(
                    array.dims(),
                    0.0 if zero else array.low,
                    0.0 if zero else array.high,
                    "int64" if array.flags & _INTEGER else None,
                    gradient=not array.flags & _NO_GRADIENT,
                    name=array.name.decode(),
                    symmetric=bool(array.flags & _SYMMETRIC),
                    overwritten=bool(array.flags & _CONSUMED),
                )
            )
        return specs

    def results(self, inputs: Sequence[Any]) -> List[Any]:
        import numpy as np

        given = [np.ascontiguousarray(x).reshape(np.shape(x)) for x in inputs]
        made = [np.zeros(array.dims()) for array in self.outputs]
        self.wg.wgForward(self.number, self.values, _places(given), _places(made))
        return made

    def forward(self, *inputs: Any) -> Any:
        made = self.results(inputs)
        kept = [y for y, array in zip(made, self.outputs) if not array.flags & _NO_GRADIENT]
        return tuple(kept) if len(kept) > 1 else kept[0]

    def backward(self, is_right: bool) -> Callable[..., Tuple[Any, ...]]:
        import numpy as np

        def backward(*given: Any) -> Tuple[Any, ...]:
            arriving = list(given[: len(given) - len(self.inputs)])
            inputs = list(given[len(arriving) :])
            made = self.results(inputs)
            upstream, strides = [], []
            for array in self.outputs:
                one = None if array.flags & _NO_GRADIENT else arriving.pop(0)
                if one is not None and not array.flags & _STRIDED:
                    one = np.ascontiguousarray(one).reshape(one.shape)
                upstream.append(one)
                steps = None if one is None else [s // 8 for s in one.strides]
                strides.append(None if steps is None else (ctypes.c_int64 * 4)(*steps))
            gradients = [
                None if a.flags & (_INTEGER | _NO_GRADIENT) else np.zeros(a.dims())
                for a in self.inputs
            ]
            steps_at = (ctypes.c_void_p * 6)(
                *[None if s is None else ctypes.addressof(s) for s in strides]
            )
            self.wg.wgBackward(
                self.number, int(is_right), self.values, _places(inputs), _places(made),
                _places(upstream), steps_at, _places(gradients),
            )  # fmt: skip
            return tuple(g for g in gradients if g is not None)

        return backward


def _places(arrays: Sequence[Any]) -> Any:
    return (ctypes.c_void_p * 6)(*[None if a is None else a.ctypes.data for a in arrays])


def museum(only: Optional[Sequence[str]] = None) -> Iterator[Case]:
    """The exhibits, wrong and right, each under the attributes that show the mistake; and
    controls."""
    wg = ctypes.CDLL(library("libwrong_gradients.so", "ACLGRAD_MUSEUM"))
    wg.wgFact.restype = wg.wgKind.restype = ctypes.c_char_p
    for number in range(wg.wgCount()):
        told = {
            f: (wg.wgFact(number, f.encode()) or b"").decode() for f in ("id", "kind", "operator")
        }
        if only is not None and told["id"] not in only:
            continue
        attributes = (_WgAttribute * 6)()
        count = wg.wgAttributes(number, attributes)
        exhibit = _Exhibit(wg, number, [a.shows for a in attributes[:count]])
        specs = exhibit.specs()
        if sum(math.prod(spec.shape) for spec in specs) > 2000:
            continue  # of which nobody makes a Jacobian
        is_exhibit = number < wg.wgExhibits()
        kind = wg.wgKind(ctypes.c_char(told["kind"][:1].encode() or b"A")) or b""
        for is_wrong in (True, False) if is_exhibit else (False,):
            yield Case(
                told["id"] or f"control {number}",
                told["operator"],
                kind.decode() if is_exhibit else "",
                "museum",
                is_wrong,
                exhibit.forward,
                exhibit.backward(not is_wrong),
                exhibit.draw(),
                [not array.flags & (_INTEGER | _NO_GRADIENT) for array in exhibit.inputs],
                specs,
                not all(array.flags & _STRIDED for array in exhibit.outputs),
            )


# ---- the mutants -------------------------------------------------------------------------------


class _Mutant:
    """A mutant in float64."""

    def __init__(self, handle: Any, mutants: Any) -> None:
        self.handle, self.mutants = handle, mutants
        count = mutants.aclgradMutantInputs(handle)
        self.shapes = [self._shape(mutants.aclgradMutantShape, k) for k in range(count)]
        self.result_shape = self._shape(mutants.aclgradMutantResultShape)
        self.differentiable = [
            bool(mutants.aclgradMutantHasGradient(handle, k)) for k in range(count)
        ]

    def _shape(self, function: Any, *which: int) -> Tuple[int, ...]:
        shape = (ctypes.c_int64 * 8)()
        return tuple(shape[: function(self.handle, *which, shape)])

    def draw(self, seed: int) -> List[Any]:
        import numpy as np

        drawn = []
        for k, shape in enumerate(self.shapes):
            drawn.append(np.zeros(shape))
            self.mutants.aclgradMutantDraw(
                self.handle, ctypes.c_uint64(seed), k, drawn[-1].ctypes.data_as(_DOUBLES)
            )
        return drawn

    def specs(self, inputs: Sequence[Any]) -> List[Any]:
        """Differentiable ones with the range of some draws, others as they are."""
        draws = [self.draw(seed) for seed in range(1, 5)]
        specs: List[Any] = []
        for k, array in enumerate(inputs):
            if not self.differentiable[k]:
                specs.append(Constant(array))
                continue
            numbers = [float(value) for one in draws for value in one[k].ravel()]
            specs.append(Array(array.shape, min(numbers, default=0), max(numbers, default=1)))
        return specs

    def forward(self, *inputs: Any) -> Any:
        import numpy as np

        given = [np.ascontiguousarray(x, "float64") for x in inputs]
        result = np.zeros(self.result_shape)
        self.mutants.aclgradMutantForward(
            self.handle, _pointers(given), result.ctypes.data_as(_DOUBLES)
        )
        return result

    def backward(self, dy: Any, *inputs: Any) -> Tuple[Any, ...]:
        import numpy as np

        given = [np.ascontiguousarray(x, "float64") for x in inputs]
        arriving = np.array(dy, "float64", order="C")
        wanted = [np.zeros(s) for s, has in zip(self.shapes, self.differentiable) if has]
        failure = self.mutants.aclgradMutantBackward(
            self.handle, _pointers(given), arriving.ctypes.data_as(_DOUBLES), _pointers(wanted)
        )
        if failure:
            raise RuntimeError(failure.decode())
        return tuple(wanted)


def _pointers(arrays: Sequence[Any]) -> Any:
    return (_DOUBLES * len(arrays))(*[array.ctypes.data_as(_DOUBLES) for array in arrays])


# Of the words of an edit, in this order.
_KINDS = (
    ("memory, strides and repeats", ("behaviour:",)),
    ("a sign", ("sign", "negated", "turned on")),
    ("sums and counts", ("divid", "sum", "mean", "count", "overlap", "overwritten", "added")),
    (
        "special numbers",
        ("nan", "at 0", "at 1", "corner", "tail", "cut off", "both sides", "equal"),
    ),
    (
        "a part is missing",
        ("missing", "forgotten", "left out", "ignored", "not ", "without", "only"),
    ),
    (
        "something is exchanged",
        ("exchanged", "swapped", "transposed", "other", "for the", "of the"),
    ),
)


def kind_of_edit(name: str) -> str:
    """What kind of mistake a mutant's name tells of."""
    words = name.lower()
    for kind, signs in _KINDS:
        if any(sign in words for sign in signs):
            return kind
    return "another formula"


def mutants(only: Optional[Sequence[str]] = None) -> Iterator[Case]:
    """The mutants, then operators that are right."""
    path = library("libgradcheck_mutants.so", "ACLGRAD_MUTANTS")
    loaded = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)  # operators are found by name
    loaded.aclgradMutantOpen.restype = ctypes.c_void_p
    for name in ("Name", "Backward", "Function"):
        getattr(loaded, f"aclgradMutant{name}").restype = ctypes.c_char_p
    for number in range(loaded.aclgradMutantCount()):
        name = loaded.aclgradMutantName(number).decode()
        if only is not None and name not in only:
            continue
        handle = ctypes.c_void_p(loaded.aclgradMutantOpen(number, 64))
        mutant = _Mutant(handle, loaded)
        inputs = mutant.draw(1)
        is_wrong = number < loaded.aclgradMutantWrong()
        try:
            yield Case(
                name,
                name.partition(": ")[0],
                kind_of_edit(name) if is_wrong else "",
                "mutants",
                is_wrong,
                mutant.forward,
                mutant.backward,
                inputs,
                mutant.differentiable,
                mutant.specs(inputs),
            )
        finally:
            loaded.aclgradMutantClose(handle)
