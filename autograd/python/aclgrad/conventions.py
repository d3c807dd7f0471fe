# SPDX-License-Identifier: Apache-2.0
"""Functions as others write them: PyTorch's callables, whose backward is autograd's, and JAX's
pairs of a forward with residuals and their backward."""
from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ._dtypes import dtype_of
from .check import check_gradient
from .report import Report
from .spec import Array, draw

# ---- PyTorch -----------------------------------------------------------------------------------


def check_torch(function: Any, *inputs: Any, **options: Any) -> Report:
    """check_gradient of a callable, a module or a torch.autograd.Function on tensors.

    inputs: tensors, whose shapes, dtypes and ranges are taken (those that require gradients have
    one; all floating ones, where none does), an Array, or constants. The backward is
    torch.autograd.grad, the reference the function on tensors of float64, unless there is a
    reference=. Options are those of check_gradient. `roundings`, where it is not given, is taken
    from autograd's graph: an operator of PyTorch's counts for two, a torch.autograd.Function for
    none. dtypes: ("float32", "bfloat16"), and float32 alone for what is made of PyTorch's
    operators: in 16 bits they round at each step, which gradients need not survive (tanh, of its
    rounded result).
    """
    import torch

    apply = _callable_of(torch, function)
    if isinstance(function, torch.nn.Module) and next(function.parameters(), None) is not None:
        raise ValueError(
            "the module has parameters, which are not of the dtypes under check: pass them as "
            "inputs, by torch.nn.functional or torch.func.functional_call"
        )

    @_named_as(function)
    def forward(*given: Any) -> Any:
        with torch.no_grad():
            return apply(*given)

    def backward(*given: Any) -> Tuple[Any, ...]:
        arguments = list(given[-len(inputs) :])
        arriving = given[: -len(inputs)]
        wanted = []
        for k, (argument, one) in enumerate(zip(arguments, inputs)):
            if (
                is_wanted(one)
                and isinstance(argument, torch.Tensor)
                and argument.is_floating_point()
            ):
                arguments[k] = argument.detach().requires_grad_()
                wanted.append(arguments[k])
        made = apply(*arguments)
        outputs = [made] if isinstance(made, torch.Tensor) else list(made)
        pairs = [(y, g) for y, g in zip(outputs, arriving) if y.requires_grad]
        if not pairs:  # nothing of it depends on an input
            return (None,) * len(wanted)
        several = torch.autograd.grad(
            [y for y, _ in pairs], wanted, [g for _, g in pairs], allow_unused=True
        )
        return tuple(several)

    some_want = any(getattr(each, "requires_grad", False) for each in inputs)

    def is_wanted(one: Any) -> bool:
        if isinstance(one, Array):
            return one.gradient
        return getattr(one, "requires_grad", False) or not some_want

    options.setdefault("arrays", "torch")
    options.setdefault("name", getattr(function, "__name__", type(function).__name__))
    if options.get("roundings") is None:
        options["roundings"] = _roundings_of(torch, apply, inputs, is_wanted)
        if options["roundings"]:
            options.setdefault("dtypes", ("float32",))
    return check_gradient(forward, backward, list(inputs), **options)


def assert_torch(function: Any, *inputs: Any, **options: Any) -> Report:
    """check_torch; raises AssertionError with the report unless it is right."""
    __tracebackhide__ = True
    return check_torch(function, *inputs, **options).require_right()


def _callable_of(torch: Any, function: Any) -> Callable[..., Any]:
    if isinstance(function, type) and issubclass(function, torch.autograd.Function):
        return getattr(function, "apply")  # type: ignore[no-any-return]
    if not callable(function):
        raise TypeError(f"{function!r} cannot be called")
    checked: Callable[..., Any] = function
    return checked


def _rounds(node: str) -> int:
    """How often a node of autograd's graph rounds inside, beside its result. An operator of
    PyTorch's may do it at each of its steps; a torch.autograd.Function says itself what it does."""
    moves = ("AccumulateGrad", "View", "TBackward", "Transpose", "Unsafe", "Expand", "Permute")
    is_operator = node.rstrip("0123456789").endswith("Backward") and node[-1].isdigit()
    return 2 if is_operator and not node.startswith(moves) else 0


def _roundings_of(
    torch: Any, apply: Callable[..., Any], inputs: Sequence[Any], is_wanted: Callable[[Any], bool]
) -> int:
    """How many roundings of nodes of autograd's graph stand in a row."""
    from ._arrays import Torch
    from ._functions import inputs_of

    specs = inputs_of(inputs, {}, apply)
    arguments = draw(specs, Torch(), dtype_of("float32"), 1)
    for k, argument in enumerate(arguments):
        floats = isinstance(argument, torch.Tensor) and argument.is_floating_point()
        if floats and is_wanted(inputs[k]):
            arguments[k] = argument.requires_grad_()
    made = apply(*arguments)
    outputs = [made] if isinstance(made, torch.Tensor) else list(made)
    depths: Dict[Any, int] = {}

    def depth(root: Any) -> int:
        waiting = [root]
        while waiting:  # by hand, since graphs may be deeper than Python's stack
            node = waiting[-1]
            nexts = [each for each, _ in node.next_functions if each is not None]
            missing = [each for each in nexts if each not in depths]
            if missing:
                waiting += missing
                continue
            depths[node] = _rounds(type(node).__name__) + max(
                (depths[each] for each in nexts), default=0
            )
            waiting.pop()
        return depths[root]

    return max([0] + [depth(y.grad_fn) for y in outputs if y.grad_fn is not None])


