# SPDX-License-Identifier: Apache-2.0
"""The judge: the C library and all decisions are here, the functions in a process of their own."""
from __future__ import annotations

import json
import secrets
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Union

from .._dtypes import DType, dtype_of
from .._functions import DoesNotFit, Functions, Inputs, NeedsReference
from .._pair import Pair
from ..check import run
from ..report import STATUSES, Part, Report
from ..spec import Array, attributes_of
from . import probes
from .channel import RawArrays, plain
from .process import Misconduct, OutOfTime, Process, ReferenceFails


@dataclass(frozen=True)
class Reason:
    """Why a pair does not pass: a name ("zeros", "time limit", "derivative"), a sentence, the
    dtype."""

    name: str
    text: str
    dtype: str = ""

    def __str__(self) -> str:
        return f"{self.name}{' (' + self.dtype + ')' if self.dtype else ''}: {self.text}"


@dataclass
class Ruling:
    """What the judge says: a verdict as of a Report, reasons, and the report of each dtype."""

    name: str
    seed: int
    verdict: str
    reasons: List[Reason]
    report: Report
    isolation: str = "process"
    notes: List[str] = field(default_factory=list)

    @property
    def status(self) -> int:
        """The exit status."""
        return STATUSES[self.verdict]

    @property
    def text(self) -> str:
        """For people."""
        lines = [f"{self.name}: {self.verdict.upper()} (seed {self.seed}; {self.isolation})"]
        lines += [f"  {reason}" for reason in self.reasons]
        lines += [f"  note: {note}" for note in self.notes]
        if self.report.parts and self.verdict != "right":
            lines.append(self.report.text)
        return "\n".join(lines)

    def json(self) -> str:
        """For programs: a Report's, with reasons."""
        told: Dict[str, Any] = json.loads(self.report.json())
        told.update(
            verdict=self.verdict,
            status=self.status,
            isolation=self.isolation,
            notes=self.notes,
            reasons=[vars(reason) for reason in self.reasons],
        )
        return json.dumps(told, indent=2) + "\n"

    def __str__(self) -> str:
        return self.text


