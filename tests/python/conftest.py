# SPDX-License-Identifier: Apache-2.0
"""The package of this tree, and its examples."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[1]
PACKAGE = TREE / "autograd" / "python"
for folder in (HERE, PACKAGE / "examples", PACKAGE):
    sys.path.insert(0, str(folder))

pytest_plugins = ["pytester"]
