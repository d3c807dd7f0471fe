# SPDX-License-Identifier: Apache-2.0
"""check_torch: callables, modules and functions of one's own."""
import pathlib

import pytest

import aclgrad
from aclgrad.referee import judge

torch = pytest.importorskip("torch", reason="PyTorch (python3-torch) is not installed")


class Silu(torch.autograd.Function):
    """Computes in float32 and rounds once, as kernels do."""

    factor = 1.0

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        wide = x if x.dtype == torch.float64 else x.float()
        return (wide * torch.sigmoid(wide)).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        wide = x if x.dtype == torch.float64 else x.float()
        s = torch.sigmoid(wide)
        return (dy * Silu.factor * (s + wide * s * (1 - s))).to(x.dtype)


@pytest.fixture
def wrong_factor():
    Silu.factor = 1.02
    yield
    Silu.factor = 1.0


def test_a_function_of_ones_own_is_right_in_every_dtype():
    report = aclgrad.check_torch(
        Silu, torch.randn(3, 5), dtypes=("float64", "float32", "bfloat16", "float16")
    )
    assert report.passed and report.name == "Silu", report.text


def test_its_mistakes_are_found_in_every_dtype(wrong_factor):
    report = aclgrad.check_torch(
        Silu, torch.randn(3, 5), dtypes=("float64", "float32", "bfloat16", "float16")
    )
    assert {f.dtype for f in report.findings} == {"float64", "float32", "bfloat16", "float16"}
    with pytest.raises(AssertionError, match="Silu: WRONG"):
        aclgrad.assert_torch(Silu, torch.randn(3, 5))


def test_a_callable_of_operators_is_checked_in_float32():
    report = aclgrad.check_torch(
        lambda x, w: torch.tanh(x @ w), torch.randn(3, 4), torch.randn(4, 2)
    )
    assert report.passed and [part.dtype for part in report.parts] == ["float32"], report.text


def test_gradients_are_those_of_tensors_that_require_them():
    x, target = torch.randn(4, 5, requires_grad=True), torch.randint(0, 5, (4,))
    weight = torch.rand(5) + 0.5

    def loss(x, target, weight):
        return torch.nn.functional.cross_entropy(x, target, weight)

    report = aclgrad.check_torch(loss, x, target, weight)
    assert report.passed, report.text
    with pytest.raises(RuntimeError, match="not differentiable"):  # PyTorch's own words
        aclgrad.check_torch(loss, x, target, weight.requires_grad_())


def test_what_cuts_the_graph_is_found():
    report = aclgrad.check_torch(lambda x: x * x.detach(), torch.randn(6))
    assert report.verdict == "wrong"


def test_a_module_with_parameters_is_refused():
    with pytest.raises(ValueError, match="functional_call"):
        aclgrad.check_torch(torch.nn.Linear(2, 2), torch.randn(2, 2))
    assert aclgrad.check_torch(torch.nn.Softplus(), torch.randn(5)).passed


def test_functions_over_tensors_are_a_pair_like_any():
    def backward(dy, x):
        return dy * torch.cos(x.double()).to(x.dtype)

    report = aclgrad.check_gradient(
        lambda x: torch.sin(x.double()).to(x.dtype), backward, [torch.randn(7)], roundings=1
    )
    assert report.passed, report.text


def test_the_referee_judges_tensors(monkeypatch):
    monkeypatch.chdir(pathlib.Path(__file__).parent)
    told = {"saved": 2, "arrays": "torch", "dtypes": "bfloat16"}
    ruling = judge("torch_kernels:forward", "torch_kernels:backward", [(3, 4)], **told)
    assert ruling.verdict == "right", ruling.text
    ruling = judge("torch_kernels:forward", "torch_kernels:half_written", [(3, 4)], **told)
    assert ruling.verdict == "wrong", ruling.text
