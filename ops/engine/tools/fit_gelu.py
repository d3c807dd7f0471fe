#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ops/activation/gelu_pieces.h: the lower tails of GELU's gate and of its derivative, in float pieces.

Four functions F(x) with F(x) + F(-x) = 1:

    erf form    Phi(x)     and  Phi(x) + x phi(x)           (gelu(x) = x Phi(x), and gelu'(x))
    tanh form   s(z(x))    and  s + x s (1 - s) z'(x)       (gelu(x) = x s, and gelu'(x))
                s(z) = 1 / (1 + e^-z),  z(x) = 2 sqrt(2/pi) (x + 0.044715 x^3)

Of F(-a) for a from 0 to a limit there are 32 pieces: 16 of one width, then 16 of twice that. On a piece, with
t = a - centre,

    F(-a) = (value + slope t + c2 t^2 + ... + c6 t^6) 2^(power + rate t + bend t^2)

and all numbers are floats. The power of two is 1 (power, rate and bend are 0) on the pieces below `far`; on the others
it takes what falls too fast for a polynomial. What makes that exact enough:

  * The centre is not quite the middle but a float near it at which `value` is nearly the exact one (closer than 2^-32
    of it; the method of S. Gal, 1986). It is not 0: products with a tiny t would be subnormal.
  * On the piece where a derivative has its zero, the centre is the float nearest to that zero or one beside it,
    at which `slope` loses less. On the piece before,
    `value` is less than twice what F is at the end, so that value - (value + slope t) is exact in float.
  * `slope` is the float nearest to the derivative; c2 ... c6 make the error relative to F small (float_fit.py).

And of 2^r - 1 a polynomial r (kPower[0] + kPower[1] r + ...), for r in the range that is left beside integers.

Run from the repository root (needs python3-mpmath; about a minute):

    python3 ops/engine/tools/fit_gelu.py            # writes the table, prints the errors reached
    python3 ops/engine/tools/fit_gelu.py --check    # compares with the table that is there