def judge(
    forward: str,
    backward: str,
    inputs: Inputs,
    *,
    reference: Optional[str] = None,
    dtypes: Union[str, Iterable[Any]] = ("float32", "bfloat16"),
    saved: int = 0,
    sizes: Optional[Mapping[str, Any]] = None,
    allow: Optional[Callable[..., bool]] = None,
    arrays: Optional[str] = None,
    roundings: int = 0,
    accumulation: Optional[str] = None,
    call_seconds: float = 10,
    seconds: float = 300,
    memory: int = 8 << 30,
    namespaces: bool = True,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Ruling:
    """A verdict on a pair of functions that is not trusted; none of it runs in this process.

    forward, backward, reference: "module:function", in the convention of check_gradient. Say what
    the reference is, if there is one that you trust: without it a forward that is another function
    passes with that function's gradient. It runs in another process.
    inputs, saved, roundings, accumulation: as of check_gradient; sizes: its attributes.
    call_seconds, seconds, memory: limits of a call, of the whole, and of bytes.
    namespaces: whether the process may have ones of its own, where the system allows them.
    seed: None: one that nobody knows.

    Raises ValueError or TypeError where the call is wrong, or the reference fails. What the
    functions do is a verdict.
    """
    seed = secrets.randbelow(1 << 31) if seed is None else seed
    types = [dtype_of(each) for each in ([dtypes] if isinstance(dtypes, str) else dtypes)]
    accumulation = None if accumulation is None else dtype_of(accumulation).name
    deadline = time.monotonic() + seconds
    paths = {"forward": forward, "backward": backward}
    limits = (call_seconds, deadline, memory, namespaces)
    case = _Case(inputs, attributes_of(sizes), allow, saved, roundings, accumulation, seed)
    ruling = Ruling(name or forward, seed, "inconclusive", [], Report(name or forward, seed, []))
    try:
        with ExitStack() as processes:
            # The reference is there before anything that is not trusted could write to its file.
            other: Optional[Process] = None
            if reference is not None:
                trusted = Process({"reference": reference}, arrays, *limits, ReferenceFails)
                other = processes.enter_context(trusted)
            process = processes.enter_context(Process(paths, arrays, *limits))
            ruling.isolation = process.isolation
            if other is not None and other.kind != process.kind:
                raise Misconduct("malformed answer", "it takes arrays of another kind than it says")
            _judge_all(case, process, other, types, ruling)
    except Misconduct as error:
        ruling.reasons.append(Reason(error.reason, str(error)))
    except OutOfTime as error:
        ruling.notes.append(f"not decided within {seconds:g} s, {error}")
    ruling.verdict = _verdict_of(ruling)
    return ruling


def _verdict_of(ruling: Ruling) -> str:
    if ruling.reasons:
        return "wrong"
    if ruling.notes and ruling.report.verdict == "right":
        return "inconclusive"
    return ruling.report.verdict


@dataclass
class _Case:
    inputs: Inputs
    attributes: Dict[str, Any]
    allow: Optional[Callable[..., bool]]
    saved: int
    roundings: int
    accumulation: Optional[str]
    seed: int


def _judge_all(
    case: _Case,
    process: Process,
    reference: Optional[Process],
    dtypes: List[DType],
    ruling: Ruling,
) -> None:
    functions = Functions(
        process.function("forward"),
        process.function("backward"),
        None if reference is None else reference.function("reference"),
        case.saved,
        case.attributes,
    )
    for dtype in dtypes:
        try:
            _judge_one(case, process, functions, dtype, ruling)
        except Misconduct as error:
            ruling.reasons.append(Reason(error.reason, str(error), dtype.name))
            return  # the process may be gone, and one reason is enough
        except DoesNotFit as error:
            ruling.reasons.append(Reason("does not fit", plain(str(error)), dtype.name))
            return
        except NeedsReference as error:
            ruling.notes.append(f"{dtype.name} was not judged: {error}")


def _judge_one(
    case: _Case, process: Process, functions: Functions, dtype: DType, ruling: Ruling
) -> None:
    pair = Pair(
        ruling.name, functions, case.inputs, case.attributes, case.allow, RawArrays(process.kind), dtype,
        contiguous=process.kind == "list",
    )  # fmt: skip
    pair.usual()
    pair.try_backward()
    seed = case.seed % 1000003 + 17
    point = probes.Point(pair, pair.usual(), seed)
    results, gradients = probes.require_repeatable(point)
    part = run(pair, case.attributes, case.seed, 0, case.roundings, case.accumulation)
    ruling.report.parts.append(part)
    if part.verdict in ("wrong", "vacuous"):
        pattern = probes.pattern_of(point, gradients)
        if pattern is not None:
            ruling.reasons.append(Reason(*pattern, dtype.name))
        _reasons_of(part, ruling)
    if not probes.same(results, point.forward()) or not probes.same(gradients, point.backward()):
        raise Misconduct("other answer", "an answer is another one than it was at the beginning")
    if part.verdict == "wrong":
        return
    if process.kind != "list":
        probes.require_any_layout(point, gradients)
    _other_batch(pair, point, ruling)


def _reasons_of(part: Part, ruling: Ruling) -> None:
    """A reason for each kind of finding."""
    for finding in part.data.get("findings", []):
        kind = finding.get("check", "derivative")
        if finding.get("verdict", "wrong").lower() != "wrong":
            continue
        if not any(r.name == kind and r.dtype == part.dtype for r in ruling.reasons):
            text = finding.get("text", "").splitlines()
            told = text[0] if text else kind
            ruling.reasons.append(Reason(kind, told, part.dtype))


def _other_batch(pair: Pair, point: probes.Point, ruling: Ruling) -> None:
    """The same rows in a batch that is larger by one, where the first extent is one."""
    batches = [s.shape[0] for s in point.setting.inputs if isinstance(s, Array) and s.shape]
    if not batches or batches[0] < 1:
        return
    batch = batches[0]
    try:
        setting = pair.with_outputs(probes.larger(pair, point.setting, batch))
        large = probes.with_rows_of(point, setting, batch)
        compares = probes.independent(point, large, batch)
    except (Misconduct, DoesNotFit, ReferenceFails) as error:
        # Nobody said that it takes this batch, or, without a reference, float64.
        if isinstance(error, Misconduct) and error.reason != "raises":
            raise
        if not any(each.startswith("a batch of") for each in ruling.notes):
            what = "" if pair.functions.has_reference else " (a reference may help)"
            ruling.notes.append(f"a batch of {batch + 1} was not tried{what}: {plain(str(error))}")
        return
    if compares:
        probes.require_same_rows(point, large, batch)
