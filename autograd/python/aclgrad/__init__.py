# SPDX-License-Identifier: Apache-2.0
"""Whether a gradient is right: of any pair of Python functions, in float32, bfloat16, float16,
float64.

    report = aclgrad.check_gradient(forward, backward, [aclgrad.Array((4, 6))])
    report = aclgrad.check_torch(f, x, weight)
    aclgrad.assert_gradient(forward, backward, inputs)   # in a test
"""
from ._arrays import from_bfloat16, round_to_bfloat16 as to_bfloat16
from ._library import LibraryNotFound, version
from .advice import Advice, Tolerance, advise
from .check import assert_gradient, check_gradient
from .conventions import assert_torch, assert_vjp, check_torch, check_vjp
from .report import Finding, Report
from .spec import Array, Attribute, Constant

__all__ = [
    "Advice",
    "Array",
    "Attribute",
    "Constant",
    "Finding",
    "LibraryNotFound",
    "Report",
    "Tolerance",
    "advise",
    "assert_gradient",
    "assert_torch",
    "assert_vjp",
    "check_gradient",
    "check_torch",
    "check_vjp",
    "from_bfloat16",
    "to_bfloat16",
    "version",
]