The errors printed are those of the polynomials with their rounded coefficients, without the rounding of the
arithmetic: `./dev prove` measures everything together.
"""
import struct
import sys
import textwrap

from float_fit import chebyshev_nodes, fit, to_float, write_or_check
from mpmath import diff, erfc, exp, findroot, floor, log, mpf, pi, sqrt

PIECES = 32
DEGREES = range(2, 7)
NODES = 31
MAGIC = 3 * 2**22 + 127  # adding it to an integer makes the exponent of a float of the last bits


def neighbour(f, steps):
    bits = struct.unpack("i", struct.pack("f", float(f)))[0]
    return mpf(struct.unpack("f", struct.pack("i", bits + steps))[0])


LINEAR = 2 * sqrt(2 / pi)
CUBIC = mpf("0.044715")


def erf_gate(a):
    return erfc(a / sqrt(mpf(2))) / 2


def erf_slope(a):
    return erf_gate(a) - a * exp(-a * a / 2) / sqrt(2 * pi)


def tanh_gate(a):
    return 1 / (1 + exp(LINEAR * (a + CUBIC * a**3)))


def tanh_slope(a):
    s = tanh_gate(a)
    return s * (1 - a * (1 - s) * LINEAR * (1 + 3 * CUBIC * a * a))


# What it is, the function, its zero, the width of the first pieces, the first piece with a power of two, whether that
# has a bend: the tanh form falls as e^(-a^3), the erf form is as good without.
ERF = (mpf(1) / 3, 10, False)
TANH = (mpf(15) / 64, 14, True)
TABLES = {
    "kErfGate": ("Phi(-a)", erf_gate, None, *ERF),
    "kErfSlope": ("Phi(-a) - a phi(a)", erf_slope, 0.7518, *ERF),
    "kTanhGate": ("s(-z(a))", tanh_gate, None, *TANH),
    "kTanhSlope": ("s(-z) - a s(z) s(-z) z'(a)", tanh_slope, 0.7524, *TANH),
}


def ends(k, width):
    return (k * width, (k + 1) * width) if k < 16 else ((2 * k - 16) * width, (2 * k - 14) * width)


def error_beside(function, centre, zero):
    """The largest relative error of a function at the floats beside its zero, by value and slope of float."""
    value, slope = function(centre), diff(function, centre)
    lost = lambda a: to_float(value) - value + (to_float(slope) - slope) * (a - centre)
    return max(abs(lost(a) / function(a)) for a in (neighbour(zero, step) for step in range(-40, 41)))


def fit_piece(function, zero, width, far, bends, k):
    low, high = ends(k, width)
    middle = (low + high) / 2
    power, rate, bend = 0, mpf(0), mpf(0)
    if k >= far:
        logarithm = lambda a: log(abs(function(a)), 2)
        power = int(floor(logarithm(middle)))
        rate = to_float(diff(logarithm, middle))
        bend = to_float(diff(logarithm, middle, 2) / 2) if bends else mpf(0)
    scaled = lambda a: function(a) * mpf(2) ** -power
    if zero and low < zero < high:
        nearest = to_float(findroot(function, zero))
        centre = min((neighbour(nearest, step) for step in (-1, 0, 1)), key=lambda c: error_beside(function, c, nearest))
    else:
        if zero and low < zero - width < high:
            middle = findroot(lambda a: function(a) - mpf("1.9") * function(high), high - width / 4)
        centre = next(
            candidate
            for step in range(1, 100000)
            for candidate in (neighbour(to_float(middle), step), neighbour(to_float(middle), -step))
            if abs(to_float(scaled(candidate)) / scaled(candidate) - 1) < mpf(2) ** -32
        )
    value = to_float(scaled(centre))
    rest = lambda t: scaled(centre + t) * mpf(2) ** -(rate * t + bend * t * t)
    slope = to_float(diff(rest, 0))
    # Beside the zero the error is that of `slope`, which the others cannot take away: they care for the rest.
    least = mpf(1) / 64 if zero and low < zero < high else 0
    coefficients, error = fit(
        chebyshev_nodes(low - centre, high - centre, NODES),
        [lambda t, n=n: t**n for n in DEGREES],
        lambda t: rest(t) - value - slope * t,
        lambda t: 1 / (abs(rest(t)) + least),
    )
    return [centre, value, slope, *coefficients, rate, mpf(MAGIC + power), bend], error


def shortest(v):
    """The float with as few decimal digits as tell it from all others."""
    digits = next(d for d in range(1, 10) if to_float(mpf(f"{float(v):.{d}g}")) == v)
    text = f"{float(v):.{digits}g}"
    return text.replace("e-0", "e-").replace("e+0", "e") + ("f" if "." in text or "e" in text else ".0f")


def wrapped(numbers, indent, opening, closing):
    text = opening + ", ".join(map(shortest, numbers)) + closing
    return textwrap.wrap(text, 100, initial_indent=indent, subsequent_indent=indent + " ")


def table(name, comment, function, zero, width, far, bends):
    columns, errors = zip(*(fit_piece(function, zero, width, far, bends, k) for k in range(PIECES)))
    worst = max(errors)
    print(f"{name}: relative error {float(worst):.2e} = 2^{float(log(worst, 2)):.1f}", flush=True)
    lines = [f"// {comment}: relative error below {float(worst):.1e}.", f"inline constexpr GeluPieces {name} = {{"]
    limit = to_float(48 * width - mpf("0.001"))
    centre, rate, power = columns[-1][0], columns[-1][-3], columns[-1][-2] - MAGIC
    large = mpf(2) ** (-151 - round(power + rate * (limit - centre)))
    first_far = to_float(ends(far, width)[0] - mpf("0.001"))
    lines.append(f"    {'true' if zero else 'false'}, {'true' if bends else 'false'}, " + "".join(shortest(v) + ", " for v in (to_float(1 / (4 * width)), first_far, limit, large)) + "{")
    for numbers in list(zip(*columns))[: None if bends else -1]:
        lines += wrapped(numbers[16:] + numbers[:16], "    ", "{", "},")
    return [*lines, "}};", ""]


def power_table():
    reach = lambda r: mpf(2) ** r - 1
    nodes = chebyshev_nodes(mpf("-0.501"), mpf("0.501"), NODES)
    terms = [lambda r, n=n: r**n for n in range(1, 7)]
    coefficients, error = fit(nodes, terms, reach, lambda r: mpf(2) ** -r)
    print(f"kPower: error {float(error):.2e} of 2^r", flush=True)
    lines = [f"// 2^r - 1: error below {float(error):.1e} of 2^r.", "inline constexpr float kPower[] = {"]
    return [*lines, *wrapped(coefficients, "    ", "", "};"), ""]


def main():
    declarations = [
        "#include <cstddef>",
        "",
        "namespace aclgrad::ops {",
        "",
        "inline constexpr size_t kPieces = 32;",
        "",
        "// The numbers of a piece, in an order in which what pieces without a power of two need comes",
        "// first. kStart is the power, added to what makes it the exponent of a float.",
        "enum PieceNumber : size_t {",
        "  kCentre,",
        "  kValue,",
        "  kSlope,",
        *[f"  kC{n}," for n in DEGREES],
        "  kNearNumbers,",
        "  kRate = kNearNumbers,",
        "  kStart,",
        "  kBend,",
        "  kFarNumbers",
        "};",
        "",
        "// The piece around a stands at the index that bits 19 to 23 of the float 4 + density a are.",
        "struct GeluPieces {",
        "  bool is_slope;  // of the derivative",
        "  bool bends;     // kBend is not 0",
        "  float density;",
        "  float far;    // from here on there is a power of two",
        "  float limit;  // here the pieces end",
        "  float large;  // products of smaller numbers with the function are 0 from there on",
        "  alignas(64) float rows[kFarNumbers][kPieces];",
        "};",
        "",
    ]
    lines = [line for name, about in TABLES.items() for line in table(name, *about)]
    return write_or_check(__file__, "ops/activation/gelu_pieces.h", [], declarations, power_table() + lines, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
