# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: the fixture `gradient`, the marker `gradient`, and options.

    def test_silu(gradient):
        gradient(silu, silu_backward, [(4, 6)])
"""
from __future__ import annotations

import pathlib
import re
import shlex
from typing import Any, Callable

import pytest

from .check import check_gradient
from .conventions import check_torch, check_vjp
from .report import Report


def pytest_addoption(parser: Any) -> None:
    """Adds --gradient-seed and --gradient-report."""
    group = parser.getgroup("gradient", "gradients by aclgrad")
    group.addoption("--gradient-seed", type=int, default=1, metavar="N", help="of random numbers")
    group.addoption(
        "--gradient-report", metavar="DIR", help="write a page and JSON for each check into DIR"
    )


def pytest_configure(config: Any) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers",
        "gradient(**options): options of aclgrad.check_gradient for the fixture `gradient`, as "
        'dtypes=("float32", "bfloat16")',
    )


class Gradients:
    """What the fixture is: each call is a check that fails the test unless the gradient is
    right."""

    def __init__(self, node: Any) -> None:
        self._node, self._count = node, 0

    def __call__(self, *arguments: Any, **options: Any) -> Report:
        """aclgrad.assert_gradient"""
        __tracebackhide__ = True
        return self._required(check_gradient, arguments, options)

    def torch(self, *arguments: Any, **options: Any) -> Report:
        """aclgrad.assert_torch"""
        __tracebackhide__ = True
        return self._required(check_torch, arguments, options)

    def vjp(self, *arguments: Any, **options: Any) -> Report:
        """aclgrad.assert_vjp"""
        __tracebackhide__ = True
        return self._required(check_vjp, arguments, options)

    def _required(self, check: Callable[..., Report], arguments: Any, options: Any) -> Report:
        __tracebackhide__ = True
        config = self._node.config
        told = {"seed": config.getoption("--gradient-seed")}
        for marker in reversed(list(self._node.iter_markers("gradient"))):
            told.update(marker.kwargs)
        told.update(options)
        report = check(*arguments, **told)
        name = shlex.quote(self._node.nodeid)
        report.again = f"python3 -m pytest {name} --gradient-seed={told['seed']}"
        folder = config.getoption("--gradient-report")
        if folder:
            self._save(report, pathlib.Path(folder))
        return report.require_right()

    def _save(self, report: Report, folder: pathlib.Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._count += 1
        number = f"-{self._count}" if self._count > 1 else ""
        stem = re.sub(r"[^\w.-]+", "_", self._node.nodeid) + number
        report.save(folder / f"{stem}.html")
        report.save(folder / f"{stem}.json")


@pytest.fixture
def gradient(request: Any) -> Gradients:
    """Checks of gradients: gradient(forward, backward, inputs), gradient.torch(f, *inputs),
    gradient.vjp(forward, backward, inputs)."""
    return Gradients(request.node)
