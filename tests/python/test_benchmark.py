# SPDX-License-Identifier: Apache-2.0
"""The benchmark of checkers, and tolerances."""
import kernels
import pytest

import aclgrad
from aclgrad import benchmark, cases

pytest.importorskip("numpy", reason="NumPy is not installed")
NAMES = ("WG-001", "WG-010", "WG-050")
MUTANTS = ("elu: inputScale missing in the exponent", "elu: unchanged", "silu: x forgotten")


def chosen(one, names):
    try:
        return list(one(names))
    except cases.NotBuilt as error:
        pytest.skip(str(error))


def test_our_checker_finds_wrong_gradients_and_blames_no_right_one():
    score = benchmark.run({"aclgrad": benchmark.aclgrad}, chosen(cases.museum, NAMES))
    assert score.missed("aclgrad") == [] and score.blamed("aclgrad") == []
    assert f"| {len(NAMES)} | {len(NAMES)} |" in score.markdown()


def test_a_checker_is_any_function_of_a_case():
    found = benchmark.run(
        {"trusts": lambda case: True, "distrusts": lambda case: False, "fails": lambda case: 1 / 0},
        chosen(cases.museum, NAMES),
    )
    assert len(found.missed("trusts")) == 3 and found.blamed("trusts") == []
    assert len(found.missed("distrusts")) == 3 and len(found.blamed("distrusts")) == 3
    assert found.blamed("fails") == found.blamed("distrusts")


def test_mutants_are_judged():
    for case in cases.mutants(MUTANTS) if chosen(cases.museum, ()) == [] else ():
        assert benchmark.aclgrad(case) is not case.is_wrong, case.name


def test_the_command_line_takes_a_function_by_name(tmp_path, monkeypatch, capsys):
    chosen(cases.museum, ())
    (tmp_path / "mine.py").write_text("def trusts(case):\n    return True\n")
    page = tmp_path / "page.md"
    page.write_text("# Page\n<!-- begin: written by aclgrad.benchmark -->\n<!-- end -->\nrest\n")
    monkeypatch.chdir(tmp_path)
    told = [
        "--checker",
        "mine:trusts",
        "--only",
        "WG-001",
        "--of",
        "museum",
        "--markdown",
        str(page),
    ]
    assert benchmark.main(told) == 0
    assert "mine:trusts" in capsys.readouterr().out and "| 1 | 0 |" in page.read_text()
    assert benchmark.main(["--checker", "nonsense"]) == 3


def test_advice_has_what_a_right_gradient_needs_and_what_that_lets_through():
    spec = kernels.kernel("softmax")
    advice = aclgrad.advise(
        spec.forward, spec.backward, [(2, 5)], dtypes=("float32", "bfloat16"), seeds=5
    )
    single, half = advice.tolerances
    assert single.rtol < 1e-6 and 4e-3 < half.rtol < 4e-2
    assert "1 % too large" in half.through and "1 % too large" not in half.bound
    assert len(single.through) <= len(half.through)
    assert "bfloat16: rtol=" in str(advice)


def test_no_advice_on_a_gradient_that_is_wrong():
    spec = kernels.kernel("softmax")
    with pytest.raises(ValueError, match="wrong already"):
        aclgrad.advise(spec.forward, lambda dy, x: dy, spec.INPUTS)
