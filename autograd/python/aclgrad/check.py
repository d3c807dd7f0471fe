# SPDX-License-Identifier: Apache-2.0
"""check_gradient: whether one function is the derivative of another."""
from __future__ import annotations

import json
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Union

from . import _library
from ._arrays import kind_of
from ._dtypes import DType, dtype_of
from ._functions import Functions, Inputs
from ._pair import Pair
from .report import Part, Report
from .spec import Attribute, attributes_of

DTypes = Union[str, Iterable[Any]]


def check_gradient(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    inputs: Inputs,
    *,
    reference: Optional[Callable[..., Any]] = None,
    dtypes: DTypes = ("float32", "bfloat16"),
    saved: int = 0,
    attributes: Optional[Mapping[str, Any]] = None,
    allow: Optional[Callable[..., bool]] = None,
    arrays: object = None,
    roundings: Optional[int] = None,
    accumulation: Optional[str] = None,
    contiguous: bool = False,
    seed: int = 1,
    ulp_slack: float = 0,
    name: Optional[str] = None,
) -> Report:
    """Checks that `backward` is the derivative of `forward`, in each of the dtypes.

    forward(*inputs) returns an output, or a tuple of outputs; the last `saved` of them are what it
    keeps for the backward. backward(*output_gradients, *inputs, *saved) returns the gradients of
    the inputs that have one, a tuple where there are several; it is given the outputs, too, where
    it has a parameter `outputs`.

    inputs: for each an Array, a shape, an array, whose shape, dtype and range are taken, or a
    constant; or a function of the attributes that returns those.
    reference: the forward in float64. None: `forward` itself, which is then given arrays of
    float64. attributes: sizes, slopes and switches that vary: name to (usual, lowest, highest).
    `forward`, `backward`, `inputs` and `allow` get those that they have a parameter for.
    arrays: "numpy", "torch", "list", or a function that makes an array of NumPy's, as
    jax.numpy.asarray; None: as the inputs are.
    roundings: how often the functions round to the dtype inside, beside the result.
    accumulation: the dtype that sums are made in, float32 where that is None.
    contiguous: gradients that arrive are always dense.

    Raises what the functions raise, and ValueError or TypeError where they do not fit together.
    """
    specs = attributes_of(attributes)
    functions = Functions(forward, backward, reference, saved, specs)
    given = [] if callable(inputs) else inputs if isinstance(inputs, (list, tuple)) else [inputs]
    kind = kind_of(arrays, given)
    name = str(name or getattr(forward, "__name__", "function"))
    name = "function" if name == "<lambda>" else name
    parts = []
    for dtype in [dtypes] if isinstance(dtypes, str) else dtypes:
        pair = Pair(
            name, functions, inputs, specs, allow, kind, dtype_of(dtype), contiguous=contiguous
        )
        pair.usual()
        pair.try_backward()
        parts.append(run(pair, specs, seed, ulp_slack, roundings, accumulation))
    return Report(name, seed, parts)


def assert_gradient(*arguments: Any, **options: Any) -> Report:
    """check_gradient; raises AssertionError with the report unless it is right."""
    __tracebackhide__ = True
    return check_gradient(*arguments, **options).require_right()


def run(
    pair: Pair,
    attributes: Dict[str, Attribute],
    seed: int,
    ulp_slack: float,
    roundings: Optional[int],
    accumulation: Optional[str],
) -> Part:
    """The C library's check of a pair in its dtype."""
    usual = pair.usual()
    count = len(attributes)
    listed = (_library.Attribute * max(1, count))()
    for k, (name, each) in enumerate(attributes.items()):
        listed[k] = _library.Attribute(
            name.encode(), float(each.usual), float(each.low), float(each.high), int(each.whole)
        )
    family = _library.Family(
        name=pair.name.encode(),
        attributes=listed,
        attribute_count=count,
        input_count=len(usual.arrays),
        output_count=len(usual.outputs),
        describe=_library.DESCRIBE(pair.describe),
        forward=_library.CALLEE(pair.forward),
        backward=_library.CALLEE(pair.backward),
        allow=_library.ALLOW(pair.allow),
        roundings=roundings or 0,
        accumulation=None if accumulation is None else dtype_of(accumulation).name.encode(),
    )
    if pair.has_reference:
        family.reference = _library.CALLEE(pair.reference)
    with _library.Check() as check:
        check.set("seed", seed)
        if ulp_slack:
            check.set("ulp-slack", ulp_slack)
        status = check.run(family)
        if pair.error is not None:
            raise pair.error
        return part_of(pair.dtype, status, check)


def part_of(dtype: DType, status: int, check: "_library.Check") -> Part:
    """Of the last run."""
    data = json.loads(check.report("json"))
    return Part(dtype.name, _library.VERDICTS[status], check.report("text"), data)
