# SPDX-License-Identifier: Apache-2.0
"""The functions of a pair in the package's convention, and what they take and give."""
from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from . import _library
from ._arrays import Shape, elements
from ._dtypes import DType
from .spec import Array, Attribute, Constant, flags_of, input_of

Inputs = Union[Sequence[Any], Callable[..., Sequence[Any]]]


class Output:
    """Of a result: its shape and dtype, and whether a gradient arrives at it."""

    def __init__(self, name: str, shape: Shape, dtype: DType, is_saved: bool) -> None:
        self.name, self.shape, self.dtype, self.is_saved = name, shape, dtype, is_saved
        self.size = elements(shape) * dtype.size


class Setting:
    """What the functions take and give under some attributes, in one dtype."""

    def __init__(self, attributes: Dict[str, Any], inputs: List[Union[Array, Constant]]) -> None:
        self.attributes = attributes
        self.inputs = inputs
        self.outputs: List[Output] = []
        self.arrays = [each for each in inputs if isinstance(each, Array)]
        self.kept: List[Any] = []  # what the C library reads until the next call


def parameters_of(function: Callable[..., Any]) -> Optional[List[str]]:
    """The names of those that can be given by name; None where any can, or nobody knows."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return None
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [each.name for each in parameters if each.kind in named]


def _has_parameter(function: Callable[..., Any], name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


class Functions:
    """Forward, backward and reference, in the package's convention:

    forward(*inputs, **attributes) -> output, or a tuple of outputs and what it saves
    backward(*output_gradients, *inputs, *saved, **attributes) -> a gradient for each input that has
    one, in a tuple where there are several; a parameter `outputs` is given the outputs.
    """

    def __init__(
        self,
        forward: Callable[..., Any],
        backward: Callable[..., Any],
        reference: Optional[Callable[..., Any]],
        saved: int,
        attributes: Dict[str, Attribute],
    ) -> None:
        self.forward, self.backward, self.saved = forward, backward, saved
        self.reference = reference if reference is not None else forward
        self.has_reference = reference is not None
        names = list(attributes)
        self._wanted = {}
        for function in (self.forward, self.backward, self.reference):
            known = parameters_of(function)
            self._wanted[id(function)] = (
                names if known is None else [n for n in names if n in known]
            )
        self.wants_outputs = _has_parameter(backward, "outputs")

    def named(self, function: Callable[..., Any], attributes: Dict[str, Any]) -> Dict[str, Any]:
        """Those attributes that a function takes."""
        return {name: attributes[name] for name in self._wanted[id(function)]}

    def results(
        self, function: Callable[..., Any], setting: Setting, inputs: Sequence[Any]
    ) -> List[Any]:
        """The outputs and what is saved, of forward or reference."""
        made = function(*inputs, **self.named(function, setting.attributes))
        return list(made) if isinstance(made, (tuple, list)) and _is_several(made) else [made]

    def gradients(
        self,
        setting: Setting,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        arriving: Sequence[Any],
    ) -> List[Any]:
        """A gradient for each input that has one."""
        count = len(outputs) - self.saved
        named = self.named(self.backward, setting.attributes)
        if self.wants_outputs:
            named["outputs"] = tuple(outputs[:count])
        made = self.backward(*arriving, *inputs, *outputs[count:], **named)
        wanted = sum(flags_of(each) & _library.NO_GRADIENT == 0 for each in setting.arrays)
        if isinstance(made, tuple):
            several = list(made)
        elif wanted > 1 and isinstance(made, list):
            several = made
        else:
            several = [made]
        if len(several) == len(inputs) != wanted:  # one for each argument, as PyTorch has it
            several = [
                each
                for each, spec in zip(several, setting.inputs)
                if isinstance(spec, Array) and not flags_of(spec) & _library.NO_GRADIENT
            ]
        if len(several) != wanted:
            names = [a.name for a in setting.arrays if not flags_of(a) & _library.NO_GRADIENT]
            raise ValueError(
                f"the backward returns {len(several)} gradient{'s' * (len(several) != 1)}, and "
                f"{wanted} inputs have one: {', '.join(map(str, names))}"
            )
        return several


def _is_several(made: Sequence[Any]) -> bool:
    """Whether a result is several: a tuple, or a list of what is no number and no list of them."""
    return isinstance(made, tuple) or (len(made) > 0 and hasattr(made[0], "shape"))


def inputs_of(
    inputs: Inputs, attributes: Dict[str, Any], forward: Callable[..., Any]
) -> List[Union[Array, Constant]]:
    """What stands for each input, named as the forward's parameters are."""
    if callable(inputs):
        known = parameters_of(inputs)
        wanted = (
            attributes if known is None else {n: v for n, v in attributes.items() if n in known}
        )
        inputs = inputs(**wanted)
    elif not isinstance(inputs, (list, tuple)) or isinstance(inputs, Array):
        inputs = [inputs]  # one alone
    elif isinstance(inputs, tuple) and inputs and all(isinstance(each, int) for each in inputs):
        inputs = [inputs]
    names = _names_of(forward)
    specs = []
    for k, each in enumerate(inputs):
        specs.append(input_of(each, names[k] if k < len(names) else f"input {k}"))
    if not any(isinstance(s, Array) and s.is_floating() and s.gradient for s in specs):
        specs = [  # as of tensors none of which requires_grad
            dataclasses.replace(s, gradient=True) if isinstance(s, Array) else s for s in specs
        ]
    return specs


def _names_of(function: Callable[..., Any]) -> List[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [each.name for each in parameters if each.kind in positional]
