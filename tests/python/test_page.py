# SPDX-License-Identifier: Apache-2.0
"""The page docs/how-to/check-a-python-function.md: its programs run, in their order, and print
what stands below them; its files of tests do under pytest what the page says; its commands are
commands."""
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys

import pytest
from conftest import PACKAGE, TREE

pytest.importorskip("numpy", reason="NumPy is not installed")
PAGE = TREE / "docs" / "how-to" / "check-a-python-function.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(), re.M | re.S)


def is_file(text):
    return re.match(r"# (\w+\.py)\n", text)


def test_the_programs_print_what_stands_below_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, count = {"__name__": "page"}, 0
    for k, (kind, text) in enumerate(BLOCKS):
        if kind != "python" or is_file(text) or "torch" in text:
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, f"{PAGE.name}, program {k}", "exec"), names)
        count += 1
        after = BLOCKS[k + 1] if k + 1 < len(BLOCKS) else ("", "")
        assert printed.getvalue() == (after[1] if after[0] == "text" else ""), text
    assert count >= 4


def test_the_programs_with_pytorch_run():
    pytest.importorskip("torch", reason="PyTorch (python3-torch) is not installed")
    texts = [text for kind, text in BLOCKS if kind == "python" and "torch" in text]
    assert texts
    for text in texts:
        exec(compile(text, PAGE.name, "exec"), {"__name__": "page"})


def test_the_files_of_tests_and_the_commands(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    for kind, text in BLOCKS:
        if kind == "python" and is_file(text):
            (tmp_path / is_file(text)[1]).write_text(text)
    commands = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
    ran = [line for line in commands if "pytest" in line or "referee" in line]
    assert len(ran) >= 2
    for line in ran:
        words = shlex.split(line, comments=True)
        assert words[0] == "python3"
        if "pytest" in words:
            words[3:3] = ["-p", "aclgrad.pytest_plugin", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [sys.executable, *words[1:]], cwd=tmp_path, env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, line + done.stdout + done.stderr
