#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ops/engine/math/logarithm_table.h: (ln(1 + f) - f + f^2 / 2) / f^3 as a polynomial in float.

1 + f lies between the roots of 1/2 and 2. The error that is made small is that of ln(1 + f), relative to it.

Run from the repository root (needs python3-mpmath; some seconds):

    python3 ops/engine/tools/fit_logarithm.py            # writes the table, prints the error
    python3 ops/engine/tools/fit_logarithm.py --check    # compares with the table that is there
"""
import sys

from float_fit import chebyshev_nodes, coefficient_table, fit, literal, write_or_check
from mpmath import log, log1p, mpf, sqrt

TERMS = 8
MARGIN = mpf("1.001")


def main():
    coefficients, error = fit(
        chebyshev_nodes((sqrt(mpf(1) / 2) - 1) * MARGIN, (sqrt(mpf(2)) - 1) * MARGIN, 80),
        [lambda f, n=n: f ** (n + 3) for n in range(TERMS)],
        lambda f: log1p(f) - f + f * f / 2,
        lambda f: 1 / log1p(f),
    )
    print(f"relative error of ln(1 + f) {float(error):.2e} = 2^{float(log(error, 2)):.1f}")
    return write_or_check(
        __file__, "ops/engine/math/logarithm_table.h", [],
        ["namespace aclgrad::ops {", "", "// Coefficients of 1, f, f^2, ..."],
        [f"// Relative error of ln(1 + f) below {float(error):.1e}.",
         *coefficient_table("float", "kLogarithm", map(literal, coefficients))], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
