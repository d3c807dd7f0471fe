# SPDX-License-Identifier: Apache-2.0
"""advise: what tolerance a test of a gradient needs in each dtype, and which mistakes it lets
through."""
from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ._arrays import elements, kind_of
from ._dtypes import DTYPES, DType, decode, dtype_of, encode, round_to
from ._functions import Functions, Inputs, Setting
from ._pair import Pair
from .check import check_gradient
from .spec import Array, Constant, attributes_of

Numbers = List[float]


def _by(factor: float) -> Callable[[Numbers, int], Numbers]:
    return lambda g, row: [factor * v for v in g]


def _mean_free(g: Numbers, row: int) -> Numbers:
    mean = sum(g) / max(1, len(g))
    return [v - mean for v in g]


def _without_small(g: Numbers, row: int) -> Numbers:
    largest = max((abs(v) for v in g), default=0.0)
    return [v if abs(v) > largest / 50 else 0.0 for v in g]


# Mistakes that any gradient may have: made of its numbers and the length of its rows.
MISTAKES: Dict[str, Callable[[Numbers, int], Numbers]] = {
    "1 % too large": _by(1.01),
    "5 % too large": _by(1.05),
    "half of it": _by(0.5),
    "another sign": _by(-1),
    "the last row is 0": lambda g, row: g[:-row] + [0.0] * row,
    "the last element is 0": lambda g, row: g[:-1] + [0.0],
    "one element too far": lambda g, row: g[-1:] + g[:-1],
    "one row too far": lambda g, row: g[-row:] + g[:-row],
    "its mean is taken off": _mean_free,
    "elements below 2 % of the largest are 0": _without_small,
}


@dataclass(frozen=True)
class Tolerance:
    """Of one dtype: |found - right| <= atol + rtol |right| holds of the functions, with room, and
    lets these mistakes in their gradients through; `bound` are those that check_gradient does not
    find.
    """

    dtype: str
    rtol: float
    atol: float
    through: Tuple[str, ...]
    bound: Tuple[str, ...]
    cases_through: Optional[int]

    def __str__(self) -> str:
        return f"{self.dtype}: rtol={self.rtol:.0e}, atol={self.atol:.0e}"


@dataclass(frozen=True)
class Advice:
    """The tolerances of a pair of functions; str() is a table."""

    name: str
    tolerances: List[Tolerance]
    mistakes: int  # how many were made
    cases: Optional[int]  # how many of the museum and the mutants were tried

    def __str__(self) -> str:
        count = self.mistakes
        lines = [f"{self.name}: what a comparison by rtol and atol needs, and lets through"]
        for t in self.tolerances:
            lines.append(f"  {t}")
            listed = f": {'; '.join(t.through)}" if t.through else ""
            lines.append(f"    lets through {len(t.through)} of {count} mistakes{listed}")
            listed = f": {'; '.join(t.bound)}" if t.bound else ""
            lines.append(f"    check_gradient lets through {len(t.bound)} of {count}{listed}")
            if t.cases_through is not None:
                lines.append(
                    f"    of {self.cases} wrong gradients of the museum and the mutants it lets "
                    f"through {t.cases_through}"
                )
        return "\n".join(lines)


def advise(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    inputs: Inputs,
    *,
    dtypes: Iterable[Any] = ("float32", "bfloat16", "float16"),
    saved: int = 0,
    arrays: object = None,
    roundings: int = 0,
    seeds: int = 20,
    like: Optional[str] = None,
    name: Optional[str] = None,
) -> Advice:
    """What a test that compares gradients with float64 by rtol and atol needs so as not to fail
    this one, and how many mistakes it lets through.

    forward, backward, inputs, saved, arrays, roundings: as of check_gradient; both must take
    arrays of float64, where they are what is right: that is checked first (ValueError).
    like: a word of the names of the museum's and the mutants' cases that are tried, as "norm";
    None: none of them. They need a tree that is built.
    """
    told: Dict[str, Any] = {"saved": saved, "arrays": arrays}
    double = check_gradient(forward, backward, inputs, dtypes="float64", **told)
    if double.verdict == "wrong":
        raise ValueError(f"in float64 the gradient is wrong already:\n{double.text}")
    functions = Functions(forward, backward, None, saved, attributes_of(None))
    given = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    kind = kind_of(arrays, given)
    name = str(name or getattr(forward, "__name__", "function"))
    cases = None if like is None else list(_pairs_of_cases(like))
    tolerances, made = [], list(MISTAKES)
    for each in dtypes:
        dtype = dtype_of(each)
        pair = Pair(name, functions, inputs, {}, None, kind, dtype)
        points = [_Point(pair, seed) for seed in range(1, seeds + 1)]
        rtol = _rounded_up(4 * 2.0**-dtype.digits)
        atol = _rounded_up(1.5 * max(point.beyond(rtol) for point in points))
        made = [m for m in MISTAKES if points[0].is_changed_by(m)]
        through = [m for m in made if all(p.lets_through(m, rtol, atol) for p in points[:3])]
        told.update(roundings=roundings, dtypes=dtype.name)
        unseen = [m for m in made if not _is_found(m, pair, forward, backward, inputs, told)]
        passing = None
        if cases is not None:
            passing = sum(all(_near(w, r, rtol, atol) for w, r in zip(*both)) for both in cases)
        tolerances.append(Tolerance(dtype.name, rtol, atol, tuple(through), tuple(unseen), passing))
    return Advice(name, tolerances, len(made), None if cases is None else len(cases))


