#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The polynomials of doubles-inl.h, with the largest error of each once its coefficients are doubles.

Needs mpmath. Prints what the header has; the fits are Chebyshev's, a little worse than minimax.
"""
import struct

from mpmath import atanh, chebyfit, exp, linspace, log, mp, mpf, nstr, sqrt

mp.dps = 50


def fit(name, function, low, high, degree):
    coefficients = [float(c) for c in chebyfit(function, [low, high], degree + 1)[::-1]]
    worst = max(abs(sum(mpf(c) * x**k for k, c in enumerate(coefficients)) - function(x))
                for x in linspace(low, high, 2001))
    print(f"{name}: error {nstr(worst, 3)}")
    for c in coefficients:
        print(f"  {c.hex()}")


def log_series(square):
    """(log((1 + s) / (1 - s)) - 2 s) / s^3 for s^2 = square."""
    if square < mpf(10)**-12:
        return mpf(2) / 3 + square * 2 / 5
    s = sqrt(square)
    return 2 * (atanh(s) - s) / s**3


slack = mpf("1.0001")
half_ln2 = log(2) / 2 * slack
fit("e^r for |r| <= ln 2 / 2", exp, -half_ln2, half_ln2, 10)
largest = (sqrt(2) - 1) / (sqrt(2) + 1) * slack
fit("logarithm", log_series, mpf(0), largest**2, 7)

# For ops/normalization/softmax_kernel.cpp: (e^r - 1) / r, and the powers of two by eighths as bits.
eighth = log(2) / 16 * slack
fit("growth for |r| <= ln 2 / 16", lambda r: (exp(r) - 1) / r if abs(r) > mpf(10)**-12 else 1 + r / 2,
    -eighth, eighth, 4)
for j in range(8):
    bits = struct.unpack("<Q", struct.pack("<d", float(mpf(2)**(mpf(j) / 8))))[0]
    print(f"  {bits - (j << 49):#x}")
