#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The start and the polynomial of adamw.cpp for an inverse.

Needs mpmath. The start is a constant less the bits of x. Times x it is u, 1 for an exact one; the
polynomial of u repairs that. Remez' exchange gives the least largest error. The constant is the one
for which u^2 has the coefficient 1: that is (u - centre)^2 + rest.
"""
import struct

from mpmath import cos, linspace, log, lu_solve, matrix, mp, mpf, nstr, pi

mp.dps = 30


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def leftover(line):
    """The range of u."""
    values = [float_of(bits) * float_of(line - bits) for bits in range(0x3f800000, 0x40000000, 997)]
    return mpf(min(values)), mpf(max(values))


def remez(low, high):
    """Coefficients and error of the quadratic p with u p(u) nearest to 1."""
    points = [(low + high) / 2 - (high - low) / 2 * cos(pi * k / 3) for k in range(4)]
    grid = linspace(low, high, 4001)
    for _ in range(8):
        rows = [[u, u**2, u**3, (-1)**k] for k, u in enumerate(points)]
        solution = lu_solve(matrix(rows), matrix([1, 1, 1, 1]))
        c, runs = solution[:3], []
        for u in grid:
            error = u * (c[0] + u * (c[1] + u * c[2])) - 1
            if runs and (runs[-1][1] > 0) == (error > 0):
                runs[-1] = max(runs[-1], (u, error), key=lambda run: abs(run[1]))
            else:
                runs.append((u, error))
        points = [u for u, _ in runs[:4]]
    return c, abs(solution[3])


LINE = 0x7ef33400
low, high = leftover(LINE)
c, error = remez(low, high)
print(f"start {LINE:#x}: u from {nstr(low, 6)} to {nstr(high, 6)}, error 2^{nstr(log(error, 2), 4)}")
print(f"square {nstr(c[2], 9)}, centre {nstr(-c[1] / 2, 9)}, rest {nstr(c[0] - c[1]**2 / 4, 9)}")
