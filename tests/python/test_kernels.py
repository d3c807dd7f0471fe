# SPDX-License-Identifier: Apache-2.0
"""Ten kernels and their mistakes (examples/kernels). Each kernel in two dtypes, and three of its
mistakes, to be quick; all five in all four dtypes: ACLGRAD_LONG=1; many seeds: alarms.py."""
import os

import kernels
import pytest

import aclgrad

DTYPES = ("float64", "float32", "bfloat16", "float16")
IS_LONG = bool(os.environ.get("ACLGRAD_LONG"))


def check(module, name, dtype, seed=1):
    spec = kernels.kernel(name)
    return aclgrad.check_gradient(
        module.forward,
        module.backward,
        spec.INPUTS,
        saved=spec.SAVED,
        dtypes=dtype,
        name=name,
        seed=seed,
    )


def pairs():
    for k, name in enumerate(kernels.NAMES):
        for d, dtype in enumerate(DTYPES):
            if IS_LONG or d % 2 == k % 2:
                yield name, dtype


@pytest.mark.parametrize("name, dtype", pairs())
def test_a_right_gradient_is_right(name, dtype):
    report = check(kernels.kernel(name), name, dtype)
    assert report.verdict == "right", report.text


def mistakes():
    for k, name in enumerate(kernels.NAMES):
        for m, (what, old, new) in enumerate(kernels.kernel(name).MISTAKES):
            for d, dtype in enumerate(DTYPES):
                if IS_LONG or (d == 1 + (k + m) % 3 and (k + m) % 5 < 3):
                    yield pytest.param(name, dtype, old, new, id=f"{name}-{what}-{dtype}")


@pytest.mark.parametrize("name, dtype, old, new", mistakes())
def test_a_mistake_is_found(name, dtype, old, new):
    assert check(kernels.with_mistake(name, old, new), name, dtype).verdict == "wrong"


def test_each_kernel_has_five_mistakes():
    assert all(len(kernels.kernel(name).MISTAKES) == 5 for name in kernels.NAMES)
