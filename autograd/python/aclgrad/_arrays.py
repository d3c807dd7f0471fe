# SPDX-License-Identifier: Apache-2.0
"""What a function takes and returns: NumPy's arrays, PyTorch's tensors, or nested lists.

A kind copies memory into an array of its own and back, so nothing that a function keeps ends with
the memory that it came from.
"""
from __future__ import annotations

import ctypes
import math
import sys
from typing import Any, Callable, List, Optional, Sequence, Tuple

from ._dtypes import DTYPES, DType, decode, dtype_of, encode

Shape = Tuple[int, ...]


def elements(shape: Sequence[int]) -> int:
    """How many there are."""
    return math.prod(shape)


def span(shape: Sequence[int], strides: Sequence[int]) -> int:
    """How many elements lie between the first and the last, with both."""
    if elements(shape) == 0:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides))


class Kind:
    """What all kinds have in common."""

    name = ""

    @property
    def of(self) -> str:
        """The name of the kind that the functions see."""
        return self.name

    def from_bytes(
        self, data: bytes, shape: Shape, dtype: DType, strides: Optional[Sequence[int]] = None
    ) -> Any:
        """An array of a copy of these bytes; strides are in elements."""
        raise NotImplementedError

    def to_bytes(self, array: Any, dtype: DType) -> bytes:
        """The elements as the dtype stores them, in order."""
        raise NotImplementedError

    def shape(self, array: Any) -> Shape:
        """Of a result; raises TypeError where it is none."""
        raise NotImplementedError

    def dtype(self, array: Any) -> Optional[DType]:
        """Of a result, None where that says nothing."""
        raise NotImplementedError

    def from_address(
        self, address: int, shape: Shape, dtype: DType, strides: Optional[Sequence[int]] = None
    ) -> Any:
        """An array of a copy of this memory."""
        count = elements(shape) if strides is None else span(shape, strides)
        return self.from_bytes(ctypes.string_at(address, count * dtype.size), shape, dtype, strides)


class Lists(Kind):
    """Nested lists of numbers; a scalar is a number."""

    name = "list"

    def from_bytes(
        self, data: bytes, shape: Shape, dtype: DType, strides: Optional[Sequence[int]] = None
    ) -> Any:
        values = decode(data, dtype)
        if strides is not None:
            values = [values[at] for at in _places(shape, strides)]
        for extent in reversed(shape[1:]):
            count = len(values) // extent if extent else elements(shape[:-1])
            values = [values[i * extent : (i + 1) * extent] for i in range(count)]
        return values if shape else values[0]

    def to_bytes(self, array: Any, dtype: DType) -> bytes:
        values = _flattened(array)
        if not dtype.is_float:
            values = [int(value) for value in values]
        return encode(values, dtype)

    def shape(self, array: Any) -> Shape:
        if isinstance(array, (list, tuple)):
            inner = self.shape(array[0]) if array else ()
            if any(self.shape(each) != inner for each in array):
                raise TypeError("a nested list has rows of different lengths")
            return (len(array), *inner)
        if hasattr(array, "shape"):
            return tuple(array.shape)
        if hasattr(array, "__len__"):  # array.array
            return (len(array),)
        if hasattr(array, "__float__"):
            return ()
        raise TypeError(f"{type(array).__name__} is no number and no list of numbers")

    def dtype(self, array: Any) -> Optional[DType]:
        return None


def _places(shape: Sequence[int], strides: Sequence[int]) -> List[int]:
    places = [0]
    for extent, stride in zip(shape, strides):
        places = [place + i * stride for place in places for i in range(extent)]
    return places


def _flattened(array: Any) -> List[float]:
    if isinstance(array, (list, tuple)):
        return [value for each in array for value in _flattened(each)]
    if hasattr(array, "tolist"):
        listed = array.tolist()
        return _flattened(listed) if isinstance(listed, list) else [listed]
    return [float(array)] if not isinstance(array, (int, float)) else [array]


class Numpy(Kind):
    """NumPy's arrays. It has no bfloat16: such arrays are float32 whose numbers are bfloat16's.

    `convert` makes what the function takes of one: jax.numpy.asarray, cupy.asarray.
    """

    name = "numpy"

    def __init__(self, convert: Optional[Callable[[Any], Any]] = None) -> None:
        import numpy

        self.numpy = numpy
        self.convert = convert

    def from_bytes(
        self, data: bytes, shape: Shape, dtype: DType, strides: Optional[Sequence[int]] = None
    ) -> Any:
        np = self.numpy
        if dtype.name == "bfloat16":
            flat = (np.frombuffer(data, "uint16").astype("uint32") << 16).view("float32")
        else:
            flat = np.frombuffer(bytearray(data), dtype.name)
        if strides is None:
            array = flat.reshape(shape)
        else:
            steps = [stride * flat.itemsize for stride in strides]
            array = np.ndarray(shape, flat.dtype, flat.data, 0, steps)
        return array if self.convert is None else self.convert(array)

    def to_bytes(self, array: Any, dtype: DType) -> bytes:
        np = self.numpy
        array = to_numpy(array)
        if dtype.name == "bfloat16":
            return round_to_bfloat16(array).tobytes()
        if array.dtype.name == dtype.name:
            return array.tobytes()
        with np.errstate(over="ignore", invalid="ignore"):
            return array.astype(dtype.name).tobytes()

    def shape(self, array: Any) -> Shape:
        if array is None or isinstance(array, (str, dict)):
            raise TypeError(f"{type(array).__name__} is no array")
        return tuple(to_numpy(array).shape)

    def dtype(self, array: Any) -> Optional[DType]:
        name = str(getattr(array, "dtype", ""))
        return DTYPES.get(name)


