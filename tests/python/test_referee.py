# SPDX-License-Identifier: Apache-2.0
"""The referee: stops backwards that want to pass, and passes those that are right. All of them in
both dtypes, and all ten kernels: ACLGRAD_LONG=1."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("numpy", reason="NumPy is not installed")
import cheats  # noqa: E402
import kernels  # noqa: E402

from aclgrad import Array  # noqa: E402
from aclgrad.referee import judge  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "autograd" / "python"
IS_LONG = bool(os.environ.get("ACLGRAD_LONG"))
DTYPES = ("float32", "bfloat16") if IS_LONG else ("float32",)
# What the first reason may be called; all of them are wrong.
REASONS = {
    "zeros": {"zeros"},
    "constant": {"constant"},
    "copy_of_the_input": {"copy"},
    "copy_of_what_arrives": {"copy"},
    "ignores_what_arrives": {"ignores what arrives"},
    "nan": {"call", "derivative", "ignores what arrives"},
    "constant_forward": {"zeros", "value"},
    "other_function": {"copy", "value"},
    "noise_within_a_tolerance": {"derivative"},
    "counts_calls": {"derivative", "other answer", "repeatability"},
    "only_the_declared_shape": {"other batch"},
    "none_later": {"does not fit"},
    "remembers": {"ignores what arrives", "derivative"},
    "random": None,  # by chance
    "only_dense": {"other layout", "layout", "derivative"},
    "half_written": {"half written", "derivative", "call"},
    "changes_its_input": {"inputs changed"},
    "changes_what_arrives": {"inputs changed"},
    "eats_memory": {"memory limit", "time limit"},
    "hangs": {"time limit"},
    "exits": {"exits"},
    "exits_politely": {"exits"},
    "crashes": {"crashes"},
    "prints_a_verdict": {"exits"},
    "writes_to_every_file": {"malformed answer"},
    "answers_itself": {"malformed answer"},
    "forks": None,  # whatever its second process gets in the way of first
    "kills_its_parent": {"zeros", "exits", "crashes"},
    "ignores_signals": {"time limit"},
    "replaces_the_checker": {"zeros"},
    "looks_at_the_stack": {"zeros"},
    "writes_into_the_judge": {"zeros"},  # the gradient of one that could not
    "is_another_array_each_time": {"derivative"},
    "equals_everything": {"zeros"},
    "raises": {"raises"},
    "other_shape": {"does not fit"},
}


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.chdir(HERE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (PACKAGE / "examples", HERE))))
    monkeypatch.setenv("FORGED", "[]")


def test_each_cheat_is_tried():
    assert {name[6:] for name in dir(cheats) if name.startswith("cheat_")} == set(REASONS)
    assert len(REASONS) >= 20


@pytest.mark.parametrize("name", REASONS)
def test_a_cheat_is_stopped_for_a_named_reason(name):
    forward = f"forward_{name}" if hasattr(cheats, f"forward_{name}") else "forward"
    needs_reference = forward != "forward"
    ruling = judge(
        f"cheats:{forward}",
        f"cheats:cheat_{name}",
        [Array((2, 5))],
        reference="cheats:forward" if needs_reference or IS_LONG else None,
        dtypes=DTYPES,
        call_seconds=1.5,
        memory=1 << 30,
    )
    assert ruling.verdict == "wrong" and ruling.reasons, ruling.text
    assert REASONS[name] is None or ruling.reasons[0].name in REASONS[name], ruling.text


@pytest.mark.parametrize(
    "name", ["forks", "hangs", "exits", "crashes", "zeros", "writes_into_the_judge"]
)
def test_a_cheat_is_stopped_without_namespaces(name):
    ruling = judge(
        "cheats:forward",
        f"cheats:cheat_{name}",
        [(2, 5)],
        dtypes="float32",
        call_seconds=1.5,
        namespaces=False,
    )
    assert ruling.verdict == "wrong" and ruling.isolation == "process", ruling.text
    assert not processes_that_are_left()


def test_a_reference_is_loaded_before_a_module_could_replace_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "")
    (tmp_path / "trusted.py").write_text("import numpy as np\ndef f(x): return np.tanh(x)\n")
    (tmp_path / "other.py").write_text(
        "import pathlib\n"
        "pathlib.Path('trusted.py').write_text('def f(x): return x * x / 2\\n')\n"
        "def f(x): return x * x / 2\n"
        "def g(dy, x): return dy * x\n"
    )
    ruling = judge("other:f", "other:g", [(2, 5)], reference="trusted:f", dtypes="float32")
    assert ruling.verdict == "wrong", ruling.text


def processes_that_are_left():
    left, mark = [], f"ACLGRAD_REFEREE={os.getpid()}-".encode()
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            left += [path] if mark in path.read_bytes() else []
        except OSError:
            pass
    return left


def test_a_start_that_fails_leaves_no_process_and_no_descriptor(tmp_path, monkeypatch):
    (tmp_path / "starts.py").write_text(
        "import subprocess\n"
        "subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        "raise ImportError('and is not there')\n"
    )
    monkeypatch.chdir(tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    ruling = judge("starts:forward", "starts:backward", [(2, 5)], namespaces=False)
    assert ruling.reasons[0].name == "raises" and "and is not there" in ruling.text
    assert not processes_that_are_left()
    assert len(os.listdir("/proc/self/fd")) == before


ARRAY = '{"several": false, "changed": [], "results": [{"dtype": "float32", %s}]}'
FORGED_ANSWERS = {
    "deep": "DEEP",
    "deep in an object": '{"results": DEEP}',
    "an infinite extent": ARRAY % '"bytes": 40, "shape": [Infinity]',
    "an infinite size": ARRAY % '"bytes": Infinity, "shape": [2, 5]',
    "a dtype of no kind": ARRAY.replace('"float32"', "[]") % '"bytes": 40, "shape": [2, 5]',
    "changed arrays that are none": '{"results": [], "changed": [[{}, Infinity]]}',
    "no results": "{}",
}


@pytest.mark.parametrize("name", FORGED_ANSWERS)
def test_an_answer_of_any_kind_is_a_verdict(name, monkeypatch):
    monkeypatch.setenv("FORGED", FORGED_ANSWERS[name])
    told = {"dtypes": "float32", "call_seconds": 5}
    ruling = judge("cheats:forward", "cheats:cheat_answers_itself", [(2, 5)], **told)
    assert ruling.verdict == "wrong" and ruling.reasons[0].name == "malformed answer", ruling.text


def test_a_message_of_any_characters_can_be_printed(monkeypatch):
    monkeypatch.setenv("FORGED", '{"error": "one \\ud800 \\u001b[2J two"}')
    ruling = judge("cheats:forward", "cheats:cheat_answers_itself", [(2, 5)], dtypes="float32")
    assert ruling.reasons[0].name == "raises" and "two" in ruling.text
    assert b"\x1b" not in ruling.text.encode() + ruling.json().encode()


STARTED = '{"kind": %s, "isolation": %s, "parameters": %s}'
FORGED_STARTS = {
    "deep": "DEEP",
    "parameters that are a number": STARTED % ('"numpy"', '"process"', '{"forward": 5}'),
    "no parameters": STARTED % ('"numpy"', '"process"', "7"),
    "a kind that is none": STARTED % ("[]", '"process"', '{"forward": [], "backward": []}'),
    "a boast": STARTED % ('"numpy"', '"RIGHT"', '{"forward": [], "backward": []}'),
}


@pytest.mark.parametrize("name", FORGED_STARTS)
def test_a_start_of_any_kind_is_a_verdict(name, tmp_path, monkeypatch):
    (tmp_path / "forged.py").write_text(
        f"import cheats\ncheats.answer_with({FORGED_STARTS[name]!r})"
    )
    monkeypatch.chdir(tmp_path)
    ruling = judge("forged:forward", "forged:backward", [(2, 5)], dtypes="float32")
    assert ruling.verdict == "wrong" and ruling.reasons[0].name == "malformed answer", ruling.text


def test_an_attribute_may_be_a_parameter():
    def of_size(size):
        told = {"sizes": {"N": size}, "dtypes": "float32"}
        return judge("cheats:forward_sized", "cheats:right_sized", lambda N: [(N, 2)], **told)

    ruling = of_size((3, 2, 4))
    assert ruling.verdict == "right", ruling.text
    ruling = of_size(3)  # no other batch can be tried
    assert ruling.report.verdict == "right" and not ruling.reasons, ruling.text
    assert "a batch of 4 was not tried" in ruling.notes[0]


def test_a_kernel_for_float32_alone_needs_a_reference_and_is_not_wrong():
    path = ("cheats:forward_single", "cheats:right", [(2, 5)])
    ruling = judge(*path, dtypes="float32")
    assert ruling.verdict == "inconclusive" and not ruling.reasons, ruling.text
    assert "a batch of 3 was not tried (a reference may help)" in ruling.notes[0]
    assert judge(*path, dtypes="float32", reference="cheats:forward").verdict == "right"
    ruling = judge(*path, dtypes="bfloat16")
    assert ruling.verdict == "inconclusive" and not ruling.reasons, ruling.text
    assert "give a reference" in ruling.notes[0]


def test_a_forward_of_one_batch_is_not_wrong_in_another():
    told = {"dtypes": "float32"}
    ruling = judge("cheats:forward_of_two_rows", "cheats:right", [(2, 5)], **told)
    assert ruling.verdict == "inconclusive" and not ruling.reasons, ruling.text
    assert "a batch of 3 was not tried" in ruling.notes[0]


@pytest.mark.parametrize(
    "told, message",
    [
        ({"accumulation": "float23"}, "float23"),
        ({"dtypes": ["float31"]}, "float31"),
        ({"reference": "cheats:nothing"}, "the reference fails: raises"),
        ({"reference": "cheats:cheat_exits"}, "the reference fails"),
        ({"sizes": {"N": "4"}}, "N is a number or"),
        ({"sizes": {"N": (4, 2)}}, "N is a number or"),
    ],
)
def test_a_wrong_call_is_no_verdict(told, message):
    with pytest.raises((ValueError, TypeError), match=message):
        judge("cheats:forward", "cheats:right", [(2, 5)], **{"dtypes": "float32", **told})


@pytest.mark.parametrize("name", kernels.NAMES if IS_LONG else kernels.NAMES[3:5])
def test_an_honest_kernel_passes(name):
    spec = kernels.kernel(name)
    path = f"kernels.{name}"
    ruling = judge(
        f"{path}:forward", f"{path}:backward", spec.INPUTS, saved=spec.SAVED, dtypes=DTYPES,
        reference=f"{path}:forward",
    )  # fmt: skip
    assert ruling.verdict == "right", ruling.text


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "aclgrad.referee", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{PACKAGE}{os.pathsep}{HERE}"},
        check=False,
    )


def test_the_command_line_judges_sizes_and_writes_json(tmp_path):
    done = run(
        "cheats:forward", "cheats:cheat_only_the_declared_shape", "--input", "x=Nx5",
        "--size", "N=2:2:3", "--dtype", "float32", "--json", "-",
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert done.returncode == told["status"] == 1, done.stderr
    assert "N=" in told["reasons"][0]["text"] + json.dumps(told["dtypes"])
    page = tmp_path / "page.html"
    done = run("cheats:forward", "cheats:right", "--input", "x=5:-2:2", "--dtype", "float32",
               "--html", str(page))  # fmt: skip
    assert done.returncode == 0 and "RIGHT" in done.stdout, done.stdout + done.stderr
    assert page.exists()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["a:b", "a:c"], "--input"),
        (["a:b", "a:c", "--input", "x=Nx2"], "--size N=... is missing"),
        (["a:b", "a:c", "--input", "x=2?"], "no shape"),
        (["a:b", "a:c", "--input", "x=2:1"], "one end of a range"),
        (["a:b", "a:c", "--input", "x=2", "--accumulation", "float23"], "float23"),
    ],
)
def test_a_wrong_call_ends_with_3(arguments, message):
    done = run(*arguments)
    assert done.returncode == 3 and message in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_a_module_that_is_not_there_is_a_verdict():
    ruling = judge("nowhere:forward", "nowhere:backward", [(3,)])
    assert ruling.verdict == "wrong" and ruling.reasons[0].name == "raises"
