#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ops/engine/math/normal_tail_table.h: the tail of the normal distribution for double precision.

For a >= 0 let W(a) = e^(a^2/2) * Phi(-a) = erfcx(a / sqrt(2)) / 2. It falls slowly, from 1/2 at 0 to
about 1 / (a sqrt(2 pi)) far out, so G(a) = (1 + kLift * a) * W(a) is nearly flat; in the variable
t = (a - kPole) / (a + kPole), which maps [0, infinity) to [-1, 1), G is so smooth that a polynomial
of degree 23 reaches the last place of a double. (The idea of that variable: M. Shepherd and
J. Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc x, 1981.)

The coefficients are those of the interpolant at Chebyshev nodes, computed with 50 digits, turned
into powers of t and rounded once. kPole = 5 gives the shortest polynomial among 3 ... 7.

Run from the repository root (needs python3-mpmath; about ten seconds):

    python3 ops/engine/tools/fit_erfcx.py            # writes the table, prints the error reached
    python3 ops/engine/tools/fit_erfcx.py --check    # compares with the table that is there

The error printed is that of the arithmetic the kernels use (double, every operation rounded),
against 50 digits, over 20000 points of [0, 40].
"""
import pathlib
import sys

from mpmath import cos, erfc, exp, mp, mpf, pi, sqrt

TERMS = 24
POLE = 5
LIFT = mpf(5) / 4
TARGET = pathlib.Path(__file__).resolve().parent.parent / "math" / "normal_tail_table.h"

mp.dps = 50


def tail(a):
    """W(a); beyond a = 1e5 by the first terms of its asymptotic series."""
    a = mpf(a)
    if a > 100000:
        return (1 / a - 1 / a**3 + 3 / a**5) / sqrt(2 * pi)
    return exp(a * a / 2) * erfc(a / sqrt(mpf(2))) / 2


def flattened(t):
    a = POLE * (1 + t) / (1 - t)
    return (1 + LIFT * a) * tail(a)


def chebyshev_coefficients(count):
    nodes = [(j + mpf(1) / 2) * pi / count for j in range(count)]
    values = [flattened(cos(angle)) for angle in nodes]
    result = [
        2 * sum(v * cos(k * angle) for v, angle in zip(values, nodes)) / count for k in range(count)
    ]
    result[0] /= 2
    return result


def to_powers(chebyshev):
    """Powers of t of sum c_k T_k(t), through T_{k+1} = 2 t T_k - T_{k-1}."""
    previous, current = [mpf(1)], [mpf(0), mpf(1)]
    powers = [mpf(0)] * len(chebyshev)
    for k, c in enumerate(chebyshev):
        polynomial = previous if k == 0 else current
        for i, p in enumerate(polynomial):
            powers[i] += c * p
        if k > 0:
            following = [mpf(0)] + [2 * p for p in current]
            for i, p in enumerate(previous):
                following[i] -= p
            previous, current = current, following
    return powers


def evaluate(coefficients, a):
    """What the kernels do, operation by operation."""
    t = (a - POLE) / (a + POLE)
    t2 = t * t
    even = coefficients[-2]
    odd = coefficients[-1]
    for k in range(len(coefficients) - 4, -2, -2):
        even = even * t2 + coefficients[k]
        odd = odd * t2 + coefficients[k + 1]
    return (even + odd * t) / (1.0 + float(LIFT) * a)


def main():
    coefficients = [float(p) for p in to_powers(chebyshev_coefficients(TERMS))]
    points = [i * 40.0 / 20000 for i in range(20001)]
    error = max(abs(mpf(evaluate(coefficients, a)) / tail(a) - 1) for a in points)
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Made by ops/engine/tools/fit_erfcx.py; that file says what it is. Do not edit.",
        f"// Largest relative error of the tail that the kernels compute from it: {float(error):.1e}.",
        "#ifndef ACLGRAD_OPS_ENGINE_MATH_NORMAL_TAIL_TABLE_H_",
        "#define ACLGRAD_OPS_ENGINE_MATH_NORMAL_TAIL_TABLE_H_",
        "",
        "namespace aclgrad::ops {",
        "",
        f"inline constexpr double kTailPole = {float(POLE)};",
        f"inline constexpr double kTailLift = {float(LIFT)};",
        "// Coefficients of 1, t, t^2, ...",
        "// clang-format off",
        "inline constexpr double kTailCoefficients[] = {",
        *[f"    {c.hex()}," for c in coefficients],
        "};",
        "// clang-format on",
        "",
        "}  // namespace aclgrad::ops",
        "",
        "#endif  // ACLGRAD_OPS_ENGINE_MATH_NORMAL_TAIL_TABLE_H_",
        "",
    ]
    text = "\n".join(lines)
    print(f"largest relative error {float(error):.2e}")
    if "--check" in sys.argv[1:]:
        same = TARGET.read_text() == text
        print("the table is up to date" if same else "the table differs")
        return 0 if same else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
