# SPDX-License-Identifier: Apache-2.0
"""Rounding to 16 bits, without NumPy and with it."""
import fractions
import math
import random
import struct

import pytest

from aclgrad import _dtypes
from aclgrad._dtypes import DTYPES, bfloat16_bits, decode, dtype_of, encode

np = pytest.importorskip("numpy", reason="NumPy is not installed")
from aclgrad import from_bfloat16, to_bfloat16  # noqa: E402


def nearest_bfloat16(value):
    """By exact arithmetic, from the neighbours."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    exact, best = fractions.Fraction(value), None
    for high in range((bits >> 16) - 1, (bits >> 16) + 2):
        if high < 0 or (high & 0x7F80) == 0x7F80:
            continue
        (near,) = struct.unpack("<f", struct.pack("<I", high << 16))
        key = (abs(fractions.Fraction(near) - exact), high & 1)
        if best is None or key < best[0]:
            best = (key, high)
    return best[1]


def numbers():
    values = random.Random(3)
    yield from (
        1 + 2**-8,
        1 + 3 * 2**-8,
        1 + 2**-8 + 2**-40,
        1 + 2**-8 - 2**-40,
        -1 - 2**-8 - 2**-40,
    )
    for _ in range(2000):
        yield values.uniform(-1, 1) * 2.0 ** values.randint(-30, 30)


def test_bfloat16_is_the_nearest_with_ties_to_even_of_doubles_too():
    for value in numbers():
        assert bfloat16_bits(value) == nearest_bfloat16(value), value.hex()


def test_numpy_rounds_as_the_package_does_without_it():
    values = [*numbers(), math.inf, -math.inf, math.nan, 0.0, -0.0, 3.4e38, 1e300]
    assert to_bfloat16(np.array(values)).tolist() == [bfloat16_bits(v) for v in values]
    with np.errstate(over="ignore"):
        single = np.array(values, "float32")
    assert to_bfloat16(single).tolist() == [bfloat16_bits(float(v)) for v in single]


def test_bfloat16_comes_back():
    bits = np.arange(0, 0x7F80, 7, dtype="uint16")
    assert (to_bfloat16(from_bfloat16(bits)) == bits).all()


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_numbers_are_rounded_as_numpy_rounds_them(name):
    values = [*numbers(), 65519.0, 65520.0, 1e300]
    with np.errstate(over="ignore"):
        expected = np.array(values).astype(name).tolist()
    assert decode(encode(values, DTYPES[name]), DTYPES[name]) == expected


def test_dtypes_have_the_names_of_others():
    assert dtype_of(np.float32).name == dtype_of(np.dtype("float32")).name == "float32"
    assert dtype_of("bf16").name == "bfloat16" and dtype_of("half").name == "float16"
    with pytest.raises(ValueError, match="float8"):
        _dtypes.dtype_of("float8")
