#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ops/activation/gelu_pieces.h: the two forms of GELU's gate and its derivative, in float pieces.

Four functions F(x), each rising from 0 to 1:

    erf form    Phi(x)     and  Phi(x) + x phi(x)           (gelu(x) = x Phi(x), and gelu'(x))
    tanh form   s(z(x))    and  s + x s (1 - s) z'(x)       (gelu(x) = x s, and gelu'(x))
                s(z) = 1 / (1 + e^-z),  z(x) = 2 sqrt(2/pi) (x + 0.044715 x^3)

x in [-3.625, 4.375) is cut into 32 pieces around the multiples of 1/4. On a piece, with t = x - centre,

    F(x) = value + slope t + (c2 + c3 t + c4 t^2 + c5 t^3 + c6 t^4) t^2

and all numbers are floats. What makes that exact enough:

  * The centre is not quite j/4 but a float near it at which F is nearly a float itself (closer than
    2^-32 of its value; the method of S. Gal, 1986), so that `value` needs no second part.
  * On the piece where a derivative has its zero, the centre is the float nearest to that zero, `value`
    is minus a power of two and `value_rest` what it leaves out of F: near the zero F is as good,
    relative to itself, as slope t is.
  * On the piece above that one the centre lies nearer to the zero than the middle does, so that
    value - (value + slope t) is exact in float on the whole piece, as it is on the others.
  * `slope_rest` is what the float `slope` leaves out of F' at the centre. Both rests serve the
    derivatives alone: beside their zeros they count.
  * c2 ... c6 make the error relative to F small (float_fit.py).

Run from the repository root (needs python3-mpmath; about twenty seconds):

    python3 ops/engine/tools/fit_pieces.py            # writes the table, prints the errors reached
    python3 ops/engine/tools/fit_pieces.py --check    # compares with the table that is there

The errors printed are those of the polynomials with their rounded coefficients, without the rounding
of the arithmetic: `./dev prove` measures everything together.
"""
import struct
import sys
import textwrap

from float_fit import chebyshev_nodes, fit, to_float, write_or_check
from mpmath import diff, erfc, exp, findroot, floor, log, mpf, pi, sqrt

PIECES = 32
FIRST = -14  # of the multiples of 1/4
WIDTH = mpf(1) / 4
DEGREES = range(2, 7)
NODES = 41


def neighbour(f, steps):
    bits = struct.unpack("i", struct.pack("f", float(f)))[0]
    return mpf(struct.unpack("f", struct.pack("i", bits + steps))[0])


def normal(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def normal_density(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


LINEAR = 2 * sqrt(2 / pi)
CUBIC = mpf("0.044715")


def logistic(x):
    return 1 / (1 + exp(-LINEAR * (x + CUBIC * x**3)))


def erf_gate(x):
    return normal(x)


def erf_slope(x):
    return normal(x) + x * normal_density(x)


def tanh_gate(x):
    return logistic(x)


def tanh_slope(x):
    s = logistic(x)
    return s + x * s * (1 - s) * LINEAR * (1 + 3 * CUBIC * x * x)


FUNCTIONS = {
    "kErfGate": ("Phi(x)", erf_gate),
    "kErfSlope": ("Phi(x) + x phi(x)", erf_slope),
    "kTanhGate": ("s(z(x))", tanh_gate),
    "kTanhSlope": ("s + x s (1 - s) z'(x)", tanh_slope),
}


def has_zero(function):
    return "slope" in function.__name__


def centre_near(function, j):
    """A float near the middle of the piece at which the function is nearly a float."""
    if j == 0:
        return mpf(0)  # F(0) = 1/2
    if has_zero(function) and j == -3:
        return to_float(findroot(function, -0.7518))
    middle = mpf("-0.523") if has_zero(function) and j == -2 else j * WIDTH
    for step in range(1, 100000):
        for sign in (1, -1):
            candidate = neighbour(to_float(middle), sign * step)
            value = function(candidate)
            if abs(to_float(value) - value) < mpf(2) ** -32 * abs(value):
                return candidate
    raise RuntimeError("no centre found")


def fit_piece(function, j):
    centre = centre_near(function, j)
    value = to_float(function(centre))
    value_rest = slope_rest = mpf(0)
    slope = diff(function, centre)
    if has_zero(function):
        slope_rest = to_float(slope - to_float(slope))
        if j == -3:
            value = -(mpf(2) ** floor(log(-value, 2)))
            value_rest = to_float(function(centre) - value)
    slope = to_float(slope)
    coefficients, error = fit(
        chebyshev_nodes((j - mpf(1) / 2) * WIDTH - centre, (j + mpf(1) / 2) * WIDTH - centre, NODES),
        [lambda t, n=n: t**n for n in DEGREES],
        lambda t: function(centre + t) - value - value_rest - (slope + slope_rest) * t,
        lambda t: 1 / abs(function(centre + t)),
    )
    return [centre, value, slope, *coefficients, value_rest, slope_rest], error


def shortest(v):
    """The float with as few decimal digits as tell it from all others."""
    digits = next(d for d in range(1, 10) if to_float(mpf(f"{float(v):.{d}g}")) == v)
    text = f"{float(v):.{digits}g}"
    return text.replace("e-0", "e-") + ("f" if "." in text or "e" in text else ".0f")


def table(name, comment, function):
    columns = [None] * PIECES
    worst = mpf(0)
    for j in range(FIRST, FIRST + PIECES):
        columns[j % PIECES], error = fit_piece(function, j)
        worst = max(worst, error)
    print(f"{name}: relative error {float(worst):.2e} = 2^{float(log(worst, 2)):.1f}", flush=True)
    lines = [f"// {comment}: relative error below {float(worst):.1e}.", f"inline constexpr GeluPieces {name} = {{{{"]
    for numbers in zip(*columns):
        text = ", ".join(map(shortest, numbers))
        if any(numbers):  # the rests of a gate are the last rows, and 0
            lines += textwrap.wrap(f"{{{text}}},", 100, initial_indent="    ", subsequent_indent="     ")
    return [*lines, "}};", ""]


def main():
    declarations = [
        "#include <cstddef>",
        "",
        "namespace aclgrad::ops {",
        "",
        "inline constexpr size_t kPieces = 32;",
        "",
        "// The numbers of a piece, in an order in which all that the gate needs comes first.",
        "enum PieceNumber : size_t {",
        "  kCentre,",
        "  kValue,",
        "  kSlope,",
        *[f"  kC{n}," for n in DEGREES],
        "  kGateNumbers,",
        "  kValueRest = kGateNumbers,",
        "  kSlopeRest,",
        "  kSlopeNumbers",
        "};",
        "",
        "// Piece j, around j/4, stands at index j mod 32 of each row.",
        "struct GeluPieces {",
        "  alignas(64) float rows[kSlopeNumbers][kPieces];",
        "};",
        "",
        f"inline constexpr int kFirstPiece = {FIRST};",
        "",
    ]
    lines = [line for name, (comment, function) in FUNCTIONS.items() for line in table(name, comment, function)]
    return write_or_check(__file__, "ops/activation/gelu_pieces.h", [], declarations, lines, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
