#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ops/kernels/exponential_table.h: (e^r - 1 - r) / r^2 as a polynomial in float, |r| <= ln 2 / 2.

Least squares of the error of e^r, relative to e^r, reweighted until the largest errors are level
(Lawson's method): nearly the minimax polynomial. Coefficients are rounded to float one by one from the
constant on, each time with the rest fitted anew.

Run from the repository root (needs python3-mpmath; about five seconds):

    python3 ops/kernels/tools/fit_exponential.py            # writes the table, prints the error
    python3 ops/kernels/tools/fit_exponential.py --check    # compares with the table that is there
"""
import pathlib
import struct
import sys

from mpmath import cos, exp, log, lu_solve, matrix, mp, mpf, pi

TARGET = pathlib.Path(__file__).resolve().parent.parent / "exponential_table.h"
TERMS = 5
NODES = 60

mp.dps = 40


def to_float(v):
    return mpf(struct.unpack("f", struct.pack("f", float(v)))[0])


LIMIT = log(mpf(2)) / 2 * mpf("1.001")
POINTS = [LIMIT * cos(pi * (2 * k + 1) / (2 * NODES)) for k in range(NODES)]


def left_over(r, known):
    """What is missing of e^r, relative to it."""
    return (exp(r) - 1 - r - sum(c * r ** (n + 2) for n, c in known.items())) / exp(r)


def fit():
    known = {}
    weights = [mpf(1)] * NODES
    for n in range(TERMS):
        free = range(n, TERMS)
        rows = [[r ** (m + 2) / exp(r) for m in free] for r in POINTS]
        target = [left_over(r, known) for r in POINTS]
        for _ in range(20 if n == 0 else 6):
            squares = matrix(len(free), len(free))
            right = matrix(len(free), 1)
            for w, row, y in zip(weights, rows, target):
                for a in range(len(free)):
                    right[a] += w * row[a] * y
                    for b in range(len(free)):
                        squares[a, b] += w * row[a] * row[b]
            solution = lu_solve(squares, right)
            errors = [abs(sum(s * c for s, c in zip(solution, row)) - y) for row, y in zip(rows, target)]
            weights = [w * (e + max(errors) / 1000) for w, e in zip(weights, errors)]
            total = sum(weights)
            weights = [w / total for w in weights]
        known[n] = to_float(solution[0])
    return known, max(abs(left_over(r, known)) for r in POINTS)


def main():
    known, error = fit()
    print(f"relative error of e^r {float(error):.2e} = 2^{float(log(error, 2)):.1f}")
    text = "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            "// Made by ops/kernels/tools/fit_exponential.py; that file says what it is. Do not edit.",
            f"// Relative error of e^r below {float(error):.1e}.",
            "#ifndef ACLGRAD_OPS_KERNELS_EXPONENTIAL_TABLE_H_",
            "#define ACLGRAD_OPS_KERNELS_EXPONENTIAL_TABLE_H_",
            "",
            "namespace aclgrad::ops {",
            "",
            "// Coefficients of 1, r, r^2, ...",
            "inline constexpr float kGrowth[] = {",
            "    " + ", ".join(f"{float(c).hex()}f" for c in list(known.values())[:3]) + ",",
            "    " + ", ".join(f"{float(c).hex()}f" for c in list(known.values())[3:]) + ",",
            "};",
            "",
            "}  // namespace aclgrad::ops",
            "",
            "#endif  // ACLGRAD_OPS_KERNELS_EXPONENTIAL_TABLE_H_",
            "",
        ]
    )
    if "--check" in sys.argv[1:]:
        same = TARGET.read_text() == text
        print("the table is up to date" if same else "the table differs")
        return 0 if same else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
