# SPDX-License-Identifier: Apache-2.0
"""Takes the C library into the package: that of ACLGRAD_LIBRARY, or of the tree's build."""
import os
import pathlib
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

NAME = "libaclgrad_gradcheck_c.so"
HERE = pathlib.Path(__file__).resolve().parent


def library():
    """The file; None where it is not built: the package then looks for the system's."""
    given = os.environ.get("ACLGRAD_LIBRARY")
    if given:
        path = pathlib.Path(given)
        return path / NAME if path.is_dir() else path
    built = sorted((HERE.parents[1] / "build").glob(f"*/lib/{NAME}"), key=os.path.getmtime)
    return built[-1] if built else None


class Build(build_py):
    """Copies it beside the modules."""

    def run(self):
        super().run()
        found = library()
        if found is not None:
            shutil.copy2(found, pathlib.Path(self.build_lib) / "aclgrad" / NAME)


class Native(Distribution):
    """A wheel with the library is for this machine's kind only."""

    def has_ext_modules(self):
        return library() is not None


options = {}
if library() is not None:
    try:
        from setuptools.command.bdist_wheel import bdist_wheel
    except ImportError:
        from wheel.bdist_wheel import bdist_wheel

    class Wheel(bdist_wheel):
        """Any Python will do: nothing in it is linked with one."""

        def get_tag(self):
            return ("py3", "none", super().get_tag()[2])

    options["bdist_wheel"] = Wheel

setup(cmdclass={"build_py": Build, **options}, distclass=Native)
