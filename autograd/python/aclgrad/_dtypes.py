# SPDX-License-Identifier: Apache-2.0
"""The dtypes of arrays, their bytes, and the rounding to 16 bits, without NumPy."""
from __future__ import annotations

import array
import math
import struct
from typing import Dict, Iterable, List, NamedTuple, Sequence


class DType(NamedTuple):
    """One dtype: `format` is that of the struct module, of the bits where Python lacks the type."""

    name: str
    size: int
    format: str
    is_float: bool
    digits: int  # of the significand, with the hidden one


DTYPES: Dict[str, DType] = {
    each.name: each
    for each in (
        DType("float64", 8, "d", True, 53),
        DType("float32", 4, "f", True, 24),
        DType("float16", 2, "e", True, 11),
        DType("bfloat16", 2, "H", True, 8),
        DType("int32", 4, "i", False, 31),
        DType("int64", 8, "q", False, 63),
    )
}
_OTHER_NAMES = {"fp64": "float64", "double": "float64", "fp32": "float32", "float": "float32"}
_OTHER_NAMES.update({"fp16": "float16", "half": "float16", "bf16": "bfloat16"})


def dtype_of(name: object) -> DType:
    """The dtype of a name, of NumPy's or PyTorch's dtype: "float32", numpy.float32,
    torch.bfloat16."""
    text = getattr(name, "__name__", None) or str(name)
    text = text.rsplit(".", 1)[-1]
    text = _OTHER_NAMES.get(text, text)
    if text not in DTYPES:
        raise ValueError(f"dtype {name!r} is not one of {', '.join(DTYPES)}")
    return DTYPES[text]


def bfloat16_bits(value: float) -> int:
    """The 16 bits of the nearest bfloat16, ties to even."""
    if math.isnan(value):
        return 0x7FC0
    (bits,) = struct.unpack("<I", struct.pack("<f", _float32(value)))
    # A number that is no float32 is rounded once, not twice: what was cut off breaks a tie.
    (near,) = struct.unpack("<f", struct.pack("<I", bits))
    tail = bits & 0xFFFF
    up = tail > 0x8000 or (tail == 0x8000 and (bits >> 16) & 1 == 1)
    if tail == 0x8000 and near != value and not math.isinf(value):
        up = abs(near) < abs(value)
    return min((bits >> 16) + up, 0xFFFF)


def _float32(value: float) -> float:
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def encode(values: Sequence[float], dtype: DType) -> bytes:
    """The bytes of numbers, each rounded to the dtype."""
    if dtype.name == "bfloat16":
        return array.array("H", map(bfloat16_bits, values)).tobytes()
    if dtype.name == "float16":
        return struct.pack(f"={len(values)}e", *map(_saturated_half, values))
    if dtype.name == "float32":
        try:
            return array.array("f", values).tobytes()
        except OverflowError:
            return array.array("f", map(_float32, values)).tobytes()
    return array.array(dtype.format, values).tobytes()


def _saturated_half(value: float) -> float:
    return math.copysign(math.inf, value) if abs(value) >= 65520 else value


def decode(data: bytes, dtype: DType) -> List[float]:
    """The numbers of the bytes."""
    if dtype.name == "bfloat16":
        halves = array.array("H", data)
        return array.array("f", array.array("I", [h << 16 for h in halves]).tobytes()).tolist()
    count = len(data) // dtype.size
    return list(struct.unpack(f"={count}{dtype.format}", data))


def round_to(values: Iterable[float], dtype: DType) -> List[float]:
    """The numbers as the dtype stores them."""
    return decode(encode(list(values), dtype), dtype)
