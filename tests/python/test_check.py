# SPDX-License-Identifier: Apache-2.0
"""check_gradient: what it takes, what it says, and what it does with functions that do not fit."""
import array
import json
import math
import pathlib
import subprocess
import sys

import pytest

import aclgrad

np = pytest.importorskip("numpy", reason="NumPy is not installed")


def wide(x):
    return x.astype("float64" if x.dtype == "float64" else "float32")


def silu(x):
    x = wide(x)
    return x / (1 + np.exp(-x))


def silu_backward(dy, x):
    x = wide(x)
    s = 1 / (1 + np.exp(-x))
    return dy * (s + x * s * (1 - s))


def list_square(x):
    return [v * v for v in x]


def list_square_backward(dy, x):
    return [2 * g * v for g, v in zip(dy, x)]


def test_a_right_gradient_is_right_and_a_wrong_one_wrong():
    assert aclgrad.check_gradient(silu, silu_backward, [(3, 4)]).verdict == "right"
    report = aclgrad.check_gradient(silu, lambda dy, x: 1.02 * silu_backward(dy, x), [(3, 4)])
    assert report.verdict == "wrong"
    assert {finding.dtype for finding in report.findings} == {"float32", "bfloat16"}


@pytest.mark.parametrize(
    "inputs",
    [
        (5,),
        [(5,)],
        [aclgrad.Array((5,))],
        [[1.0, 2.0, 0.5, 3.0, -1.0]],
        [array.array("f", [1, 2, 3])],
    ],
)
def test_inputs_are_a_shape_an_array_or_a_list(inputs):
    assert aclgrad.check_gradient(
        list_square, list_square_backward, inputs, dtypes="float32", arrays="list"
    ).passed


def test_the_range_of_a_given_array_is_kept():
    seen = []

    def forward(x):
        seen.append((x.min(), x.max()))
        return np.sqrt(wide(x))

    given = np.array([[1.0, 2.0, 9.0]])
    report = aclgrad.check_gradient(
        forward, lambda dy, x: dy / (2 * np.sqrt(wide(x))), [given], dtypes="float32"
    )
    assert report.passed
    # The numeric derivative takes steps of up to an eighth.
    assert min(low for low, _ in seen) > 0.8 and max(high for _, high in seen) < 10.2


def test_scalars_are_arrays_of_one_element():
    assert aclgrad.check_gradient(
        lambda x: x * x, lambda dy, x: 2 * dy * x, [()], dtypes="float64", arrays="list"
    ).passed


def test_what_the_forward_saves_and_its_outputs_reach_the_backward():
    def forward(x):
        e = np.exp(wide(x))
        return e, 2 * e, x > 0, np.int64(7)

    def backward(d_one, d_two, x, mask, seven, outputs):
        assert seven == 7 and len(outputs) == 2
        return (d_one + 2 * d_two) * outputs[0]

    def saved_as_numbers(x):
        one, two, mask, seven = forward(x)
        return one, two, mask.astype("float32"), seven

    report = aclgrad.check_gradient(
        saved_as_numbers, backward, [(4,)], saved=2, dtypes=("float32", "float64")
    )
    assert report.passed, report.text


def test_whole_numbers_and_constants_have_no_gradient():
    def forward(x, index, factor):
        return wide(x)[index] * factor

    def backward(dy, x, index, factor):
        dx = np.zeros(x.shape, wide(x).dtype)
        np.add.at(dx, index, dy * factor)
        return dx

    inputs = [(5,), aclgrad.Array((4,), 0, 4, dtype="int64"), 3.0]
    assert aclgrad.check_gradient(forward, backward, inputs).passed
    report = aclgrad.check_gradient(
        forward,
        lambda dy, x, i, f: np.bincount(i, minlength=5) * dy[0] * f,
        inputs,
        dtypes="float32",
    )
    assert report.verdict == "wrong"


def test_attributes_find_what_the_usual_shape_hides():
    def backward(dy, x, slope):
        dx = np.where(x > 0, dy, slope * dy)
        dx[8:] = 0  # a block that is too small
        return dx

    def forward(x, slope):
        return np.where(x > 0, x, slope * x)

    told = {"n": (6, 5, 12), "slope": (0.1, 0.0, 1.0)}
    report = aclgrad.check_gradient(
        forward, backward, lambda n: [(n,)], attributes=told, dtypes="float32"
    )
    assert report.verdict == "wrong"
    assert "n=" in report.text
    right = aclgrad.check_gradient(
        forward, backward, lambda n: [(n,)], attributes={**told, "n": (6, 5, 7)}, dtypes="float32"
    )
    assert right.passed, right.text
    only_even = aclgrad.check_gradient(
        lambda x: x.reshape(2, -1).sum(0),
        lambda dy, x: np.concatenate([dy, dy]),
        lambda n: [(n,)],
        attributes={"n": (4, 1, 9)},
        allow=lambda n: n % 2 == 0,
        dtypes="float64",
    )
    assert only_even.passed, only_even.text


