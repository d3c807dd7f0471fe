# SPDX-License-Identifier: Apache-2.0
"""Referee: a verdict on functions that nobody trusts, which run in a process of their own.

    python3 -m aclgrad.referee kernels:forward kernels:backward --input x=NxD --size N=4:1:9 --size
    D=6
"""
from .judge import Reason, Ruling, judge

__all__ = ["Reason", "Ruling", "judge"]