def _named_as(function: Any) -> Callable[[Any], Any]:
    """Gives a wrapper the names of a function's parameters."""

    def named(wrapper: Any) -> Any:
        try:
            wrapper.__signature__ = inspect.signature(function)
        except (TypeError, ValueError):
            pass
        return wrapper

    return named


# ---- JAX's pairs -------------------------------------------------------------------------------


def check_vjp(
    forward: Callable[..., Any],
    backward: Callable[[Any, Any], Any],
    inputs: Sequence[Any],
    *,
    reference: Optional[Callable[..., Any]] = None,
    **options: Any,
) -> Report:
    """check_gradient of a pair as jax.custom_vjp takes it.

    forward(*inputs) returns (output, residuals); backward(residuals, output_gradient) returns a
    gradient for each input. Residuals are dicts, tuples and lists of arrays and of anything else;
    outputs may be a tuple. reference: as `forward`, or without residuals; None: `forward` itself.
    """
    structure: List[Any] = [None]

    @_named_as(forward)
    def with_leaves(*given: Any, **named: Any) -> Tuple[Any, ...]:
        output, residuals = forward(*given, **named)
        leaves: List[Any] = []
        structure[0] = _taken_apart(residuals, leaves)
        return (*_several(output), *leaves)

    def from_leaves(*given: Any, **named: Any) -> Any:
        leaves = list(given[len(given) - count[0] :])
        arriving = given[: outputs[0]]
        residuals = _put_together(structure[0], leaves)
        return backward(residuals, arriving if is_tuple[0] else arriving[0], **named)

    from ._arrays import kind_of
    from ._functions import inputs_of

    first = options.get("dtypes", ("float32", "bfloat16"))
    first = first if isinstance(first, str) else next(iter(first))
    kind = kind_of(options.get("arrays"), inputs)
    arguments = draw(inputs_of(inputs, {}, forward), kind, dtype_of(first), 1)
    output, residuals = forward(*arguments)
    leaves: List[Any] = []
    _taken_apart(residuals, leaves)
    count, outputs = [len(leaves)], [len(_several(output))]
    is_tuple = [isinstance(output, tuple)]

    def plain_reference(*given: Any, **named: Any) -> Any:
        made = reference(*given, **named)  # type: ignore[misc]
        with_residuals = isinstance(made, tuple) and len(made) == 2 and not is_tuple[0]
        return made[0] if with_residuals else made

    options.setdefault("name", getattr(forward, "__name__", "function"))
    return check_gradient(
        with_leaves,
        from_leaves,
        inputs,
        reference=None if reference is None else plain_reference,
        saved=len(leaves),
        **options,
    )


def assert_vjp(*arguments: Any, **options: Any) -> Report:
    """check_vjp; raises AssertionError with the report unless it is right."""
    __tracebackhide__ = True
    return check_vjp(*arguments, **options).require_right()


def _several(output: Any) -> Tuple[Any, ...]:
    return output if isinstance(output, tuple) else (output,)


def _taken_apart(tree: Any, leaves: List[Any]) -> Any:
    """Puts the arrays of a tree into `leaves`; the rest of it stays."""
    if isinstance(tree, dict):
        return {name: _taken_apart(each, leaves) for name, each in tree.items()}
    if isinstance(tree, tuple):
        return tuple(_taken_apart(each, leaves) for each in tree)
    is_list_of_arrays = isinstance(tree, list) and not all(
        isinstance(v, (int, float)) for v in tree
    )
    if is_list_of_arrays and not (tree and isinstance(tree[0], list)):
        return [_taken_apart(each, leaves) for each in tree]
    kind = str(getattr(tree, "dtype", "")).rsplit(".", 1)[-1]
    is_array = kind in ("float16", "bfloat16", "float32", "float64", "int32", "int64")
    if is_array or isinstance(tree, list):
        leaves.append(tree)
        return _Leaf(len(leaves) - 1)
    return tree


class _Leaf:
    def __init__(self, place: int) -> None:
        self.place = place


def _put_together(tree: Any, leaves: Sequence[Any]) -> Any:
    if isinstance(tree, _Leaf):
        return leaves[tree.place]
    if isinstance(tree, dict):
        return {name: _put_together(each, leaves) for name, each in tree.items()}
    if isinstance(tree, (tuple, list)):
        return type(tree)(_put_together(each, leaves) for each in tree)
    return tree