def test_a_forward_that_is_another_function_than_the_reference_is_wrong():
    report = aclgrad.check_gradient(
        lambda x: np.tanh(wide(x)),
        lambda dy, x: dy / np.cosh(wide(x)) ** 2,
        [(6,)],
        reference=lambda x: np.tanh(x) + 0.1 * x,
        dtypes="float32",
    )
    assert "value" in {finding.check for finding in report.findings}


def test_a_forward_that_computes_in_float32_needs_a_reference_in_16_bits():
    def forward(x):
        return np.tanh(x.astype("float32"))

    def backward(dy, x):
        return dy / np.cosh(wide(x)) ** 2

    with pytest.raises(ValueError, match="reference="):
        aclgrad.check_gradient(forward, backward, [(6,)], dtypes="bfloat16")
    assert aclgrad.check_gradient(
        forward, backward, [(6,)], dtypes="bfloat16", reference=np.tanh
    ).passed


def test_what_a_function_raises_comes_out_as_it_is():
    class Mine(Exception):
        pass

    def backward(dy, x):
        if x[0] < 0:
            raise Mine("of a negative number")
        return dy

    with pytest.raises(Mine, match="negative"):
        aclgrad.check_gradient(lambda x: x, backward, [(3,)], dtypes="float64")


@pytest.mark.parametrize(
    "backward, message",
    [
        (lambda dy, x, y: dy, "1 gradient, and 2 inputs have one: x, y"),
        (lambda dy, x, y: (dy, dy[:1]), r"gradient of y has shape \(1,\), and y \(3,\)"),
        (lambda dy, x, y: (dy, "no"), "gradient of y: str"),
    ],
)
def test_gradients_that_do_not_fit_are_named(backward, message):
    with pytest.raises((ValueError, TypeError), match=message):
        aclgrad.check_gradient(lambda x, y: x * y, backward, [(3,), (3,)])


def test_no_gradient_is_taken_for_zeros():
    report = aclgrad.check_gradient(
        lambda x, y: x + 0 * y, lambda dy, x, y: (dy, None), [(3,), (3,)], dtypes="float64"
    )
    assert report.verdict in ("right", "vacuous")
    report = aclgrad.check_gradient(
        lambda x, y: x + y, lambda dy, x, y: (dy, None), [(3,), (3,)], dtypes="float64"
    )
    assert report.verdict == "wrong"


def test_writing_to_the_inputs_is_found():
    def backward(dy, x):
        dx = silu_backward(dy, x)
        x[:] = 0
        return dx

    assert aclgrad.check_gradient(silu, backward, [(5,)], dtypes="float32").verdict == "wrong"


def test_reading_dense_memory_is_found_and_may_be_promised():
    def backward(dy, x):
        return (
            2 * np.lib.stride_tricks.as_strided(dy, (2, 3), (3 * dy.itemsize, dy.itemsize)).copy()
        )

    def forward(x):
        return 2 * x

    assert aclgrad.check_gradient(forward, backward, [(2, 3)], dtypes="float32").verdict == "wrong"
    assert aclgrad.check_gradient(
        forward, backward, [(2, 3)], dtypes="float32", contiguous=True
    ).passed


def test_a_function_may_keep_what_it_was_given():
    kept = []

    def forward(x):
        kept.append(x)
        return x * 2

    assert aclgrad.check_gradient(forward, lambda dy, x: 2 * dy, [(40,)], dtypes="float64").passed
    assert all(math.isfinite(float(x.sum())) for x in kept)


def test_float16_that_rounds_at_each_step_says_how_often():
    def forward(x):
        return x * x * x * x

    def backward(dy, x):
        return 4 * dy * x * x * x

    inputs = [aclgrad.Array((40,), 0.5, 2)]
    strict = aclgrad.check_gradient(forward, backward, inputs, dtypes=("float32", "float16"))
    assert strict.verdict in ("wrong", "inexact") and "roundings=N" in strict.text
    assert aclgrad.check_gradient(forward, backward, inputs, dtypes="float16", roundings=4).passed


def test_pairs_of_jax_keep_residuals_of_any_structure():
    def forward(x, w):
        x, w = wide(x), wide(w)
        r = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
        return x * r * w, {"arrays": (x, w), "r": [r], "eps": 1e-5, "none": None}

    def backward(residuals, g):
        (x, w), r = residuals["arrays"], residuals["r"][0]
        assert residuals["eps"] == 1e-5 and residuals["none"] is None
        gw, n = g * w, x * r
        return r * (gw - n * (gw * n).mean(-1, keepdims=True)), (g * n).sum(0)

    assert aclgrad.assert_vjp(forward, backward, [(2, 4), (4,)]).passed
    wrong = aclgrad.check_vjp(
        forward, lambda res, g: (backward(res, g)[0], g.sum(0)), [(2, 4), (4,)], dtypes="float32"
    )
    assert wrong.verdict == "wrong"


