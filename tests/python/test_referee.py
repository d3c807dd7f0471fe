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
    "forks": None,  # whatever its second process gets in the way of first
    "kills_its_parent": {"zeros", "exits", "crashes"},
    "ignores_signals": {"time limit"},
    "replaces_the_checker": {"zeros"},
    "looks_at_the_stack": {"zeros"},
    "equals_everything": {"zeros"},
    "raises": {"raises"},
    "other_shape": {"does not fit"},
}


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.chdir(HERE)
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE / "examples"))


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


@pytest.mark.parametrize("name", ["forks", "hangs", "exits", "crashes", "zeros"])
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
    left, mark = [], f"ACLGRAD_REFEREE={os.getpid()}-".encode()
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            left += [path] if mark in path.read_bytes() else []
        except OSError:
            pass
    assert not left, "a process is left"


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
    ],
)
def test_a_wrong_call_ends_with_3(arguments, message):
    done = run(*arguments)
    assert done.returncode == 3 and message in done.stderr, done.stderr


def test_a_module_that_is_not_there_is_a_verdict():
    ruling = judge("nowhere:forward", "nowhere:backward", [(3,)])
    assert ruling.verdict == "wrong" and ruling.reasons[0].name == "raises"