def round_to_bfloat16(array: Any) -> Any:
    """The bits (uint16) of the nearest bfloat16 of each number of a NumPy array, ties to even."""
    import numpy as np

    array = np.asarray(array)
    if str(array.dtype) == "bfloat16":  # of ml_dtypes
        return array.view("uint16")
    with np.errstate(over="ignore", invalid="ignore"):
        near = np.ascontiguousarray(array, "float32").reshape(array.shape)
    bits = near.view("uint32")
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    if array.dtype == np.float64:  # rounded once, not twice: what was cut off breaks a tie
        tie = ((bits & 0xFFFF) == 0x8000) & (near != array) & np.isfinite(near)
        up = np.where(np.abs(near) < np.abs(array), bits + 0x8000, bits)
        rounded = np.where(tie, up, rounded)
    return np.where(np.isnan(array), 0x7FC0, rounded >> 16).astype("uint16")


def from_bfloat16(bits: Any) -> Any:
    """The numbers (float32) of the bits (uint16) of bfloat16, as NumPy arrays."""
    import numpy as np

    return (np.asarray(bits, "uint16").astype("uint32") << 16).view("float32")


def to_numpy(array: Any) -> Any:
    """A NumPy array of anything that is one, of a GPU, too: that is copied."""
    import numpy as np

    if isinstance(array, np.ndarray):
        return array
    if is_torch(array):
        array = array.detach().cpu()
        return (array.float() if str(array.dtype) == "torch.bfloat16" else array).numpy()
    if hasattr(array, "__array__") or hasattr(array, "__array_interface__"):
        return np.asarray(array)
    if hasattr(array, "get") and hasattr(array, "__cuda_array_interface__"):
        return np.asarray(array.get())
    if hasattr(array, "__dlpack__"):
        if array.__dlpack_device__()[0] == 1:
            return np.from_dlpack(array)
        import torch  # what else reads another device's memory

        return to_numpy(torch.from_dlpack(array))
    return np.asarray(array)


def is_torch(array: Any) -> bool:
    """Whether it is a tensor; PyTorch is not loaded for that."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


class Torch(Kind):
    """PyTorch's tensors, on a device."""

    name = "torch"

    def __init__(self, device: Any = "cpu") -> None:
        import torch

        self.torch = torch
        self.device = device

    def from_bytes(
        self, data: bytes, shape: Shape, dtype: DType, strides: Optional[Sequence[int]] = None
    ) -> Any:
        torch = self.torch
        kind = getattr(torch, dtype.name)
        if not data:
            return torch.empty(shape, dtype=kind, device=self.device)
        flat = torch.frombuffer(bytearray(data), dtype=kind).to(self.device)
        return flat.reshape(shape) if strides is None else flat.as_strided(shape, tuple(strides))

    def to_bytes(self, array: Any, dtype: DType) -> bytes:
        torch = self.torch
        if not isinstance(array, torch.Tensor):
            array = torch.as_tensor(array)
        array = array.detach().to(device="cpu", dtype=getattr(torch, dtype.name)).contiguous()
        flat = array.reshape(-1)
        if dtype.size == 2:
            flat = flat.view(torch.int16)
        return ctypes.string_at(flat.data_ptr(), flat.numel() * dtype.size)

    def shape(self, array: Any) -> Shape:
        if not isinstance(array, self.torch.Tensor):
            raise TypeError(f"{type(array).__name__} is no tensor")
        return tuple(array.shape)

    def dtype(self, array: Any) -> Optional[DType]:
        return DTYPES.get(str(array.dtype).rsplit(".", 1)[-1])


def kind_of(arrays: object, given: Sequence[Any]) -> Kind:
    """The kind of a name ("numpy", "torch", "list"), of a function that makes arrays of NumPy's,
    or, where that is None, of the inputs that were given; NumPy's, where it is there, of no
    arrays."""
    if isinstance(arrays, Kind):
        return arrays
    if callable(arrays):
        return Numpy(arrays)
    if arrays is not None:
        if arrays not in ("numpy", "torch", "list"):
            raise ValueError(f"arrays={arrays!r} is not 'numpy', 'torch', 'list' or a function")
        return {"numpy": Numpy, "torch": Torch, "list": Lists}[str(arrays)]()
    for each in given:
        if is_torch(each):
            return Torch(each.device)
    if any(isinstance(each, list) for each in given):
        return Lists()
    try:
        return Numpy()
    except ImportError:
        return Lists()


def numbers_of(array: Any) -> List[float]:
    """The numbers of any array, without NumPy where it is not there."""
    if is_torch(array):
        return array.detach().cpu().double().flatten().tolist()
    if hasattr(array, "numbers"):  # of the referee
        return list(array.numbers())
    if isinstance(array, (list, tuple)) or not hasattr(array, "shape"):
        return _flattened(array)
    return to_numpy(array).astype("float64").ravel().tolist()


def name_of_dtype(array: Any) -> str:
    """Of an input: "float32", "int64" and so on; "" where it says none."""
    if isinstance(array, (list, tuple)):
        return "int64" if array and all(isinstance(v, int) for v in _flattened(array)) else ""
    if hasattr(array, "typecode"):
        code = {"f": "float32", "d": "float64", "i": "int32", "l": "int64", "q": "int64"}
        return code.get(array.typecode, "")
    name = str(getattr(array, "dtype", "")).rsplit(".", 1)[-1]
    try:
        return dtype_of(name).name
    except ValueError:
        return name
