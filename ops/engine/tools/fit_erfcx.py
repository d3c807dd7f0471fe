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
import sys

from float_fit import coefficient_table, write_or_check
from mpmath import chebyfit, erfc, exp, mp, mpf, pi, sqrt

TERMS = 24
POLE = 5
LIFT = mpf(5) / 4

mp.dps = 50


def tail(a):
    """W(a); beyond a = 1e5 by the first terms of its asymptotic series."""
    a = mpf(a)
    if a > 100000:
        return (1 / a - 1 / a**3 + 3 / a**5) / sqrt(2 * pi)
    return exp(a * a / 2) * erfc(a / sqrt(mpf(2))) / 2


def flattened(t):
    if t == 1:
        return LIFT / sqrt(2 * pi)
    a = POLE * (1 + t) / (1 - t)
    return (1 + LIFT * a) * tail(a)


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
    coefficients = [float(c) for c in chebyfit(flattened, [-1, 1], TERMS)[::-1]]
    points = [i * 40.0 / 20000 for i in range(20001)]
    error = max(abs(mpf(evaluate(coefficients, a)) / tail(a) - 1) for a in points)
    print(f"largest relative error {float(error):.2e}")
    return write_or_check(
        __file__, "ops/engine/math/normal_tail_table.h",
        [f"Largest relative error of the tail that the kernels compute from it: {float(error):.1e}."],
        ["namespace aclgrad::ops {", "", f"inline constexpr double kTailPole = {float(POLE)};",
         f"inline constexpr double kTailLift = {float(LIFT)};", "// Coefficients of 1, t, t^2, ..."],
        coefficient_table("double", "kTailCoefficients", [c.hex() for c in coefficients]), sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
