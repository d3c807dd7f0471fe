# SPDX-License-Identifier: Apache-2.0
"""pip install of the package, without a network: it brings the library, and the plugin is found."""
import importlib.util
import os
import shutil
import subprocess
import sys

import pytest
from conftest import PACKAGE

from aclgrad import _library

MISSING = [
    name for name in ("pip", "setuptools", "wheel") if importlib.util.find_spec(name) is None
]
pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"{MISSING} (python3-pip and so on) are missing"
)


def run(*command, **environment):
    kept = {k: v for k, v in os.environ.items() if k not in ("ACLGRAD_LIBRARY", "PYTHONPATH")}
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        env={**kept, **environment},
        check=False,
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pip")
    source = shutil.copytree(
        PACKAGE, folder / "source", ignore=shutil.ignore_patterns("build", "*.egg-info")
    )
    library = next(path for path in _library.candidates() if os.path.isfile(path))
    done = run("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
               "--target", str(folder / "lib"), str(source), ACLGRAD_LIBRARY=library)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "lib"


def test_an_installed_package_has_the_library(installed):
    assert (installed / "aclgrad" / _library.NAME).is_file()
    program = "import aclgrad, aclgrad.referee; print(aclgrad.version(), aclgrad.__file__)"
    done = run("-c", program, PYTHONPATH=str(installed))
    assert str(installed) in done.stdout, done.stderr


def test_pytest_finds_the_plugin(installed):
    done = run("-m", "pytest", "-p", "no:cacheprovider", "--fixtures", str(installed / "aclgrad"),
               PYTHONPATH=str(installed))  # fmt: skip
    assert "Checks of gradients" in done.stdout, done.stdout + done.stderr


def test_a_library_that_is_nowhere_is_said():
    done = run("-c", "import aclgrad; aclgrad.version()", PYTHONPATH=str(PACKAGE),
               ACLGRAD_LIBRARY="/nowhere.so")  # fmt: skip
    assert "LibraryNotFound" in done.stderr and "ACLGRAD_LIBRARY" in done.stderr
