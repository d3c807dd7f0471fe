# SPDX-License-Identifier: Apache-2.0
"""The page docs/how-to/run-python-programs.md and its example: programs print what stands below them, and the
network learns by the gradients that it should have."""
import math
import pathlib
import re

import pytest
from conftest import EXAMPLE, LIBRARIES, MODULE, TREE, run

PAGE = TREE / "docs" / "how-to" / "run-python-programs.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(), re.M | re.S)
PYTHON = [(text, after[1]) for (kind, text), after in zip(BLOCKS, BLOCKS[1:]) if kind == "python"]
HERE = {"LD_LIBRARY_PATH": LIBRARIES, "PYTHONPATH": MODULE.parent}


def test_the_first_program_prints_what_stands_below_it():
    program, printed = PYTHON[0]
    done = run("-c", program, **HERE)
    assert (done.returncode, done.stdout) == (0, printed), done.stderr


def test_arrays_of_numpy_go_to_the_device_and_back_as_the_page_says():
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    begin, piece = PYTHON[0][0].split("tensors =")[0], PYTHON[1][0]
    program = f"""{begin}
import numpy
array = numpy.arange(12, dtype=numpy.float32).reshape(3, 4).T
memory = allocate(array.nbytes)
{piece}
print((result == array).all())
"""
    folders = f"{MODULE.parent}:{pathlib.Path(numpy.__file__).parents[1]}"
    done = run("-c", program, **HERE | {"PYTHONPATH": folders})
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_a_piece_of_the_example_is_as_it_stands_there_and_prints_that():
    piece, printed = PYTHON[2]
    assert piece in EXAMPLE.read_text()
    done = run(EXAMPLE, **HERE)
    assert (done.returncode, done.stdout) == (0, printed), done.stderr
    losses = [float(number) for number in re.findall(r"loss (\S+)", done.stdout)]
    assert len(losses) == 5 and losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] / 1000


def test_sentences_are_found_by_results_whose_shapes_depend_on_numbers():
    done = run(EXAMPLE.with_name("search.py"), **HERE)
    assert done.returncode == 0, done.stderr
    found = done.stdout.splitlines()
    assert found[1] == "  0.816  the cat sat on the mat"  # 2 / (sqrt(2) sqrt(3)): two words of two and of three
    assert found[4] == "  0.707  the graph of a network has gradients"  # 2 / (sqrt(2) sqrt(4))
    assert found[6] == "13 of 25 pairs are alike; of different sentences" and len(found) == 11


def test_the_example_says_what_went_wrong(tmp_path):
    text = EXAMPLE.read_text().replace('run("Selu", sums, hidden)', 'run("Selu", sums, y)')
    (tmp_path / "wrong.py").write_text(text)
    done = run(tmp_path / "wrong.py", **HERE)
    assert done.returncode == 1 and "aclnnSeluGetWorkspaceSize returned 161002" in done.stderr
    assert "expected [64, 32]" in done.stderr or "[64, 32]" in done.stderr, done.stderr


# One step of the example in plain Python, in float64.
LAMBDA, ALPHA = 1.0507009873554805, 1.6732632423543772


def selu(v):
    return LAMBDA * (v if v > 0 else ALPHA * math.expm1(v))


def loss_of(w1, b1, w2, b2, x, target):
    hidden = [[selu(v * w + b) for w, b in zip(w1, b1)] for v in x]
    y = [sum(h * w for h, w in zip(row, w2)) + b2[0] for row in hidden]
    return sum((a - b) ** 2 for a, b in zip(y, target)) / len(x)


def test_its_gradients_are_the_slopes_of_its_loss():
    program = """
import json, sys
sys.argv = ["sine.py"]
import importlib.util
spec = importlib.util.spec_from_file_location("sine", PATH)
sine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sine)
before = [p.read() for p in (sine.w1, sine.b1, sine.w2, sine.b2)]
sine.step()
after = [p.read() for p in (sine.w1, sine.b1, sine.w2, sine.b2)]
gradients = [g.read() for g in (sine.dw1, sine.db1, sine.dw2, sine.db2)]
print(json.dumps([before, after, gradients, sine.x.read(), sine.target.read(), sine.loss.read()]))
"""
    import json

    done = run("-c", program.replace("PATH", repr(str(EXAMPLE))), **HERE)
    assert done.returncode == 0, done.stderr
    before, after, gradients, x, target, loss = json.loads(done.stdout)
    assert loss[0] == pytest.approx(loss_of(*before, x, target), rel=1e-6)
    assert loss_of(*after, x, target) < loss[0]
    for k, gradient in enumerate(gradients):
        assert len(gradient) == len(before[k]) and any(gradient)
        for i, slope in enumerate(gradient):
            moved = [[list(p) for p in before] for _ in range(2)]
            moved[0][k][i] -= 1e-5
            moved[1][k][i] += 1e-5
            low, high = (loss_of(*parameters, x, target) for parameters in moved)
            assert slope == pytest.approx((high - low) / 2e-5, rel=1e-4, abs=1e-5)
            assert after[k][i] == pytest.approx(before[k][i] - 0.05 * slope, rel=1e-6, abs=1e-7)
