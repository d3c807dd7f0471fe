#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ops/engine/math/exponential_table.h: (e^r - 1 - r) / r^2 as polynomials in float, |r| <= ln 2 / 2.

The error that is made small is that of e^r, relative to e^r. A short polynomial is for results that are rounded
more than once.

Run from the repository root (needs python3-mpmath; some seconds):

    python3 ops/engine/tools/fit_exponential.py            # writes the table, prints the error
    python3 ops/engine/tools/fit_exponential.py --check    # compares with the table that is there
"""
import sys

from float_fit import chebyshev_nodes, coefficient_table, fit, literal, write_or_check
from mpmath import exp, log, mpf

TERMS = {"kGrowth": 6, "kShortGrowth": 5}
LIMIT = log(mpf(2)) / 2 * mpf("1.001")


def table(name):
    coefficients, error = fit(
        chebyshev_nodes(-LIMIT, LIMIT, 60),  # an even number: none of them is 0
        [lambda r, n=n: r ** (n + 2) for n in range(TERMS[name])],
        lambda r: exp(r) - 1 - r,
        lambda r: exp(-r),
    )
    print(f"{name}: relative error of e^r {float(error):.2e} = 2^{float(log(error, 2)):.1f}")
    return [f"// Relative error of e^r below {float(error):.1e}.",
            *coefficient_table("float", name, map(literal, coefficients))]


def main():
    return write_or_check(
        __file__, "ops/engine/math/exponential_table.h", [],
        ["namespace aclgrad::ops {", "", "// Coefficients of 1, r, r^2, ..."],
        [line for name in TERMS for line in table(name)], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
