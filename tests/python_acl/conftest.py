# SPDX-License-Identifier: Apache-2.0
"""The module of this tree, and a device and a stream of each test's own."""
import os
import pathlib
import subprocess
import sys

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]
MODULE = TREE / "ops" / "python" / "acl.py"
EXAMPLE = TREE / "examples" / "python" / "sine.py"
LIBRARIES = pathlib.Path(os.environ["LD_LIBRARY_PATH"].split(":")[0])
sys.path.insert(0, str(MODULE.parent))


@pytest.fixture
def device():
    import acl

    assert acl.rt.set_device(0) == 0
    yield 0
    assert acl.rt.reset_device(0) == 0


@pytest.fixture
def stream(device):
    import acl

    made, ret = acl.rt.create_stream()
    assert ret == 0 and made
    yield made
    assert acl.rt.destroy_stream(made) == 0


def run(*arguments, **variables):
    """A Python of its own, which knows of libraries and modules only by the variables given."""
    clean = {
        key: value
        for key, value in os.environ.items()
        if key not in ("LD_LIBRARY_PATH", "PYTHONPATH") and not key.startswith("ASCEND")
    }
    return subprocess.run(
        [sys.executable, "-S", *arguments],
        env={**clean, **{key: str(value) for key, value in variables.items()}},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