def test_another_librarys_arrays_come_through_a_function_that_makes_them():
    class Other:
        def __init__(self, values):
            self.values, self.shape, self.dtype = values, values.shape, values.dtype

        def __array__(self, dtype=None, copy=None):
            return self.values

    def forward(x):
        assert isinstance(x, Other)
        return Other(wide(x.values) ** 2)

    def backward(dy, x):
        return Other(2 * dy.values * wide(x.values))

    assert aclgrad.check_gradient(forward, backward, [(4,)], arrays=Other).passed


def test_a_seed_gives_the_same_report_and_another_other_numbers():
    one, same, other = (
        aclgrad.check_gradient(silu, lambda dy, x: dy, [(3,)], dtypes="float32", seed=seed)
        for seed in (5, 5, 6)
    )
    assert one.text == same.text and one.findings != other.findings


def test_a_report_is_text_json_and_a_page(tmp_path):
    report = aclgrad.check_gradient(silu, lambda dy, x: dy, [(3,)], name="<mine>")
    assert "WRONG" in str(report) and not report.passed and report.status == 1
    told = json.loads(report.json())
    assert told["verdict"] == "wrong" and set(told["dtypes"]) == {"float32", "bfloat16"}
    assert "&lt;mine&gt;" in report._repr_html_() and "<mine>" not in report.html()
    for name in ("report.html", "report.json", "report.txt"):
        report.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    with pytest.raises(AssertionError, match="derivative"):
        aclgrad.assert_gradient(silu, lambda dy, x: dy, [(3,)])


def test_ten_times_the_elements_take_no_ten_times_the_calls():
    def calls(elements):
        called = [0, 0]

        def forward(x):
            called[0] += 1
            return silu(x)

        def backward(dy, x):
            called[1] += 1
            return silu_backward(dy, x)

        report = aclgrad.check_gradient(forward, backward, [(elements,)], dtypes="float32")
        assert report.passed
        return called

    few, many = calls(100), calls(1000)
    assert many[0] < 3 * few[0] and many[1] < 2 * few[1], (few, many)
    wrong = aclgrad.check_gradient(
        silu, lambda dy, x: 1.02 * silu_backward(dy, x), [(1000,)], dtypes="float32"
    )
    assert wrong.verdict == "wrong"



def test_numpy_is_not_needed():
    program = """
import sys
sys.modules["numpy"] = None
import aclgrad, math
def forward(x): return [math.sin(v) for v in x]
def backward(dy, x): return [g * math.cos(v) for g, v in zip(dy, x)]
for dtype in ("float64", "float32", "bfloat16", "float16"):
    aclgrad.assert_gradient(forward, backward, [(5,)], dtypes=dtype)
    wrong = aclgrad.check_gradient(forward, lambda dy, x: dy, [(5,)], dtypes=dtype)
    assert wrong.verdict == "wrong"
print("right")
"""
    folder = str(pathlib.Path(aclgrad.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.stdout == "right\n", done.stderr


def test_what_a_function_raises_comes_before_what_the_library_says(monkeypatch):
    from aclgrad import _library

    def run(check, family):
        family.forward(_library.Call(), None)  # without inputs: the callback keeps an error
        raise ValueError("the library says")

    monkeypatch.setattr(_library.Check, "run", run)
    with pytest.raises(ValueError, match="NULL pointer"):
        aclgrad.check_gradient(silu, silu_backward, [(3,)], dtypes="float32")


def test_an_error_under_other_attributes_is_raised_whatever_was_tried_before():
    """More settings than are kept: the usual one must be there still."""
    calls = []

    def inputs(n):
        calls.append(n)
        if len(calls) > 66:
            raise KeyError("no inputs any more")
        return [(n,)]

    pair = make_pair(inputs, {"n": (2, 1, 200)})
    described = pair.usual()
    for n in range(1, 200):
        try:
            pair.setting((float(n),))
        except KeyError:
            break
    assert len(calls) > 66 and pair.usual() is described


def make_pair(inputs, attributes):
    from aclgrad._arrays import kind_of
    from aclgrad._dtypes import dtype_of
    from aclgrad._functions import Functions
    from aclgrad._pair import Pair
    from aclgrad.spec import attributes_of

    specs = attributes_of(attributes)
    functions = Functions(silu, silu_backward, None, 0, specs)
    return Pair("silu", functions, inputs, specs, None, kind_of(None, []), dtype_of("float64"))
