# SPDX-License-Identifier: Apache-2.0
"""Ten kernels with their backwards, in NumPy, by formula: each module has forward, backward,
INPUTS, how many results are SAVED, and MISTAKES, edits of its text that make the gradient wrong.

Numbers are stored in the dtype of the inputs, and computed with in float32 (float64 for float64).
"""
import importlib
import inspect
import types

NAMES = (
    "layer_norm",
    "cross_entropy",
    "rms_norm",
    "swiglu",
    "rotary",
    "softmax",
    "group_norm",
    "rms_norm_offset",
    "kl_divergence",
    "flash_attention",
)


def wide(array):
    """The array as kernels compute with it."""
    return array.astype("float64" if array.dtype == "float64" else "float32")


def kernel(name):
    """The module of a kernel."""
    return importlib.import_module(f"{__name__}.{name}")


def with_mistake(name, old, new):
    """The module of a kernel with an edit of its text."""
    text = inspect.getsource(kernel(name))
    text = text[: text.index("MISTAKES = ")]
    if text.count(old) != 1:
        raise ValueError(f"{name} has {old!r} {text.count(old)} times")
    module = types.ModuleType(name)
    exec(compile(text.replace(old, new), f"{name}.py, with a mistake", "exec"), module.__dict__)
    return module
