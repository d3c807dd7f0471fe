# SPDX-License-Identifier: Apache-2.0
"""What goes between the referee and the process of the functions: a header in JSON and bytes."""
from __future__ import annotations

import json
import os
import select
import struct
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .._arrays import Kind, Shape, elements
from .._dtypes import DTYPES, DType, decode, encode

_FRAME = struct.Struct("<4sIQ")
_MARK = b"acl1"
_MOST_HEADER, _MOST_BODY = 1 << 20, 1 << 28


class Closed(Exception):
    """The other end is gone."""


class TooLate(Exception):
    """Nothing came in time."""


class Malformed(Exception):
    """What came is no message."""


def send(descriptor: int, header: Dict[str, Any], body: bytes = b"") -> None:
    """Writes a message; raises Closed."""
    text = json.dumps(header).encode()
    data = memoryview(_FRAME.pack(_MARK, len(text), len(body)) + text + body)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError as error:
        raise Closed from error


def receive(
    descriptor: int,
    deadline: Optional[float] = None,
    is_alive: Callable[[], bool] = lambda: True,
) -> Tuple[Dict[str, Any], bytes]:
    """Reads a message; raises Closed, TooLate or Malformed."""
    mark, text_size, body_size = _FRAME.unpack(_read(descriptor, _FRAME.size, deadline, is_alive))
    if mark != _MARK or text_size > _MOST_HEADER or body_size > _MOST_BODY:
        raise Malformed("it wrote to the channel itself")
    text = _read(descriptor, text_size, deadline, is_alive)
    body = _read(descriptor, body_size, deadline, is_alive)
    try:
        header = json.loads(text)
    except ValueError as error:
        raise Malformed("its answer is no JSON") from error
    if not isinstance(header, dict):
        raise Malformed("its answer is no object")
    return header, body


def _read(
    descriptor: int, count: int, deadline: Optional[float], is_alive: Callable[[], bool]
) -> bytes:
    data = bytearray()
    while len(data) < count:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TooLate
            ready, _, _ = select.select([descriptor], [], [], min(left, 0.05))
            if not ready:
                if not is_alive():
                    raise Closed
                continue
        try:
            some = os.read(descriptor, min(count - len(data), 1 << 20))
        except OSError as error:
            raise Closed from error
        if not some:
            raise Closed
        data += some
    return bytes(data)


class Raw:
    """An array that is only its bytes."""

    def __init__(
        self, shape: Shape, dtype: DType, data: bytes, strides: Optional[Sequence[int]] = None
    ) -> None:
        self.shape, self.dtype, self.data, self.strides = tuple(shape), dtype, data, strides

    def numbers(self) -> List[float]:
        """Its elements; of a dense one."""
        return decode(self.data, self.dtype)

    def described(self) -> Dict[str, Any]:
        """For a header."""
        return {
            "shape": list(self.shape),
            "dtype": self.dtype.name,
            "strides": None if self.strides is None else list(self.strides),
            "bytes": len(self.data),
        }

    @staticmethod
    def from_header(told: Any, body: bytes, at: int) -> "Raw":
        """What a header tells of; raises Malformed where that cannot be."""
        try:
            shape = tuple(int(extent) for extent in told["shape"])
            dtype = DTYPES[told["dtype"]]
            count = int(told["bytes"])
        except (TypeError, KeyError, ValueError) as error:
            raise Malformed("it describes an array wrongly") from error
        fits = count == elements(shape) * dtype.size and at + count <= len(body)
        if len(shape) > 16 or any(extent < 0 for extent in shape) or not fits:
            raise Malformed("an array is not of the size that it says")
        return Raw(shape, dtype, body[at : at + count])


class RawArrays(Kind):
    """Arrays as the referee has them: it computes nothing with them."""

    name = "raw"

    def __init__(self, of: str = "numpy") -> None:
        self._of = of

    @property
    def of(self) -> str:
        return self._of

    def from_bytes(
        self, data: bytes, shape: Shape, dtype: DType, strides: Optional[Sequence[int]] = None
    ) -> Raw:
        return Raw(shape, dtype, data, strides)

    def to_bytes(self, array: Any, dtype: DType) -> bytes:
        same = array.dtype.name == dtype.name
        return array.data if same else encode(array.numbers(), dtype)

    def shape(self, array: Any) -> Shape:
        if not isinstance(array, Raw):
            raise TypeError(f"{type(array).__name__} is no array")
        return array.shape

    def dtype(self, array: Any) -> Optional[DType]:
        return array.dtype
