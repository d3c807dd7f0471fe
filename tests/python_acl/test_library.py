# SPDX-License-Identifier: Apache-2.0
"""Where the module finds the C libraries, and what a process without NumPy, or without them, has."""
import shutil
import sysconfig

import pytest
from conftest import EXAMPLE, LIBRARIES, MODULE, run

NAME = "libascendcl.so"
FROM = f"""
import acl, os
assert acl.rt.get_run_mode() == (1, 0)
paths = {{line.split()[-1] for line in open("/proc/self/maps") if line.rstrip().endswith("{NAME}")}}
print(*paths)
"""
TRIPLET = sysconfig.get_config_var("MULTIARCH") or "lib"


def put(folder):
    """A copy of the runtime in a folder: its path."""
    folder.mkdir(parents=True)
    return shutil.copy2(LIBRARIES / NAME, folder / NAME)


def module(folder, link=False):
    folder.mkdir(parents=True)
    (folder / "acl.py").symlink_to(MODULE) if link else shutil.copy2(MODULE, folder)
    return folder


def loaded(folder, program=FROM, **variables):
    done = run("-c", program, PYTHONPATH=folder, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("libraries", ["lib/" + TRIPLET, "lib64", "lib"])
@pytest.mark.parametrize("modules", ["lib/python3/dist-packages", "lib/python3.11/site-packages"])
def test_an_installed_module_takes_the_libraries_of_its_installation(tmp_path, modules, libraries):
    path = put(tmp_path / libraries / "aclgrad")
    assert loaded(module(tmp_path / modules)) == [str(path)]


def test_one_beside_the_libraries_takes_these(tmp_path):
    path = put(tmp_path / "lib" / "aclgrad")
    assert loaded(module(tmp_path / "lib" / "aclgrad" / "python")) == [str(path)]


@pytest.mark.parametrize("link", [False, True])
def test_that_of_a_toolkit_takes_the_toolkits(tmp_path, link):
    path = put(tmp_path / "cann-8.5.0" / "lib64")
    folder = module(tmp_path / "cann-8.5.0" / "python" / "site-packages", link)
    assert loaded(folder) == [str(path)]


def test_that_of_a_tree_takes_the_newest_build(tmp_path):
    import os

    for age, preset in enumerate(("debug", "release", "asan")):
        path = put(tmp_path / "build" / preset / "lib")
        os.utime(path, (1e9 + (age == 1), 1e9 + (age == 1)))
    folder = module(tmp_path / "ops" / "python")
    assert loaded(folder) == [str(tmp_path / "build" / "release" / "lib" / NAME)]


def test_what_the_program_says_goes_before_where_the_module_lies(tmp_path):
    put(tmp_path / "lib" / "aclgrad")
    folder = module(tmp_path / "lib" / "python3" / "dist-packages")
    toolkit, other = put(tmp_path / "toolkit" / "lib64"), put(tmp_path / "other")
    home = tmp_path / "toolkit"
    assert loaded(folder, ASCEND_TOOLKIT_HOME=home) == [str(toolkit)]
    assert loaded(folder, ASCEND_HOME_PATH=home) == [str(toolkit)]
    by_name = {"LD_LIBRARY_PATH": tmp_path / "other", "ASCEND_TOOLKIT_HOME": home}
    assert loaded(folder, **by_name) == [str(other)]


def test_a_process_never_has_two_runtimes(tmp_path):
    put(tmp_path / "lib" / "aclgrad")
    folder, first = module(tmp_path / "lib" / "python3" / "dist-packages"), put(tmp_path / "first")
    program = f"import ctypes; ctypes.CDLL({str(first)!r})\n{FROM}"
    assert loaded(folder, program) == [str(first)]


def test_the_operators_that_belong_to_the_runtime_are_found_by_name(tmp_path):
    prefix = tmp_path / "lib" / "aclgrad"
    prefix.mkdir(parents=True)
    for name in (NAME, "libnnopbase.so", "libopapi.so"):
        (prefix / name).symlink_to(LIBRARIES / name)
    folder = module(tmp_path / "lib" / "python3" / "dist-packages")
    program = "import acl, ctypes; print(ctypes.CDLL('libopapi.so').aclnnSelu is not None)"
    assert loaded(folder, program) == ["True"]
    # And without the module they are not: nothing else of this machine is found.
    assert run("-c", "import ctypes; ctypes.CDLL('libopapi.so')").returncode != 0
    done = run(EXAMPLE, PYTHONPATH=folder)
    assert done.returncode == 0 and "step 4000" in done.stdout, done.stderr


def test_libraries_that_are_nowhere_are_said(tmp_path):
    done = run("-c", "import acl", PYTHONPATH=module(tmp_path / "a" / "b" / "c"))
    assert "ImportError: acl: libascendcl.so" in done.stderr and "LD_LIBRARY_PATH" in done.stderr
    assert "ASCEND_TOOLKIT_HOME" in done.stderr and str(tmp_path) in done.stderr


def test_a_library_that_lacks_a_function_takes_only_that_function_away(tmp_path):
    # The other library has none of the runtime's functions.
    folder = module(tmp_path / "module")
    program = "import acl; print(hasattr(acl, 'init'), hasattr(acl.rt, 'malloc'), hasattr(acl.util, 'ptr_to_bytes'))"
    shutil.copy2(sysconfig_library(), folder / NAME)
    assert loaded(folder, program) == ["False", "False", "True"]


def sysconfig_library():
    """Some library of this process that is not ours."""
    lines = open("/proc/self/maps", encoding="utf-8")
    return next(line.split()[-1] for line in lines if "/libc.so" in line or "/libm.so" in line)


def test_without_numpy_what_makes_arrays_is_absent():
    program = """
import sys
assert "numpy" not in sys.modules
import acl
print(hasattr(acl.util, "ptr_to_numpy"), hasattr(acl.util, "numpy_contiguous_to_ptr"), "numpy" in sys.modules)
class Array:
    class ctypes:
        data = 4096
print(acl.util.numpy_to_ptr(Array()))
"""
    done = run("-c", program, LD_LIBRARY_PATH=LIBRARIES, PYTHONPATH=MODULE.parent)
    assert done.stdout.split() == ["False", "False", "False", "4096"], done


def test_with_numpy_it_is_loaded_when_it_is_needed():
    pytest.importorskip("numpy", reason="NumPy is not installed")
    import os
    import pathlib

    import numpy

    site = pathlib.Path(numpy.__file__).parents[1]
    program = "import acl, sys; print(hasattr(acl.util, 'ptr_to_numpy'), 'numpy' in sys.modules)"
    paths = os.pathsep.join((str(MODULE.parent), str(site)))
    assert loaded(paths, program, LD_LIBRARY_PATH=LIBRARIES) == ["True", "False"]
