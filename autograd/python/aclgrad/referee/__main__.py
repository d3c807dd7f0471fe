# SPDX-License-Identifier: Apache-2.0
"""python3 -m aclgrad.referee FORWARD BACKWARD --input NAME=SHAPE ...

Judges a pair of functions, MODULE:FUNCTION each, without trusting it. Exit statuses are those of
aclgrad-gradcheck: 0 right, 1 wrong, 2 undecided, 3 a wrong call, 5 mostly zeros, 6 inexact.
"""
from __future__ import annotations

import argparse
import ctypes
import re
import sys
from typing import Any, Dict, List, NoReturn, Tuple

from .._dtypes import DTYPES
from .._library import USAGE, LibraryNotFound
from ..spec import Array
from .judge import judge

_PR_SET_DUMPABLE = 4
_INPUT = """NAME=SHAPE[:DTYPE][:LOW:HIGH][:no-gradient]; a shape is 4x6, or has names of sizes,
NxD; one number is 'scalar'. Of whole numbers the dtype is int64 or int32"""


class Parser(argparse.ArgumentParser):
    """Ends with the status of a wrong call."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def input_of(text: str) -> Tuple[str, List[str], Dict[str, Any]]:
    """A name, extents, and what else is said of it."""
    name, separator, rest = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=SHAPE")
    shape, *parts = rest.split(":")
    extents = [] if shape == "scalar" else shape.split("x")
    if not all(re.fullmatch(r"\d+|[A-Z]\w*", extent) for extent in extents):
        raise argparse.ArgumentTypeError(f"'{shape}' is no shape; sizes have names as N, D, ROWS")
    told: Dict[str, Any] = {}
    numbers = []
    for part in parts:
        if part in DTYPES:
            told["dtype"] = part
        elif part == "no-gradient":
            told["gradient"] = False
        else:
            try:
                numbers.append(float(part))
            except ValueError:
                raise argparse.ArgumentTypeError(f"'{part}' in '{text}' is no number") from None
    if numbers:
        if len(numbers) != 2:
            raise argparse.ArgumentTypeError(f"'{text}' has one end of a range and not the other")
        told["low"], told["high"] = numbers
    return name, extents, told


def size_of(text: str) -> Tuple[str, Tuple[int, int, int]]:
    """NAME=USUAL[:LOW:HIGH]"""
    match = re.fullmatch(r"([A-Z]\w*)=(\d+)(?::(\d+):(\d+))?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=USUAL or NAME=USUAL:LOWEST:HIGHEST")
    usual = int(match[2])
    low, high = (int(match[3]), int(match[4])) if match[3] else (1, 2 * usual + 1)
    return match[1], (usual, low, high)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    one = Parser(prog="python3 -m aclgrad.referee", description=__doc__,
                 formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    one.add_argument("forward")
    one.add_argument("backward", help="given output gradients, inputs, and what the forward saves")
    one.add_argument("--input", action="append", required=True, type=input_of, help=_INPUT)
    one.add_argument("--size", action="append", default=[], type=size_of,
                     help="NAME=USUAL[:LOWEST:HIGHEST]: all of them are tried")  # fmt: skip
    one.add_argument("--reference", help="MODULE:FUNCTION that is trusted: the forward in float64")
    one.add_argument("--dtype", default="float32,bfloat16", help="with commas between them (%(default)s)")
    one.add_argument(
        "--saved", type=int, default=0, help="how many results only the backward needs (%(default)s)"
    )
    one.add_argument("--arrays", choices=["numpy", "torch", "list"])
    one.add_argument("--roundings", type=int, default=0, help="to the dtype, inside")
    one.add_argument("--accumulation", help="the dtype of sums")
    one.add_argument("--call-seconds", type=float, default=10, help="limit of a call (%(default)s)")
    one.add_argument("--seconds", type=float, default=300, help="limit of the whole (%(default)s)")
    one.add_argument("--memory", type=int, default=8192, help="limit, in MiB (%(default)s)")
    one.add_argument("--no-namespaces", action="store_true", help="a process alone")
    one.add_argument("--seed", type=int, help="what a ruling says; drawn where it is not given")
    one.add_argument("--json", metavar="FILE", help="write the ruling, - for standard output")
    one.add_argument("--html", metavar="FILE", help="write the report")
    return one


def main() -> int:
    """The exit status."""
    options = parser().parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # no other process looks into this one
    names = {
        extent for _, extents, _ in options.input for extent in extents if not extent.isdigit()
    }
    sizes = dict(options.size)
    if missing := sorted(names - set(sizes)):
        parser().error(f"--size {missing[0]}=... is missing")

    def inputs(**values: int) -> List[Array]:
        return [
            Array(tuple(values[e] if e in values else int(e) for e in extents), name=name, **told)
            for name, extents, told in options.input
        ]

    try:
        ruling = judge(
            options.forward,
            options.backward,
            inputs,
            reference=options.reference,
            dtypes=options.dtype.split(","),
            saved=options.saved,
            sizes=sizes,
            arrays=options.arrays,
            roundings=options.roundings,
            accumulation=options.accumulation,
            call_seconds=options.call_seconds,
            seconds=options.seconds,
            memory=options.memory << 20,
            namespaces=not options.no_namespaces,
            seed=options.seed,
        )
    except (ValueError, TypeError, LibraryNotFound) as error:
        print(f"aclgrad.referee: {error}", file=sys.stderr)
        return USAGE
    if options.json == "-":
        print(ruling.json(), end="")
    else:
        print(ruling.text)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                file.write(ruling.json())
    if options.html:
        ruling.report.save(options.html)
    return ruling.status


if __name__ == "__main__":
    sys.exit(main())
