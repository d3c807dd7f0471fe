# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin, in a pytest of its own."""
import json

import pytest

pytest.importorskip("numpy", reason="NumPy is not installed")

TESTS = """
import pytest

def square(x):
    return [v * v for v in x]

def right(dy, x):
    return [2 * g * v for g, v in zip(dy, x)]

def test_right(gradient):
    assert gradient(square, right, [(3,)], arrays="list", dtypes="bfloat16").passed

@pytest.mark.gradient(dtypes="float64", seed=9)
def test_wrong(gradient):
    gradient(square, lambda dy, x: dy, [(3,)], arrays="list")

@pytest.mark.gradient(dtypes="float32")
@pytest.mark.parametrize("shape", [(2,), (3,)])
def test_pair(gradient, shape):
    gradient.vjp(lambda x: (square(x), x), lambda x, g: right(g, x), [shape], arrays="list")
"""


def outcome_of(pytester, *options):
    pytester.makepyfile(test_it=TESTS)
    return pytester.runpytest("-p", "aclgrad.pytest_plugin", "--strict-markers", *options)


def test_a_failure_has_the_report_and_the_line_that_shows_it_again(pytester):
    result = outcome_of(pytester)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*WRONG  square, float64*",
            "*again: python3 -m pytest test_it.py::test_wrong --gradient-seed=9",
        ]
    )
    assert "conventions.py" not in result.stdout.str(), "the frames of the package are hidden"


def test_the_seed_is_that_of_the_command_line(pytester):
    result = outcome_of(pytester, "--gradient-seed=4", "--gradient-report=out")
    result.assert_outcomes(passed=3, failed=1)
    told = json.loads((pytester.path / "out" / "test_it.py_test_right.json").read_text())
    assert told["seed"] == 4 and told["verdict"] == "right"
    wrong = json.loads((pytester.path / "out" / "test_it.py_test_wrong.json").read_text())
    assert wrong["seed"] == 9 and wrong["verdict"] == "wrong"
    assert len(list((pytester.path / "out").glob("*.html"))) == 4


def test_the_fixture_is_listed(pytester):
    result = outcome_of(pytester, "--fixtures")
    result.stdout.fnmatch_lines(["gradient*", "*Checks of gradients*"])
