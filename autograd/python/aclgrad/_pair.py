# SPDX-License-Identifier: Apache-2.0
"""A pair of Python functions as the C library calls them: memory in, arrays to the functions,
memory out."""
from __future__ import annotations

import ctypes
import math
import random
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _library
from ._arrays import Kind, Shape, elements, numbers_of
from ._dtypes import DTYPES, DType, encode, round_to
from ._functions import Functions, Inputs, Output, Setting, inputs_of
from .spec import Array, Attribute, Constant, draw, flags_of


class Pair:
    """The callbacks of one dtype. What a function raises is kept, and ends the check."""

    def __init__(
        self,
        name: str,
        functions: Functions,
        inputs: Inputs,
        attributes: Dict[str, Attribute],
        allow: Optional[Callable[..., bool]],
        kind: Kind,
        dtype: DType,
        contiguous: bool = False,
    ) -> None:
        self.name, self.functions, self.kind, self.dtype = name, functions, kind, dtype
        self.error: Optional[BaseException] = None
        self._inputs, self._attributes, self._allow = inputs, attributes, allow
        self._contiguous = contiguous
        self._has_reference: Optional[bool] = None
        self._settings: Dict[Tuple[float, ...], Setting] = {}

    # ---- what is known before the first call --------------------------------------------------

    def setting(self, values: Tuple[float, ...]) -> Setting:
        """The arrays under these attributes: the outputs are those of a call."""
        if values not in self._settings:
            if len(self._settings) > 64:
                self._settings.clear()
            self._settings[values] = self._described(values)
        return self._settings[values]

    def usual(self) -> Setting:
        """Under the usual attributes."""
        return self.setting(tuple(float(each.usual) for each in self._attributes.values()))

    def _described(self, values: Tuple[float, ...]) -> Setting:
        attributes = {
            name: each.value(value) for (name, each), value in zip(self._attributes.items(), values)
        }
        setting = Setting(attributes, inputs_of(self._inputs, attributes, self.functions.forward))
        results = self.functions.results(
            self.functions.forward, setting, draw(setting.inputs, self.kind, self.dtype, 1)
        )
        count = len(results) - self.functions.saved
        if count < 1:
            raise ValueError(
                f"{self.name}: the forward returns {len(results)} results, of which "
                f"{self.functions.saved} are saved: there is no output"
            )
        for k, result in enumerate(results):
            name = f"output {k}" if k < count else f"saved {k - count}"
            name = "output" if count == 1 and k == 0 else name
            try:
                shape = self.kind.shape(result)
            except TypeError as error:
                raise TypeError(f"{self.name}: the forward's {name}: {error}") from None
            setting.outputs.append(
                Output(name, shape, self._dtype_of(result, k >= count), k >= count)
            )
        return setting

    def _dtype_of(self, result: Any, is_saved: bool) -> DType:
        own = self.kind.dtype(result)
        if own is not None and not own.is_float:
            if not is_saved:
                raise TypeError(f"{self.name}: an output of {own.name} has no gradient")
            return own
        if self.dtype.size > 2:
            return self.dtype
        if self.kind.of == "torch":
            return own if own is not None and own.size <= 4 else DTYPES["float32"]
        # Statistics are kept in float32, unless they are of float16.
        if is_saved and (own is None or own.name != "float16"):
            return DTYPES["float32"]
        return self.dtype

    def try_backward(self) -> None:
        """Calls it once, and raises what says that it does not fit."""
        setting = self.usual()
        inputs = draw(setting.inputs, self.kind, self.dtype, 2)
        results = self.functions.results(self.functions.forward, setting, inputs)
        arriving = []
        for k, output in enumerate(setting.outputs):
            if output.is_saved:
                continue
            values = random.Random(k)
            numbers = [values.uniform(-1, 1) for _ in range(elements(output.shape))]
            data = encode(numbers, output.dtype)
            arriving.append(self.kind.from_bytes(data, output.shape, output.dtype))
        gradients = self.functions.gradients(setting, inputs, results, arriving)
        for each, gradient in zip(self._differentiated(setting), gradients):
            self._gradient_bytes(gradient, each)

    @property
    def has_reference(self) -> bool:
        """Whether there is a forward in float64 beside this one: one of its own, or itself."""
        if self._has_reference is None:
            self._has_reference = self._find_reference()
        return self._has_reference

    def _find_reference(self) -> bool:
        if self.dtype.name == "float64":
            return True
        if self.functions.has_reference:
            return True
        problem = self._digits_lost()
        if problem and self.dtype.size == 2:
            raise ValueError(
                f"{self.name}: {problem}, so there is nothing to compare {self.dtype.name} with; "
                "give a reference=, the same forward in float64"
            )
        return not problem

    def _digits_lost(self) -> str:
        """Why the forward is no reference; "" where it is."""
        double = DTYPES["float64"]
        setting = self.usual()
        inputs = draw(setting.inputs, self.kind, double, 3)
        for k, spec in enumerate(setting.inputs):  # in float64, whatever its own dtype is
            if isinstance(spec, Array) and spec.is_floating():
                inputs[k] = self.kind.from_bytes(
                    encode(spec.draw(303 + k), double), spec.shape, double
                )
        try:
            results = self.functions.results(self.functions.forward, setting, inputs)
            count = len(results) - self.functions.saved
            numbers = [n for each in results[:count] for n in numbers_of(each)]
        except Exception as error:  # such as a kernel that takes float32 only
            return f"the forward does not take float64 ({type(error).__name__}: {error})"
        fine = [n for n in numbers if math.isfinite(n) and n != 0]
        if (
            len(fine)
            and round_to(fine, DTYPES["float32"]) == fine
            and not all(n % 1 == 0 for n in fine)
        ):
            return "the forward gives float32 when it is given float64"
        return ""

    # ---- what the C library calls ---------------------------------------------------------------

    def describe(self, values: Any, inputs: Any, outputs: Any, _context: Any) -> None:
        """aclgradGradcheckDescribe"""
        if self.error is not None:
            values = [float(each.usual) for each in self._attributes.values()]
        try:
            setting = self.setting(tuple(values[k] for k in range(len(self._attributes))))
        except BaseException as error:  # an interrupt, too, ends the check
            self.error = self.error or error
            setting = self.usual()  # of which there was one
        setting.kept.clear()
        for k, array in enumerate(setting.arrays):
            low, high = array.range()
            dtype = array.dtype_under(self.dtype)
            self._describe_one(
                setting, inputs, k, array.name or "", array.shape, dtype, flags_of(array), low, high
            )
        strided = 0 if self._contiguous or self.kind.name == "list" else _library.STRIDED
        for k, output in enumerate(setting.outputs):
            flags = _library.NO_GRADIENT if output.is_saved else strided
            self._describe_one(
                setting, outputs, k, output.name, output.shape, output.dtype, flags, 0, 0
            )

    @staticmethod
    def _describe_one(
        setting: Setting,
        arrays: Any,
        k: int,
        name: str,
        shape: Shape,
        dtype: DType,
        flags: int,
        low: float,
        high: float,
    ) -> None:
        extents = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        text = name.encode()
        setting.kept += [extents, text]
        arrays[k] = _library.Array(text, extents, len(shape), dtype.name.encode(), low, high, flags)

    def allow(self, values: Any, _context: Any) -> int:
        """aclgradGradcheckAllow"""
        if self._allow is None or self.error is not None:
            return 1
        try:
            named = {
                name: each.value(values[k])
                for k, (name, each) in enumerate(self._attributes.items())
            }
            return int(bool(self._allow(**named)))
        except BaseException as error:
            self.error = self.error or error
            return 1

    def forward(self, call: Any, _context: Any) -> None:
        """aclgradGradcheckCallee of the forward"""
        self._guarded(self._forward, call.contents, self.functions.forward, self.dtype)

    def reference(self, call: Any, _context: Any) -> None:
        """aclgradGradcheckCallee of the forward in float64"""
        self._guarded(self._forward, call.contents, self.functions.reference, DTYPES["float64"])

    def backward(self, call: Any, _context: Any) -> None:
        """aclgradGradcheckCallee of the backward"""
        self._guarded(self._backward, call.contents)

    def _guarded(self, function: Callable[..., None], *arguments: Any) -> None:
        if self.error is not None:
            return
        try:
            function(*arguments)
        except BaseException as error:
            self.error = error

    def _setting_of(self, call: Any) -> Setting:
        count = len(self._attributes)
        return self.setting(tuple(call.attributes[k] for k in range(count)))

    def _inputs_at(self, setting: Setting, addresses: Any, dtype: DType) -> List[Any]:
        inputs, k = [], 0
        for spec in setting.inputs:
            if isinstance(spec, Constant):
                inputs.append(spec.value)
                continue
            own = spec.dtype_under(dtype)
            own = dtype if own.is_float and dtype.name == "float64" else own
            inputs.append(self.kind.from_address(addresses[k], spec.shape, own))
            k += 1
        return inputs

    def _forward(self, call: Any, function: Callable[..., Any], dtype: DType) -> None:
        setting = self._setting_of(call)
        inputs = self._inputs_at(setting, call.inputs, dtype)
        results = self.functions.results(function, setting, inputs)
        outputs = setting.outputs
        if len(results) < len(outputs) and function is self.functions.reference:
            outputs = outputs[: len(results)]  # it may leave out what is saved
        for k, (output, result) in enumerate(zip(outputs, results)):
            is_double = dtype.name == "float64" and output.dtype.is_float
            self._put(call.outputs[k], result, output, dtype if is_double else output.dtype)

    def _put(self, address: Optional[int], result: Any, output: Output, dtype: DType) -> None:
        if address is None:
            return
        shape = self.kind.shape(result)
        if shape != output.shape:
            raise ValueError(
                f"{self.name}: {output.name} has shape {shape} here and {output.shape} elsewhere"
            )
        ctypes.memmove(address, self.kind.to_bytes(result, dtype), elements(shape) * dtype.size)

    def _backward(self, call: Any) -> None:
        setting = self._setting_of(call)
        inputs = self._inputs_at(setting, call.inputs, self.dtype)
        outputs, arriving = [], []
        for k, output in enumerate(setting.outputs):
            outputs.append(self.kind.from_address(call.outputs[k], output.shape, output.dtype))
            if output.is_saved:
                continue
            strides = call.strides[k][: len(output.shape)] if call.strides else None
            if strides is not None and strides == _dense(output.shape):
                strides = None
            arriving.append(
                self.kind.from_address(
                    call.output_gradients[k], output.shape, output.dtype, strides
                )
            )
        before = arriving_bytes(self.kind, arriving, setting)
        gradients = self.functions.gradients(setting, inputs, outputs, arriving)
        self._write_back(call, setting, inputs, arriving, before)
        places = [k for k, each in enumerate(setting.arrays) if self._has_gradient(each)]
        for k, gradient in zip(places, gradients):
            data = self._gradient_bytes(gradient, setting.arrays[k])
            if call.input_gradients[k] is not None:
                ctypes.memmove(call.input_gradients[k], data, len(data))

    def _write_back(
        self,
        call: Any,
        setting: Setting,
        inputs: Sequence[Any],
        arriving: Sequence[Any],
        before: Sequence[bytes],
    ) -> None:
        """What the backward did to its arguments, for the C library to see."""
        if self.kind.name == "list" or getattr(self.kind, "convert", None) is not None:
            return
        arrays = [a for a, spec in zip(inputs, setting.inputs) if isinstance(spec, Array)]
        for k, (array, spec) in enumerate(zip(arrays, setting.arrays)):
            data = self.kind.to_bytes(array, spec.dtype_under(self.dtype))
            ctypes.memmove(call.inputs[k], data, len(data))
        places = [k for k, output in enumerate(setting.outputs) if not output.is_saved]
        for k, array, bytes_before in zip(places, arriving, before):
            output = setting.outputs[k]
            strides = call.strides[k][: len(output.shape)] if call.strides else None
            data = self.kind.to_bytes(array, output.dtype)
            if data != bytes_before and (strides is None or strides == _dense(output.shape)):
                ctypes.memmove(call.output_gradients[k], data, len(data))

    def _gradient_bytes(self, gradient: Any, spec: Array) -> bytes:
        dtype = spec.dtype_under(self.dtype)
        if gradient is None:  # none: zeros
            return bytes(elements(spec.shape) * dtype.size)
        try:
            shape = self.kind.shape(gradient)
        except TypeError as error:
            raise TypeError(f"{self.name}: the gradient of {spec.name}: {error}") from None
        if shape != spec.shape:
            raise ValueError(
                f"{self.name}: the gradient of {spec.name} has shape {shape}, and {spec.name} "
                f"{spec.shape}"
            )
        return self.kind.to_bytes(gradient, dtype)

    @staticmethod
    def _has_gradient(array: Array) -> bool:
        return not flags_of(array) & _library.NO_GRADIENT

    def _differentiated(self, setting: Setting) -> List[Array]:
        return [each for each in setting.arrays if self._has_gradient(each)]


def arriving_bytes(kind: Kind, arriving: Sequence[Any], setting: Setting) -> List[bytes]:
    """The gradients that arrive, as they were before the backward had them."""
    outputs = [output for output in setting.outputs if not output.is_saved]
    return [kind.to_bytes(array, output.dtype) for array, output in zip(arriving, outputs)]


def _dense(shape: Sequence[int]) -> List[int]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return strides[::-1]
