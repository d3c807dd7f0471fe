#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ops/activation/gelu_tail_table.h: the far tail of the normal distribution, in float.

For a >= 3.6, with v = 1 / a^2,

    Phi(-a) = phi(a) / a (1 + r(v)),    r(v) = -v + 3 v^2 - 15 v^3 + ... (an asymptotic series)

and r(v) / v is nearly a polynomial up to a = 19, beyond which Phi(-a) times any float is 0.

Run from the repository root (needs python3-mpmath; some seconds):

    python3 ops/engine/tools/fit_tail.py            # writes the table, prints the error
    python3 ops/engine/tools/fit_tail.py --check    # compares with the table that is there
"""
import sys

from float_fit import chebyshev_nodes, coefficient_table, fit, literal, write_or_check
from mpmath import erfc, exp, log, mpf, pi, sqrt

TERMS = 7


def r(v):
    a = 1 / sqrt(v)
    return a * sqrt(2 * pi) * exp(a * a / 2) * erfc(a / sqrt(mpf(2))) / 2 - 1


def main():
    coefficients, error = fit(
        chebyshev_nodes(1 / mpf(19) ** 2, 1 / mpf("3.6") ** 2, 60),
        [lambda v, n=n: v ** (n + 1) for n in range(TERMS)],
        r,
        lambda v: 1 / (1 + r(v)),
    )
    print(f"relative error of 1 + r {float(error):.2e} = 2^{float(log(error, 2)):.1f}")
    return write_or_check(
        __file__, "ops/activation/gelu_tail_table.h", [f"Relative error of 1 + r below {float(error):.1e}."],
        ["namespace aclgrad::ops {", "", "// Coefficients of v, v^2, v^3, ..."],
        coefficient_table("float", "kTailRest", map(literal, coefficients)), sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