class _Point:
    """Gradients at random inputs in a dtype, and what they are in float64."""

    def __init__(self, pair: Pair, seed: int) -> None:
        setting, double = pair.usual(), DTYPES["float64"]
        self.dtype = pair.dtype
        self.specs = [each for each in setting.arrays if pair._has_gradient(each)]
        found = self._gradients(pair, setting, pair.dtype, seed)
        right = self._gradients(pair, setting, double, seed)
        self.found = [decode(f, s.dtype_under(pair.dtype)) for f, s in zip(found, self.specs)]
        self.right = [decode(r, double) for r in right]

    def _gradients(self, pair: Pair, setting: Setting, dtype: DType, seed: int) -> List[bytes]:
        """At the numbers of the pair's dtype."""
        kind, arguments = pair.kind, []
        for k, spec in enumerate(setting.inputs):
            if isinstance(spec, Constant):
                arguments.append(spec.value)
                continue
            own = spec.dtype_under(pair.dtype)
            numbers = round_to(spec.draw(seed * 101 + k), own)
            now = dtype if own.is_float and dtype.name == "float64" else own
            arguments.append(kind.from_bytes(encode(numbers, now), spec.shape, now))
        results = pair.functions.results(pair.functions.forward, setting, arguments)
        arriving = []
        for k, output in enumerate(setting.outputs):
            now = dtype if dtype.name == "float64" and output.dtype.is_float else output.dtype
            if output.is_saved:
                continue
            numbers = round_to(Array(output.shape, -2, 2).draw(seed * 7 + k), output.dtype)
            arriving.append(kind.from_bytes(encode(numbers, now), output.shape, now))
            results[k] = kind.from_bytes(kind.to_bytes(results[k], now), output.shape, now)
        gradients = pair.functions.gradients(setting, arguments, results, arriving)
        types = [dtype if dtype.name == "float64" else s.dtype_under(dtype) for s in self.specs]
        return [kind.to_bytes(g, t) for g, t in zip(gradients, types)]

    def beyond(self, rtol: float) -> float:
        """The atol that the gradients need."""
        return max(
            (
                abs(f - r) - rtol * abs(r)
                for a, b in zip(self.found, self.right)
                for f, r in zip(a, b)
            ),
            default=0.0,
        )

    def is_changed_by(self, mistake: str) -> bool:
        """Whether the first gradient is another one with it: a mean of 0 can be taken off."""
        right = self.right[0]
        return not _near(MISTAKES[mistake](right, _row_of(self.specs[0])), right, 1e-4, 1e-9)

    def lets_through(self, mistake: str, rtol: float, atol: float) -> bool:
        """Whether the first gradient passes with a mistake."""
        right, spec = self.right[0], self.specs[0]
        wrong = round_to(MISTAKES[mistake](right, _row_of(spec)), self.dtype)
        return _near(wrong, right, rtol, atol)


def _row_of(spec: Array) -> int:
    return max(1, elements(spec.shape[1:]))


def _near(found: Sequence[float], right: Sequence[float], rtol: float, atol: float) -> bool:
    return all(abs(f - r) <= atol + rtol * abs(r) for f, r in zip(found, right))


def _rounded_up(value: float) -> float:
    """To one digit."""
    if value <= 0:
        return 0.0
    unit = 10.0 ** math.floor(math.log10(value))
    return math.ceil(value / unit - 1e-9) * unit


def _is_found(
    mistake: str,
    pair: Pair,
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    inputs: Inputs,
    told: Dict[str, Any],
) -> bool:
    """Whether check_gradient blames the backward with a mistake in its first gradient."""
    spec = next(each for each in pair.usual().arrays if pair._has_gradient(each))
    dtype = spec.dtype_under(pair.dtype)

    @functools.wraps(backward)
    def wrong(*arguments: Any, **named: Any) -> Any:
        made = backward(*arguments, **named)
        first = made[0] if isinstance(made, tuple) else made
        double = DTYPES["float64"]
        numbers = decode(pair.kind.to_bytes(first, double), double)
        data = encode(MISTAKES[mistake](numbers, _row_of(spec)), dtype)
        edited = pair.kind.from_bytes(data, spec.shape, dtype)
        return (edited, *made[1:]) if isinstance(made, tuple) else edited

    return check_gradient(forward, wrong, inputs, **told).verdict == "wrong"


def _pairs_of_cases(like: str) -> Iterable[Tuple[List[Numbers], List[Numbers]]]:
    """Wrong gradients of the museum and the mutants, and right ones, at the same numbers."""
    from . import cases

    museum: Dict[str, Dict[bool, Any]] = {}
    for case in cases.museum():
        if like in case.operator:
            museum.setdefault(case.name, {})[case.is_wrong] = _gradients_of(case)
    for both in museum.values():
        if len(both) == 2 and all(both.values()):
            yield both[True], both[False]
    wrong: List[Tuple[str, Any]] = []
    right: Dict[str, Any] = {}
    for case in cases.mutants():
        if like in case.operator:
            if case.is_wrong:
                wrong.append((case.operator, _gradients_of(case)))
            else:
                right[case.operator] = _gradients_of(case)
    for operator, gradients in wrong:
        other = right.get(operator)
        if gradients and other and [len(g) for g in gradients] == [len(g) for g in other]:
            yield gradients, other


def _gradients_of(case: Any) -> Optional[List[Numbers]]:
    """At the case's inputs; None where the backward fails."""
    import numpy as np

    inputs = [array.copy() for array in case.inputs]
    made = case.forward(*inputs)
    several = made if isinstance(made, tuple) else (made,)
    arriving = [np.random.default_rng(k).uniform(-2, 2, np.shape(y)) for k, y in enumerate(several)]
    try:
        return [g.ravel().tolist() for g in case.backward(*arriving, *inputs)]
    except RuntimeError:
        return None
